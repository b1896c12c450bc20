import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird
import Ledger
import Logging
import Reporting

/// Converts errors that routes throw to problem responses.
struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    /// If false, a known path with another method is 404 instead of 405.
    var answersOtherMethods = true

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let problem: Problem
            if let error = error as? HTTPError, error.status == .notFound {
                let allowed = answersOtherMethods ? Endpoint.methods(of: request.uri.path) : []
                problem = allowed.isEmpty ? Problem(error) : Problem(notAllowed: request.method, allowed: allowed)
            } else {
                problem = Problem(catching: error, logger: context.logger)
            }
            var response = Response(
                problem.json(requestId: context.id),
                status: problem.status,
                type: "application/problem+json"
            )
            for field in problem.headers { response.headers.append(field) }
            if problem.closesConnection { response.headers[.connection] = "close" }
            return request.method == .head ? response.withoutBody() : response
        }
    }
}

extension Problem {
    /// Converts an error that a route threw; its cause goes into the log where the response does not tell it.
    init(catching error: any Error, logger: Logger) {
        switch error {
        case let error as BodyFault:
            self.init(error)
            if error == .brokenOff { logger.debug("the client went away in the middle of the body") }
        case let error as Problem:
            self = error
        case let error as RequestError:
            self.init(error)
            if case .notStored(let cause) = error, cause != .stopped { logger.error("not stored: \(cause)") }
        case let error as HTTPError:
            self.init(error)
        default:
            self = .internal
            logger.error("unexpected failure: \(error)")
        }
    }
}

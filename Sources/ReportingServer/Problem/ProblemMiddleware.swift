import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Logging
import Reporting

/// Turns whatever a route throws into a problem, once.
struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let problem: Problem
            switch error {
            case let error as Problem:
                problem = error
            case let error as RequestRefusal:
                problem = Problem(error)
                if case .notStored(let cause) = error {
                    context.logger.error("not stored: \(cause)")
                }
            case let error as HTTPError:
                problem = Problem(error)
            default:
                problem = .internal
                context.logger.error("unexpected failure: \(error)")
            }
            return Response(
                problem.json(requestId: context.id),
                status: problem.status,
                type: "application/problem+json"
            )
        }
    }
}

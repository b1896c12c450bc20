import HTTPSupport
import Hummingbird
import Reporting

/// Lets long reads of a request notice that its client has gone (``Reporting/ClientPresence``).
struct ClientPresenceMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: ServerContext,
        next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        // Changes are completed although their client has gone. A test without a network has no such handler.
        guard request.method == .get || request.method == .head,
            let client = try? await context.channel.pipeline.handler(type: ClientEndHandler.self).get()
        else { return try await next(request, context) }
        return try await ClientPresence.$current.withValue(ClientPresence { client.hasEnded }) {
            try await next(request, context)
        }
    }
}

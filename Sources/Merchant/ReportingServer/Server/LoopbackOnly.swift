import HTTPSupport
import HTTPTypes
import Hummingbird

/// Refuses requests that name another host, so that no web page can drive the interface by a name of its own that
/// resolves to this machine.
struct LoopbackOnly<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let host = request.head.authority ?? ""
        guard LoopbackHost.isLoopback(LoopbackHost.name(ofAuthority: host)) else { throw Problem.foreignHost(host) }
        return try await next(request, context)
    }
}

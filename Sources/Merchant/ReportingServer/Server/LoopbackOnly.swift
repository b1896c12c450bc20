import HTTPSupport
import HTTPTypes
import Hummingbird

/// Rejects requests to a host name other than a loopback name.
///
/// This prevents web pages from using the interface through a domain name that resolves to this machine (DNS
/// rebinding).
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

import HTTPSupport
import HTTPTypes
import Hummingbird

/// Determines whether a browser reaches the server by HTTPS, and then tells it to keep to that (RFC 6797).
///
/// It does if the server's own connections use TLS, or if a trusted proxy says so in `X-Forwarded-Proto`. From other
/// peers the field is ignored, because anybody can send it. Proxies that append to the field list the scheme of every
/// connection on the way: all of them must be `https`.
struct TransportSecurity: RouterMiddleware {
    /// True if the connections of the server use TLS.
    let isDirect: Bool
    let trustedProxies: TrustedProxies

    /// One year, for this host alone.
    static let policy = "max-age=31536000"

    func handle(
        _ request: Request,
        context: ServerContext,
        next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        guard isDirect || isForwarded(request, context) else { return try await next(request, context) }
        var context = context
        context.isSecure = true
        var response = try await next(request, context)
        response.headers[.strictTransportSecurity] = Self.policy
        return response
    }

    private func isForwarded(_ request: Request, _ context: ServerContext) -> Bool {
        guard trustedProxies.contains(IPAddress(context.remoteAddress)) else { return false }
        let schemes = request.headers[values: .xForwardedProto].flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        return !schemes.isEmpty && schemes.allSatisfy { String($0).trimmed.lowercased() == "https" }
    }
}

extension HTTPField.Name {
    // The name is a valid token, so the fallback is never taken.
    fileprivate static let xForwardedProto = HTTPField.Name("X-Forwarded-Proto") ?? .via
}

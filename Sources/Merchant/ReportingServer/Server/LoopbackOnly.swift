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

/// The names of this machine that no other machine can reach.
package enum LoopbackHost {
    /// The host of `host:port` or `[host]:port`.
    static func name(ofAuthority authority: String) -> String {
        if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return String(authority.prefix { $0 != ":" })
    }

    /// True for `localhost`, `127.…` and `::1`.
    package static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let isIPv4 = parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
        return host.lowercased() == "localhost" || host == "::1" || isIPv4 && parts.first == "127"
    }
}

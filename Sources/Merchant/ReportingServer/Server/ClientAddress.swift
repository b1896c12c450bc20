import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore

/// Determines the client address of a request.
enum ClientAddress {
    /// Returns the peer's address, or the client address that a trusted proxy reports.
    ///
    /// `X-Forwarded-For` is read from its end, where the nearest proxy adds its entry: the first address that is no
    /// trusted proxy is the client. An entry that is no address ends the search at the proxy that reported it. From other
    /// peers the header is ignored, because anybody can send it.
    static func of(_ request: Request, peer: SocketAddress?, trusting proxies: TrustedProxies) -> String {
        guard let peer = IPAddress(peer) else { return "unknown" }
        var client = peer
        let chain = request.headers[values: .xForwardedFor].flatMap { $0.split(separator: ",") }
        for entry in chain.reversed() where proxies.contains(client) {
            let text = entry.drop { $0 == " " || $0 == "\t" }
            guard !text.isEmpty else { continue }
            guard let address = IPAddress(forwarded: text.prefix { $0 != " " && $0 != "\t" }) else { break }
            client = address
        }
        return client.description
    }

    /// Returns the group that an address is counted in (``IPAddress/group``).
    static func group(of address: String) -> String { IPAddress(address)?.group ?? address }
}

extension HTTPField.Name {
    // The name is a valid token, so the fallback is never taken.
    fileprivate static let xForwardedFor = HTTPField.Name("X-Forwarded-For") ?? .via
}

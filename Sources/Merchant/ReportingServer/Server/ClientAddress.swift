import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore

/// Determines the client address of a request.
enum ClientAddress {
    /// Returns the peer's address, or the client address that a trusted proxy reports.
    ///
    /// `X-Forwarded-For` is read from its end, where the nearest proxy adds its entry: the first address that is no
    /// trusted proxy is the client. An entry that is no address as a whole, without the blanks around it, ends the search
    /// at the proxy that reported it, because what a client added must not choose who it is counted as. From other
    /// peers the header is ignored, because anybody can send it.
    static func of(_ request: Request, peer: SocketAddress?, trusting proxies: TrustedProxies) -> String {
        guard let peer = IPAddress(peer) else { return "unknown" }
        var client = peer
        let chain = request.headers[values: .xForwardedFor].flatMap { $0.split(separator: ",") }
        for entry in chain.reversed() where proxies.contains(client) {
            let text = entry.utf8.trimmingBlanks
            guard !text.isEmpty else { continue }
            guard let address = IPAddress(forwarded: Substring(text)) else { break }
            client = address
        }
        return client.description
    }

    /// Returns the group that an address is counted in (``IPAddress/group``).
    static func group(of address: String) -> String { IPAddress(address)?.group ?? address }
}

extension Substring.UTF8View {
    fileprivate var trimmingBlanks: Substring.UTF8View {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var rest = drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }
}

extension HTTPField.Name {
    // The name is a valid token, so the fallback is never taken.
    fileprivate static let xForwardedFor = HTTPField.Name("X-Forwarded-For") ?? .via
}

import HTTPTypes
import Hummingbird
import NIOCore

/// Determines the client address of a request.
enum ClientAddress {
    /// Returns the peer's address, or the client address that a trusted proxy reports.
    ///
    /// `X-Forwarded-For` is read from its end, where the nearest proxy adds its entry: the first address that is no
    /// trusted proxy is the client. From other peers the header is ignored, because anybody can send it.
    static func of(_ request: Request, peer: SocketAddress?, trusting proxies: Set<String>) -> String {
        let peer = peer?.ipAddress ?? "unknown"
        guard proxies.contains(peer) else { return peer }
        let chain = request.headers[values: .xForwardedFor].flatMap { $0.split(separator: ",") }
            .map { String($0.drop { $0 == " " }.prefix { $0 != " " }) }
        return chain.last { !$0.isEmpty && !proxies.contains($0) } ?? peer
    }

    /// Returns the group that an address is counted in.
    ///
    /// It is an IPv4 address, or the /64 network of an IPv6 address, because one customer usually has a whole /64
    /// network.
    static func group(of address: String) -> String {
        // In the canonical spelling, `::` stands for omitted zeros.
        guard address.contains(":"), let text = try? SocketAddress(ipAddress: address, port: 0).ipAddress else {
            return address
        }
        let halves = text.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
            .map { $0.split(separator: ":") }
        var groups = halves.first ?? []
        if halves.count == 2 {
            groups += Array(repeating: "0", count: max(0, 8 - groups.count - halves[1].count)) + halves[1]
        }
        return groups.prefix(4).joined(separator: ":") + "::/64"
    }
}

extension HTTPField.Name {
    // The name is a valid token, so the fallback is never taken.
    fileprivate static let xForwardedFor = HTTPField.Name("X-Forwarded-For") ?? .via
}

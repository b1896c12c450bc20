/// The hosts that only this machine can reach.
package enum LoopbackHost {
    /// The host of an authority `host:port` or `[host]:port`, without port and brackets.
    package static func name(ofAuthority authority: String) -> String {
        if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return String(authority.prefix { $0 != ":" })
    }

    /// True for `localhost` in any case, `127.…` and `::1`.
    package static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let isIPv4 = parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
        return host.lowercased() == "localhost" || host == "::1" || isIPv4 && parts.first == "127"
    }
}

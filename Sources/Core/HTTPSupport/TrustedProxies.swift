import ExternalPurchaseCore

/// The addresses and networks of proxies whose `X-Forwarded-…` fields are trusted.
package struct TrustedProxies: Hashable, Sendable {
    /// A text that is neither an address nor a network.
    package struct Malformed: Error, Hashable, Sendable {
        /// What is wrong and what would be right.
        package let message: String
    }

    private struct Network: Hashable {
        let address: IPAddress
        /// The number of bits that count.
        let length: Int

        func contains(_ other: IPAddress) -> Bool {
            other.bytes.count == address.bytes.count && masked(other.bytes) == address.bytes
        }

        /// The bytes with all bits after the prefix cleared.
        func masked(_ bytes: [UInt8]) -> [UInt8] {
            bytes.enumerated().map { place, byte in
                let rest = min(8, max(0, length - place * 8))
                return rest == 0 ? 0 : byte & (0xFF << UInt8(8 - rest))
            }
        }

        /// Networks that no stranger has addresses of: RFC 1918, RFC 6598, loopback, link-local and RFC 4193.
        private static let own: [Network] = [
            Network([10], 8), Network([172, 16], 12), Network([192, 168], 16), Network([100, 64], 10),
            Network([127], 8), Network([169, 254], 16), Network([0xFC], 7, of: 16), Network([0xFE, 0x80], 10, of: 16),
        ]

        var holdsStrangers: Bool {
            let isOwn = Self.own.contains { $0.length <= length && $0.contains(address) }
            return !isOwn && length < (address.bytes.count == 4 ? 12 : 24)
        }

        init(address: IPAddress, length: Int) {
            (self.address, self.length) = (address, length)
        }

        private init(_ start: [UInt8], _ length: Int, of size: Int = 4) {
            let rest = [UInt8](repeating: 0, count: size - start.count)
            self.init(address: IPAddress(bytes: start + rest), length: length)
        }

        var text: String { length == address.bytes.count * 8 ? "\(address)" : "\(address)/\(length)" }
    }

    private var networks: Set<Network> = []

    /// Trusts nobody.
    package init() {}

    /// Trusts addresses and networks in CIDR notation, such as `127.0.0.1`, `10.0.0.0/8`, `::1` and `fd00::/8`.
    init(_ texts: some Sequence<String>) throws(Malformed) {
        for text in texts { try insert(text) }
    }

    /// Adds an address, or a network in CIDR notation.
    package mutating func insert(_ text: String) throws(Malformed) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else { throw .noAddress }
        guard parts.count == 2 else {
            networks.insert(Network(address: address, length: address.bytes.count * 8))
            return
        }
        // A network of mapped addresses, ::ffff:10.0.0.0/104, is one of IPv4.
        let isMapped = address.isIPv4 && parts[0].utf8.contains(UInt8(ascii: ":"))
        let longest = isMapped ? 128 : address.bytes.count * 8
        let digits = parts[1].utf8
        guard (1...3).contains(digits.count), digits.allSatisfy(\.isDigit), let bits = Int(parts[1]),
            ((isMapped ? 96 : 0)...longest).contains(bits), !parts[0].utf8.contains(UInt8(ascii: "%"))
        else { throw .noAddress }
        let network = Network(address: address, length: isMapped ? bits - 96 : bits)
        let start = Network(address: IPAddress(bytes: network.masked(address.bytes)), length: network.length)
        guard start == network else {
            throw Malformed(message: "has bits after its prefix; \(start.text) is the network of this address")
        }
        networks.insert(network)
    }

    /// True for the address of a trusted proxy; false for an unknown address.
    package func contains(_ address: IPAddress?) -> Bool {
        guard let address else { return false }
        return networks.contains { $0.contains(address) }
    }

    /// The networks in which strangers may be, in their canonical spelling, sorted: they hold everybody, or more public
    /// addresses than the largest services of proxies have.
    ///
    /// Whoever is in one of them could name the user of a request.
    package var strangers: [String] { networks.filter(\.holdsStrangers).map(\.text).sorted() }

    /// The addresses and networks in their canonical spelling, sorted.
    package var texts: [String] { networks.map(\.text).sorted() }
}

extension TrustedProxies.Malformed {
    fileprivate static let noAddress = Self(
        message: "is not an IP address or network such as 127.0.0.1, 10.0.0.0/8, ::1 or fd00::/8"
    )
}

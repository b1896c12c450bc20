import ExternalPurchaseCore
import Foundation
package import NIOCore

/// An IP address by which clients are told apart.
///
/// An IPv4 address that a socket of both families shows as `::ffff:192.0.2.1` is that IPv4 address, and a zone, such as
/// `%eth0`, is left out.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four or sixteen bytes, the most significant one first.
    let bytes: [UInt8]

    /// - Parameter bytes: four or sixteen bytes.
    init(bytes: [UInt8]) {
        let isMapped = bytes.count == 16 && bytes[..<12] == Self.mappedPrefix[...]
        self.bytes = isMapped ? Array(bytes[12...]) : bytes
    }

    /// The first bytes of IPv6 addresses that stand for an IPv4 address (RFC 4291, section 2.5.5.2).
    static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// The longest text that may be an address, with its zone.
    private static let longestText = 128

    /// Creates the address of a peer; nil for sockets without one.
    package init?(_ socket: SocketAddress?) {
        switch socket {
        case .v4(let address): self.init(bytes: withUnsafeBytes(of: address.address.sin_addr) { Array($0) })
        case .v6(let address): self.init(bytes: withUnsafeBytes(of: address.address.sin6_addr) { Array($0) })
        case .unixDomainSocket, nil: return nil
        }
    }

    /// Reads an address without port and brackets; nil for any other text.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.longestText, !text.utf8.contains(0) else { return nil }
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        let address = String(parts[0])
        // Only IPv6 addresses have zones.
        if parts.count == 2 {
            let isName = parts[1].utf8.allSatisfy { $0.isASCIILetter || $0.isDigit || "-._~".utf8.contains($0) }
            guard isName, !parts[1].isEmpty, address.utf8.contains(UInt8(ascii: ":")) else { return nil }
        }
        self.init(try? SocketAddress(ipAddress: address, port: 0))
    }

    /// Reads an address as proxies write it: with or without port, an IPv6 address with or without brackets; nil for any
    /// other text.
    package init?(forwarded text: some StringProtocol) {
        guard text.utf8.count <= Self.longestText else { return nil }
        let bytes = Array(text.utf8)
        if bytes.first == UInt8(ascii: "["), let end = bytes.firstIndex(of: UInt8(ascii: "]")) {
            let address = bytes[1..<end]
            guard Self.isPort(bytes[(end + 1)...]), address.contains(UInt8(ascii: ":")) else { return nil }
            self.init(String(decoding: address, as: UTF8.self))
        } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            colon == bytes.lastIndex(of: UInt8(ascii: ":"))
        {
            guard Self.isPort(bytes[colon...]) else { return nil }
            self.init(String(decoding: bytes[..<colon], as: UTF8.self))
        } else {
            self.init(text)
        }
    }

    /// True for nothing, and for a colon with the digits of a port.
    private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let colon = bytes.first else { return true }
        return colon == UInt8(ascii: ":") && (2...6).contains(bytes.count) && bytes.dropFirst().allSatisfy(\.isDigit)
    }

    var isIPv4: Bool { bytes.count == 4 }

    /// The address in its canonical spelling.
    package var description: String { Self.text(of: bytes) }

    /// The group that the address is counted in: an IPv4 address itself, and the /64 network of an IPv6 address, because
    /// one customer usually has a whole one.
    package var group: String {
        isIPv4 ? description : Self.text(of: bytes.prefix(8) + [UInt8](repeating: 0, count: 8)) + "/64"
    }

    private static func text(of bytes: [UInt8]) -> String {
        (try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0))?.ipAddress ?? "unknown"
    }
}

/// The reachability of a URL's host (CF-35).
enum HostReach: Hashable, Sendable {
    /// The host may be reachable from everywhere.
    case anybody
    /// The host is reachable only on the device or in its own network.
    case privateNetwork
    /// The host is not reachable: its name is reserved for documentation.
    case documentation

    /// Classifies a host as written in a URL.
    init(_ host: String) {
        if host.hasPrefix("[") {
            let bytes = IPAddress(version6: host.dropFirst().dropLast())?.bytes ?? []
            self = Self.isPrivate(version6: bytes) ? .privateNetwork : .anybody
            return
        }
        var name = host.lowercased()
        // A final dot marks the name as complete. Systems still recognise an address before it.
        if name.hasSuffix(".") { name.removeLast() }
        if let address = IPAddress(version4: name) {
            self = Self.isPrivate(version4: address.bytes) ? .privateNetwork : .anybody
            return
        }
        if !name.contains(".") || Self.privateSuffixes.contains(where: name.hasSuffix) {
            self = .privateNetwork
        } else if Self.placeholders.contains(where: { name == $0 || name.hasSuffix(".\($0)") }) {
            self = .documentation
        } else {
            self = .anybody
        }
    }

    private static let privateSuffixes = [".localhost", ".local", ".internal", ".test", ".invalid", ".home.arpa"]
    private static let placeholders = ["example.com", "example.net", "example.org"]

    private static func isPrivate(version4 bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168): true
        default: false
        }
    }

    private static func isPrivate(version6 bytes: [UInt8]) -> Bool {
        guard bytes.count == 16 else { return false }
        return bytes == [UInt8](repeating: 0, count: 15) + [1] || bytes[0] & 0xFE == 0xFC
            || bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }
}

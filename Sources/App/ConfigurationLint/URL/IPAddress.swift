/// The bytes of an IP address in a URL's host, RFC 3986 section 3.2.2.
struct IPAddress: Hashable, Sendable {
    /// Four or sixteen bytes.
    let bytes: [UInt8]

    /// Parses four decimal numbers up to 255 without leading zeros.
    init?(version4 text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            guard part.utf8.allSatisfy({ (48...57).contains($0) }), part == "0" || part.first != "0",
                let byte = UInt8(part)
            else { return nil }
            bytes.append(byte)
        }
        self.bytes = bytes
    }

    /// Parses eight groups of hexadecimal digits, with at most one run of zeros as `::` and optionally the last two
    /// groups in the form of version 4.
    init?(version6 text: some StringProtocol) {
        guard let compression = Self.compression(in: String(text)) else { return nil }
        let (head, tail) = compression
        guard let tail else {
            guard let all = Self.groups(head, mayEndInVersion4: true), all.count == 16 else { return nil }
            bytes = all
            return
        }
        guard let front = Self.groups(head, mayEndInVersion4: false),
            let back = Self.groups(tail, mayEndInVersion4: true), front.count + back.count <= 14
        else { return nil }
        bytes = front + [UInt8](repeating: 0, count: 16 - front.count - back.count) + back
    }

    /// Returns the texts before and after `::`; nil when it occurs twice.
    private static func compression(in text: String) -> (String, String?)? {
        let bytes = Array(text.utf8)
        let colons = bytes.indices.dropLast().filter { bytes[$0] == 0x3A && bytes[$0 + 1] == 0x3A }
        guard colons.count <= 1 else { return nil }
        guard let at = colons.first else { return (text, nil) }
        return (String(decoding: bytes[..<at], as: UTF8.self), String(decoding: bytes[(at + 2)...], as: UTF8.self))
    }

    private static func groups(_ text: String, mayEndInVersion4: Bool) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var bytes: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if mayEndInVersion4, index == parts.count - 1, let address = IPAddress(version4: part) {
                bytes += address.bytes
            } else {
                guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy(\.isHexadecimal),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
            }
        }
        return bytes
    }
}

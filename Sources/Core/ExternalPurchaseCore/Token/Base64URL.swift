/// Base64 with the URL alphabet of RFC 4648 section 5.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static let values: [UInt8?] = {
        var table = [UInt8?](repeating: nil, count: 256)
        for (value, byte) in alphabet.enumerated() { table[Int(byte)] = UInt8(value) }
        return table
    }()

    package static func encode(_ bytes: some Collection<UInt8>, padding: Bool = false) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                output.append(alphabet[Int(buffer >> UInt32(bits) & 0x3F)])
            }
            buffer &= (1 << UInt32(bits)) - 1
        }
        if bits > 0 { output.append(alphabet[Int(buffer << UInt32(6 - bits) & 0x3F)]) }
        while padding, output.count % 4 != 0 { output.append(UInt8(ascii: "=")) }
        return String(decoding: output, as: UTF8.self)
    }

    /// True for a character of the alphabet.
    static func isData(_ byte: UInt8) -> Bool { values[Int(byte)] != nil }

    /// Decodes data without padding.
    ///
    /// `isCanonical` is true when the unused bits at the end are zero. Nil for other characters or an impossible
    /// length.
    package static func decode(_ data: some Collection<UInt8>) -> (bytes: [UInt8], isCanonical: Bool)? {
        guard data.count % 4 != 1 else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(data.count * 3 / 4)
        var buffer: UInt32 = 0
        var bits = 0
        for byte in data {
            guard let value = values[Int(byte)] else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                output.append(UInt8(buffer >> UInt32(bits) & 0xFF))
            }
            buffer &= (1 << UInt32(bits)) - 1
        }
        return (output, buffer == 0)
    }
}

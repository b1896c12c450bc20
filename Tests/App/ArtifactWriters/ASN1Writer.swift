/// Writes tags, lengths and contents of ASN.1 in DER, and in variants that BER allows.
enum ASN1Writer {
    /// A value of definite length.
    static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag] + length(content.count) + content
    }

    /// A value of indefinite length, as BER allows.
    static func indefinite(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag, 0x80] + content + [0, 0]
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] { value(0x30, parts.flatMap(\.self)) }
    static func string(_ text: String) -> [UInt8] { value(0x0C, Array(text.utf8)) }
    static func boolean(_ value: Bool) -> [UInt8] { [1, 1, value ? 0xFF : 0] }
    static func integer(_ small: UInt8) -> [UInt8] { [2, 1, small] }

    private static func length(_ count: Int) -> [UInt8] {
        guard count > 0x7F else { return [UInt8(count)] }
        let digits = Array(big(count, 8).drop { $0 == 0 })
        return [0x80 | UInt8(digits.count)] + digits
    }
}

/// The envelope of a provisioning profile: CMS signed data around a property list, without a signature.
struct ProfileWriter {
    var content: [UInt8]
    /// Indefinite lengths, and the content in pieces of this size.
    var pieces: Int?

    /// A profile with a property list as text.
    init(_ content: String, pieces: Int? = nil) {
        self.content = Array(content.utf8)
        self.pieces = pieces
    }

    /// A profile with entitlements.
    ///
    /// - Parameter entitlements: the members of the dictionary in XML.
    init(entitlements: String) {
        self.init(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>
            <key>Entitlements</key><dict>\(entitlements)</dict>
            <key>ExpirationDate</key><date>2027-01-31T12:00:00Z</date>
            <key>Name</key><string>Gem Shop</string>
            <key>Platform</key><array><string>iOS</string></array>
            <key>TeamIdentifier</key><array><string>A1B2C3D4E5</string></array>
            </dict></plist>
            """
        )
    }

    /// The envelope.
    func bytes() -> [UInt8] {
        let signedData: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2]
        let data: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 1]
        let version = ASN1Writer.integer(1)
        let algorithms = ASN1Writer.value(0x31, [])
        guard let pieces else {
            let octets = ASN1Writer.value(0xA0, ASN1Writer.value(4, content))
            let inner = ASN1Writer.sequence(version, algorithms, ASN1Writer.sequence(data, octets), algorithms)
            return ASN1Writer.sequence(signedData, ASN1Writer.value(0xA0, inner))
        }
        let parts = stride(from: 0, to: content.count, by: pieces).flatMap { start in
            ASN1Writer.value(4, Array(content[start..<min(start + pieces, content.count)]))
        }
        let octets = ASN1Writer.indefinite(0xA0, ASN1Writer.indefinite(0x24, parts))
        let inner = version + algorithms + ASN1Writer.indefinite(0x30, data + octets) + algorithms
        return ASN1Writer.indefinite(0x30, signedData + ASN1Writer.indefinite(0xA0, ASN1Writer.indefinite(0x30, inner)))
    }
}

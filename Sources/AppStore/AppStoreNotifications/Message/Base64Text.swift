import ExternalPurchaseCore

/// The two Base64 variants in a signed message, decoded strictly: no blanks, no line ends, no nonzero bits after the
/// last byte.
enum Base64Text {
    /// Decodes Base64URL; nil for any other text.
    ///
    /// Padding of the right length is tolerated (NT-21).
    static func url(_ text: some Collection<UInt8>) -> [UInt8]? {
        let data = text.prefix { $0 != UInt8(ascii: "=") }
        let padding = text.count - data.count
        guard padding == 0 || isPadded(text, by: padding) else { return nil }
        return canonical(data)
    }

    /// Decodes standard Base64 with padding, as in `x5c` (NT-10); nil for any other text.
    static func standard(_ text: some Collection<UInt8>) -> [UInt8]? {
        let data = text.prefix { $0 != UInt8(ascii: "=") }
        guard isPadded(text, by: text.count - data.count),
            !data.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
        else { return nil }
        return canonical(
            data.map { byte in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: byte
                }
            }
        )
    }

    private static func isPadded(_ text: some Collection<UInt8>, by padding: Int) -> Bool {
        padding <= 2 && text.count % 4 == 0 && text.suffix(padding).allSatisfy { $0 == UInt8(ascii: "=") }
    }

    private static func canonical(_ data: some Collection<UInt8>) -> [UInt8]? {
        guard let (bytes, isCanonical) = Base64URL.decode(data), isCanonical else { return nil }
        return bytes
    }
}

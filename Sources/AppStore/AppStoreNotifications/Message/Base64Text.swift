import ExternalPurchaseCore

/// The two spellings of Base64 in a signed message, each read to the letter: no blanks, no line ends, no bits beyond
/// the last byte.
enum Base64Text {
    /// Bytes of Base64URL, whose padding is tolerated if it has the right length (NT-21); nil for anything else.
    static func url(_ text: some Collection<UInt8>) -> [UInt8]? {
        let data = text.prefix { $0 != UInt8(ascii: "=") }
        let padding = text.count - data.count
        guard padding == 0 || isPadded(text, by: padding) else { return nil }
        return canonical(data)
    }

    /// Bytes of standard Base64 with its padding, as in `x5c` (NT-10); nil for anything else.
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

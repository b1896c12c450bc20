/// The Base64 of `<data>`: RFC 4648 section 4 with white space anywhere.
enum PropertyListBase64 {
    /// Decodes a text; nil when a character or the padding is wrong.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var bits: UInt32 = 0
        var characters = 0
        var padding = 0
        for byte in text where !byte.isXMLSpace {
            guard byte != UInt8(ascii: "=") else {
                padding += 1
                continue
            }
            guard padding == 0, let digit = digit(byte) else { return nil }
            bits = bits << 6 | digit
            characters += 1
            if characters.isMultiple(of: 4) {
                result += [UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8)]
                result.append(UInt8(truncatingIfNeeded: bits))
                bits = 0
            }
        }
        switch characters % 4 {
        case 0: return padding == 0 ? result : nil
        case 2: return padding == 2 ? result + [UInt8(truncatingIfNeeded: bits >> 4)] : nil
        case 3:
            return padding == 1
                ? result + [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)] : nil
        default: return nil
        }
    }

    private static func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

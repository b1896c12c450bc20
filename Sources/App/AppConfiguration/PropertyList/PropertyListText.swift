import ExternalPurchaseCore

/// Converts the text of an XML property list to valid UTF-8 without byte order mark.
enum PropertyListText {
    /// Removes a byte order mark, converts UTF-16, and refuses bytes that are not text or do not begin like XML.
    static func utf8(_ bytes: [UInt8]) throws(PropertyListFault) -> [UInt8] {
        var text = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            text.removeFirst(3)
        } else if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            text = try utf16(bytes)
        }
        guard let first = text.first(where: { !$0.isXMLSpace }) else {
            throw PropertyListFault(.notPropertyList, "it is empty")
        }
        guard first == UInt8(ascii: "<") else {
            let reason =
                switch first {
                case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["):
                    "it looks like JSON or an old-style text property list; only XML and binary are read"
                default: "it is neither XML nor binary"
                }
            throw PropertyListFault(.notPropertyList, reason, at: SourcePosition(line: 1, column: 1))
        }
        if String(wellFormed: text) == nil {
            throw PropertyListFault(.notPropertyList, "it is not valid UTF-8", at: firstInvalid(in: text))
        }
        return text
    }

    private static func utf16(_ bytes: [UInt8]) throws(PropertyListFault) -> [UInt8] {
        guard bytes.count.isMultiple(of: 2) else {
            throw PropertyListFault(.notPropertyList, "it begins as UTF-16 but has an odd number of bytes")
        }
        let high = bytes[0] == 0xFE ? 0 : 1
        let units = stride(from: 2, to: bytes.count, by: 2).map { index in
            UInt16(bytes[index + high]) << 8 | UInt16(bytes[index + 1 - high])
        }
        guard let text = String(wellFormed: units) else {
            throw PropertyListFault(.notPropertyList, "it begins as UTF-16 but is not valid UTF-16")
        }
        return Array(text.utf8)
    }

    private static func firstInvalid(in text: [UInt8]) -> SourcePosition {
        var decoder = UTF8()
        var bytes = text.makeIterator()
        var line = 1
        var column = 1
        while case .scalarValue(let scalar) = decoder.decode(&bytes) {
            if scalar == "\n" {
                line += 1
                column = 1
            } else {
                column += 1
            }
        }
        return SourcePosition(line: line, column: column)
    }
}

extension UInt8 {
    /// True for the four white space characters of XML.
    var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

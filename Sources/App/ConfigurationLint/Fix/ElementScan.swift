/// The extent of an element in an XML property list, in bytes.
///
/// It requires a text that ``AppConfiguration/PropertyListFile`` has read, in which every tag is closed and every quote
/// is paired.
struct ElementScan {
    let name: String
    /// From the `<` of the start tag to the `>` of the end tag.
    let whole: Range<Int>
    /// Between the tags; nil for `<name/>`.
    let content: Range<Int>?

    /// Finds the element whose start tag begins at an offset; nil if there is none.
    init?(in text: [UInt8], at offset: Int) {
        guard let tag = StartTag(in: text, at: offset) else { return nil }
        name = tag.name
        guard !tag.isEmpty else {
            whole = offset..<tag.end
            content = nil
            return
        }
        var index = tag.end
        var depth = 1
        while let mark = text[index...].firstIndex(of: UInt8(ascii: "<")) {
            if let end = Self.endOfMarkup(in: text, at: mark) {
                index = end
            } else if text[mark...].starts(with: "</".utf8) {
                guard let end = text[mark...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
                depth -= 1
                index = end + 1
                guard depth == 0 else { continue }
                whole = offset..<index
                content = tag.end..<mark
                return
            } else {
                guard let inner = StartTag(in: text, at: mark) else { return nil }
                if !inner.isEmpty { depth += 1 }
                index = inner.end
            }
        }
        return nil
    }

    /// Returns the end of the comment, CDATA section or processing instruction that begins at an offset; nil if there
    /// is none.
    static func endOfMarkup(in text: [UInt8], at offset: Int) -> Int? {
        for (open, close) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")]
        where text[offset...].starts(with: open.utf8) {
            let close = Array(close.utf8)
            var index = offset + open.utf8.count
            while let found = text[index...].firstIndex(of: close[0]) {
                if text[found...].starts(with: close) { return found + close.count }
                index = found + 1
            }
            return text.count
        }
        return nil
    }

    private struct StartTag {
        let name: String
        let isEmpty: Bool
        let end: Int

        init?(in text: [UInt8], at offset: Int) {
            guard offset < text.count, text[offset] == UInt8(ascii: "<") else { return nil }
            let letters = text[(offset + 1)...].prefix {
                !$0.isXMLBlank && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">")
            }
            guard let first = letters.first, first != UInt8(ascii: "!"), first != UInt8(ascii: "?") else { return nil }
            name = String(decoding: letters, as: UTF8.self)
            var quote: UInt8?
            var index = letters.endIndex
            while index < text.count {
                let byte = text[index]
                if let open = quote {
                    if byte == open { quote = nil }
                } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    quote = byte
                } else if byte == UInt8(ascii: ">") {
                    isEmpty = text[index - 1] == UInt8(ascii: "/")
                    end = index + 1
                    return
                }
                index += 1
            }
            return nil
        }
    }
}

extension UInt8 {
    /// True for the four white space characters of XML.
    var isXMLBlank: Bool { self == 0x20 || self == 0x09 || isLineEnd }

    /// True for line feed and carriage return.
    var isLineEnd: Bool { self == 0x0A || self == 0x0D }
}

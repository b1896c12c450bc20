import ExternalPurchaseCore

/// Reads XML property lists, with the line and column of each key and value.
///
/// Foundation's readers provide no columns, silently use the last of repeated keys, and expand entities that the
/// document declares. This reader keeps repeated keys and refuses such documents.
struct XMLPropertyListReader {
    private let text: [UInt8]
    private var index = 0
    private var values = 0

    // Positions are requested in ascending order, so counting from the last one needs only one pass.
    private var counted = 0
    private var line = 1
    private var column = 1

    private struct Tag {
        let name: String
        let position: SourcePosition
        let isEmpty: Bool
    }

    init(_ text: [UInt8]) {
        self.text = text
    }

    mutating func root() throws(PropertyListFault) -> PropertyListNode {
        try skipProlog()
        let plist = try openTag(expecting: "<plist>")
        guard plist.name == "plist" else {
            throw fault("the root element is <\(plist.name)>, not <plist>", at: plist.position)
        }
        guard !plist.isEmpty, let first = try nextTag(in: plist) else {
            throw fault("<plist> contains no value", at: plist.position)
        }
        let node = try value(first, depth: 1)
        if let second = try nextTag(in: plist) {
            throw fault("<plist> contains a second value, <\(second.name)>", at: second.position)
        }
        try skipMisc()
        guard index == text.count else { throw fault("there is text after </plist>", at: position(index)) }
        return node
    }

    // MARK: Values

    private mutating func value(_ tag: Tag, depth: Int) throws(PropertyListFault) -> PropertyListNode {
        guard depth <= PropertyListLimit.depth else {
            throw PropertyListFault(
                .tooLarge,
                "it nests deeper than \(PropertyListLimit.depth) levels",
                at: tag.position
            )
        }
        values += 1
        guard values <= PropertyListLimit.values else {
            throw PropertyListFault(.tooLarge, "it has more than \(PropertyListLimit.values) values", at: tag.position)
        }
        return PropertyListNode(try content(of: tag, depth: depth), at: tag.position)
    }

    private mutating func content(of tag: Tag, depth: Int) throws(PropertyListFault) -> PropertyListValue {
        switch tag.name {
        case "string": return .string(try characters(of: tag))
        case "integer": return try integer(tag)
        case "real":
            let digits = try characters(of: tag).trimmingXMLSpace
            guard let number = Double(digits) else {
                throw fault("<real> holds \"\(digits.clipped())\", which is not a number", at: tag.position)
            }
            return .real(number)
        case "true", "false":
            guard try characters(of: tag).trimmingXMLSpace.isEmpty else {
                throw fault("<\(tag.name)> must be empty", at: tag.position)
            }
            return .bool(tag.name == "true")
        case "date":
            let digits = try characters(of: tag).trimmingXMLSpace
            guard let seconds = PropertyListDate.seconds(digits) else {
                throw fault(
                    "<date> holds \"\(digits.clipped())\"; it must be written as 2026-01-31T12:00:00Z",
                    at: tag.position
                )
            }
            return .date(seconds)
        case "data":
            guard let bytes = PropertyListBase64.decode(try characters(of: tag).utf8) else {
                throw fault("<data> does not contain Base64", at: tag.position)
            }
            return .data(bytes)
        case "array": return .array(try elements(of: tag, depth: depth))
        case "dict": return .dictionary(try members(of: tag, depth: depth))
        case "key": throw fault("<key> is where a value is expected", at: tag.position)
        default: throw fault("<\(tag.name)> is not an element of property lists", at: tag.position)
        }
    }

    private mutating func integer(_ tag: Tag) throws(PropertyListFault) -> PropertyListValue {
        let digits = try characters(of: tag).trimmingXMLSpace
        let isNegative = digits.hasPrefix("-")
        let magnitude = digits.drop { $0 == "-" || $0 == "+" }
        let signs = digits.utf8.count - magnitude.utf8.count
        let isHexadecimal = magnitude.hasPrefix("0x") || magnitude.hasPrefix("0X")
        let figures = isHexadecimal ? magnitude.dropFirst(2) : magnitude
        guard signs <= 1, let first = figures.first, first != "-", first != "+",
            let number = UInt64(figures, radix: isHexadecimal ? 16 : 10)
        else {
            throw fault("<integer> holds \"\(digits.clipped())\", which is not a whole number", at: tag.position)
        }
        if isNegative, number <= UInt64(Int64.max) + 1 { return .integer(Int64(truncatingIfNeeded: 0 &- number)) }
        if !isNegative, let signed = Int64(exactly: number) { return .integer(signed) }
        guard !isNegative else {
            throw fault("<integer> holds \"\(digits.clipped())\", which is too small", at: tag.position)
        }
        // Other readers accept unsigned 64-bit integers. No relevant key has such a value.
        return .real(Double(number))
    }

    private mutating func elements(of array: Tag, depth: Int) throws(PropertyListFault) -> [PropertyListNode] {
        var elements: [PropertyListNode] = []
        guard !array.isEmpty else { return elements }
        while let tag = try nextTag(in: array) {
            elements.append(try value(tag, depth: depth + 1))
        }
        return elements
    }

    private mutating func members(of dictionary: Tag, depth: Int) throws(PropertyListFault) -> [PropertyListMember] {
        var members: [PropertyListMember] = []
        guard !dictionary.isEmpty else { return members }
        while let tag = try nextTag(in: dictionary) {
            guard tag.name == "key" else {
                throw fault("<\(tag.name)> is where a <key> is expected", at: tag.position)
            }
            let key = try characters(of: tag)
            if let reason = PropertyListLimit.refusal(ofKey: key) {
                throw PropertyListFault(.tooLarge, reason, at: tag.position)
            }
            guard let valueTag = try nextTag(in: dictionary) else {
                throw fault("the key \"\(key.clipped())\" has no value", at: tag.position)
            }
            guard valueTag.name != "key" else {
                throw fault("the key \"\(key.clipped())\" has no value: another <key> follows", at: valueTag.position)
            }
            members.append(
                PropertyListMember(
                    key: key,
                    keyPosition: tag.position,
                    node: try value(valueTag, depth: depth + 1)
                )
            )
        }
        return members
    }

    // MARK: Text

    /// Returns the text up to the end tag, with references resolved and line ends normalised by XML 1.0 section 2.11.
    private mutating func characters(of tag: Tag) throws(PropertyListFault) -> String {
        guard !tag.isEmpty else { return "" }
        var result: [UInt8] = []
        while true {
            guard index < text.count else {
                throw fault("<\(tag.name)> is not closed before the end of the file", at: tag.position)
            }
            let byte = text[index]
            if byte == UInt8(ascii: "&") {
                result += try reference().utf8
            } else if byte == UInt8(ascii: "<") {
                if starts(with: "<![CDATA[") {
                    let start = index
                    index += 9
                    guard let end = find("]]>") else { throw fault("CDATA is not closed", at: position(start)) }
                    while index < end { result.append(try character()) }
                    index = end + 3
                } else if starts(with: "<!--") || starts(with: "<?") {
                    _ = try skipCommentOrInstruction()
                } else if starts(with: "</") {
                    try closeTag(tag)
                    let characters = String(decoding: result, as: UTF8.self)
                    guard characters.isStreamSafe else {
                        throw PropertyListFault(.tooLarge, "<\(tag.name)> \(StreamSafeText.refusal)", at: tag.position)
                    }
                    return characters
                } else {
                    let inner = try openTag(expecting: "</\(tag.name)>")
                    throw fault("<\(inner.name)> stands inside <\(tag.name)>", at: inner.position)
                }
            } else if byte.isPlainText {
                let start = index
                repeat { index += 1 } while index < text.count && text[index].isPlainText
                result += text[start..<index]
            } else {
                result.append(try character())
            }
        }
    }

    private mutating func character() throws(PropertyListFault) -> UInt8 {
        let byte = text[index]
        guard byte >= 0x20 || byte.isXMLSpace else {
            throw fault("XML does not allow the control character \(byte)", at: position(index))
        }
        index += 1
        guard byte == 0x0D else { return byte }
        if index < text.count, text[index] == 0x0A { index += 1 }
        return 0x0A
    }

    private mutating func reference() throws(PropertyListFault) -> String {
        let start = index
        let name = text[(index + 1)...].prefix(12).prefix { $0 != UInt8(ascii: ";") }
        let end = index + 1 + name.count
        guard !name.isEmpty, end < text.count, text[end] == UInt8(ascii: ";"),
            name.allSatisfy({ $0 == UInt8(ascii: "#") || $0.isNameByte })
        else { throw fault("`&` is not escaped; write `&amp;`", at: position(start)) }
        index = end + 1
        let entity = String(decoding: name, as: UTF8.self)
        switch entity {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard entity.hasPrefix("#") else {
            throw fault("the entity &\(entity); is not one of the five that XML defines", at: position(start))
        }
        let isHexadecimal = entity.hasPrefix("#x")
        guard let code = UInt32(entity.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10),
            let scalar = Unicode.Scalar(code),
            code >= 0x20 || code == 0x09 || code == 0x0A || code == 0x0D, code != 0xFFFE, code != 0xFFFF
        else { throw fault("&\(entity); is not a character of XML", at: position(start)) }
        return String(Character(scalar))
    }

    // MARK: Tags

    /// Returns the next start tag in an element, or nil after reading its end tag.
    private mutating func nextTag(in parent: Tag) throws(PropertyListFault) -> Tag? {
        try skipMisc()
        guard index < text.count else {
            throw fault("<\(parent.name)> is not closed before the end of the file", at: parent.position)
        }
        if starts(with: "</") {
            try closeTag(parent)
            return nil
        }
        guard text[index] == UInt8(ascii: "<") else {
            throw fault("there is text directly inside <\(parent.name)>", at: position(index))
        }
        if starts(with: "<![CDATA[") {
            throw fault("there is CDATA directly inside <\(parent.name)>", at: position(index))
        }
        return try openTag(expecting: "</\(parent.name)>")
    }

    private mutating func openTag(expecting expected: String) throws(PropertyListFault) -> Tag {
        let start = position(index)
        guard index < text.count else { throw fault("the file ends where \(expected) belongs", at: start) }
        guard text[index] == UInt8(ascii: "<") else { throw fault("\(expected) belongs here", at: start) }
        index += 1
        let name = try name(at: start)
        while true {
            let hadSpace = skipSpace()
            guard index < text.count else { throw fault("the tag <\(name) is not closed by >", at: start) }
            if text[index] == UInt8(ascii: ">") {
                index += 1
                return Tag(name: name, position: start, isEmpty: false)
            }
            if starts(with: "/>") {
                index += 2
                return Tag(name: name, position: start, isEmpty: true)
            }
            guard hadSpace else { throw fault("the tag <\(name) is malformed", at: start) }
            try skipAttribute(of: name, at: start)
        }
    }

    private mutating func skipAttribute(of tag: String, at start: SourcePosition) throws(PropertyListFault) {
        let attribute = try name(at: start)
        skipSpace()
        guard index < text.count, text[index] == UInt8(ascii: "=") else {
            throw fault("the attribute \(attribute) of <\(tag)> has no value", at: start)
        }
        index += 1
        skipSpace()
        guard index < text.count, text[index] == UInt8(ascii: "\"") || text[index] == UInt8(ascii: "'") else {
            throw fault("the attribute \(attribute) of <\(tag)> is not quoted", at: start)
        }
        let quote = text[index]
        guard let end = text[(index + 1)...].firstIndex(where: { $0 == quote || $0 == UInt8(ascii: "<") }),
            text[end] == quote
        else { throw fault("the attribute \(attribute) of <\(tag)> is not closed", at: start) }
        index = end + 1
    }

    private mutating func closeTag(_ tag: Tag) throws(PropertyListFault) {
        let start = position(index)
        index += 2
        let name = try name(at: start)
        skipSpace()
        guard index < text.count, text[index] == UInt8(ascii: ">") else {
            throw fault("the tag </\(name) is not closed by >", at: start)
        }
        guard name == tag.name else {
            throw fault(
                "</\(name)> is where </\(tag.name)> is expected, for <\(tag.name)> of line \(tag.position.line)",
                at: start
            )
        }
        index += 1
    }

    private mutating func name(at start: SourcePosition) throws(PropertyListFault) -> String {
        var end = index
        while end < text.count, text[end].isNameByte { end += 1 }
        let bytes = text[index..<end]
        guard !bytes.isEmpty else { throw fault("a tag has no name; write `&lt;` for a plain `<`", at: start) }
        index = end
        // Unknown names appear in messages, so they are shortened.
        return String(decoding: bytes.prefix(64), as: UTF8.self)
    }

    // MARK: Between tags

    private mutating func skipProlog() throws(PropertyListFault) {
        skipSpace()
        if starts(with: "<?xml") { try checkDeclaration() }
        try skipMisc()
        guard starts(with: "<!DOCTYPE") else { return }
        let start = position(index)
        var quote: UInt8?
        while index < text.count {
            let byte = text[index]
            index += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "[") {
                throw fault("its document type declares entities or elements of its own", at: start)
            } else if byte == UInt8(ascii: ">") {
                return try skipMisc()
            }
        }
        throw fault("the document type is not closed", at: start)
    }

    private func checkDeclaration() throws(PropertyListFault) {
        let start = SourcePosition(line: 1, column: 1)
        guard let end = find("?>") else { throw fault("the XML declaration is not closed", at: start) }
        guard end - index <= 1_024 else { throw fault("the XML declaration has more than 1024 bytes", at: start) }
        let declaration = String(decoding: text[index..<end], as: UTF8.self)
        guard let mark = declaration.utf8.firstIndex(sequence: "encoding") else { return }
        let quotes: [Character] = ["\"", "'"]
        let named = declaration[mark...].drop { !quotes.contains($0) }.dropFirst()
        let encoding = named.prefix { !quotes.contains($0) }
        // ASCII text is the same in all 8-bit encodings that occur.
        let isKnown = ["utf-8", "utf8", "us-ascii", "ascii", "utf-16"].contains(encoding.lowercased())
        guard isKnown || text.allSatisfy({ $0 < 0x80 }) else {
            throw fault("its encoding is \(encoding.clipped()); save it as UTF-8", at: start)
        }
    }

    /// Skips white space, comments and processing instructions.
    private mutating func skipMisc() throws(PropertyListFault) {
        repeat { skipSpace() } while try skipCommentOrInstruction()
    }

    private mutating func skipCommentOrInstruction() throws(PropertyListFault) -> Bool {
        let isComment = starts(with: "<!--")
        guard isComment || starts(with: "<?") else { return false }
        let start = index
        index += isComment ? 4 : 2
        guard let end = find(isComment ? "-->" : "?>") else {
            throw fault(isComment ? "a comment is not closed" : "<? is not closed by ?>", at: position(start))
        }
        index = end + (isComment ? 3 : 2)
        return true
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = index
        while index < text.count, text[index].isXMLSpace { index += 1 }
        return index > start
    }

    private func starts(with marker: StaticString) -> Bool {
        let count = marker.utf8CodeUnitCount
        guard text.count - index >= count else { return false }
        for offset in 0..<count where text[index + offset] != marker.utf8Start[offset] { return false }
        return true
    }

    private func find(_ marker: String) -> Int? {
        text[index...].firstIndex(sequence: marker)
    }

    // MARK: Places

    private mutating func position(_ target: Int) -> SourcePosition {
        while counted < target {
            let byte = text[counted]
            counted += 1
            if byte == 0x0A || byte == 0x0D && (counted == text.count || text[counted] != 0x0A) {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80, byte != 0x0D {
                column += 1
            }
        }
        return SourcePosition(line: line, column: column)
    }

    private func fault(_ reason: String, at position: SourcePosition) -> PropertyListFault {
        PropertyListFault(.notPropertyList, reason, at: position)
    }
}

extension UInt8 {
    /// True for bytes that are literal text.
    ///
    /// References, tags, CR and control characters are not.
    fileprivate var isPlainText: Bool {
        switch self {
        case UInt8(ascii: "&"), UInt8(ascii: "<"): false
        case 0x09, 0x0A: true
        default: self >= 0x20
        }
    }

    /// True for bytes in names of elements, attributes and entities.
    fileprivate var isNameByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: ":"), 0x80...0xFF:
            true
        default: false
        }
    }
}

extension String {
    fileprivate var trimmingXMLSpace: String {
        let start = utf8.drop { $0.isXMLSpace }
        let end = start.lastIndex { !$0.isXMLSpace }
        return end.map { String(Substring(start[...$0])) } ?? ""
    }
}

extension Collection where Element == UInt8 {
    fileprivate func firstIndex(sequence marker: String) -> Index? {
        let first = marker.utf8.first
        var start = startIndex
        while let found = self[start...].firstIndex(where: { $0 == first }) {
            if self[found...].starts(with: marker.utf8) { return found }
            start = index(after: found)
        }
        return nil
    }
}

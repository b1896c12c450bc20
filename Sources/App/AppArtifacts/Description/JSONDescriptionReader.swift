import AppConfiguration
import ExternalPurchaseCore

/// Reads the JSON of an app description with the position of each entry.
///
/// Expo reads `app.json` as JSON5, so comments, trailing commas, single quotes and names without quotes are accepted.
/// `null` counts as absent.
struct JSONDescriptionReader {
    private let text: [UInt8]
    private var index = 0
    private var values = 0

    // Positions are requested in ascending order, so counting from the last one needs only one pass.
    private var counted = 0
    private var line = 1
    private var column = 1

    private init(_ text: [UInt8]) {
        self.text = text
    }

    /// Returns the root value.
    ///
    /// - Parameter bytes: UTF-8, with or without byte order mark.
    static func root(_ bytes: [UInt8]) throws(DescriptionFault) -> PropertyListNode {
        guard bytes.count <= DescriptionLimit.bytes else {
            throw DescriptionFault("it has more than \(DescriptionLimit.bytes / 1_048_576) MiB", at: nil)
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw DescriptionFault("it is not UTF-8", at: nil)
        }
        var reader = JSONDescriptionReader(bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            reader.index = 3
            reader.counted = 3
        }
        guard let value = try reader.value(depth: 1) else {
            throw DescriptionFault("its root is null", at: SourcePosition(line: 1, column: 1))
        }
        try reader.skipBlank()
        guard reader.index == bytes.count else { throw reader.fault("there is text after the root value") }
        return value
    }

    // MARK: Values

    /// Reads a value; nil for `null`.
    private mutating func value(depth: Int) throws(DescriptionFault) -> PropertyListNode? {
        try skipBlank()
        let position = position()
        values += 1
        guard values <= DescriptionLimit.values else {
            throw DescriptionFault("it has more than \(DescriptionLimit.values) values", at: position)
        }
        guard depth <= DescriptionLimit.depth else {
            throw DescriptionFault("it is nested deeper than \(DescriptionLimit.depth) levels", at: position)
        }
        guard let byte = peek else { throw fault("it ends where a value belongs") }
        switch byte {
        case UInt8(ascii: "{"): return PropertyListNode(.dictionary(try members(depth: depth)), at: position)
        case UInt8(ascii: "["): return PropertyListNode(.array(try elements(depth: depth)), at: position)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return PropertyListNode(.string(try string()), at: position)
        default:
            let word = word()
            switch word {
            case "true": return PropertyListNode(.bool(true), at: position)
            case "false": return PropertyListNode(.bool(false), at: position)
            case "null": return nil
            default:
                if let number = Int64(word) { return PropertyListNode(.integer(number), at: position) }
                if let number = Double(word) { return PropertyListNode(.real(number), at: position) }
                throw DescriptionFault("a value belongs here", at: position)
            }
        }
    }

    private mutating func members(depth: Int) throws(DescriptionFault) -> [PropertyListMember] {
        var members: [PropertyListMember] = []
        index += 1
        while true {
            try skipBlank()
            guard let byte = peek else { throw fault("it ends inside an object") }
            if byte == UInt8(ascii: "}") {
                index += 1
                return members
            }
            let position = position()
            let isQuoted = byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
            let key = isQuoted ? try string() : word()
            guard isQuoted || !key.isEmpty else {
                throw DescriptionFault("a name in quotes belongs here", at: position)
            }
            if let reason = DescriptionLimit.refusal(ofKey: key) { throw DescriptionFault(reason, at: position) }
            try skipBlank()
            guard peek == UInt8(ascii: ":") else { throw fault("a colon belongs here") }
            index += 1
            if let node = try value(depth: depth + 1) {
                members.append(PropertyListMember(key: key, keyPosition: position, node: node))
            }
            try skipComma(before: UInt8(ascii: "}"))
        }
    }

    private mutating func elements(depth: Int) throws(DescriptionFault) -> [PropertyListNode] {
        var elements: [PropertyListNode] = []
        index += 1
        while true {
            try skipBlank()
            guard let byte = peek else { throw fault("it ends inside an array") }
            if byte == UInt8(ascii: "]") {
                index += 1
                return elements
            }
            if let node = try value(depth: depth + 1) { elements.append(node) }
            try skipComma(before: UInt8(ascii: "]"))
        }
    }

    private mutating func skipComma(before end: UInt8) throws(DescriptionFault) {
        try skipBlank()
        if peek == UInt8(ascii: ",") {
            index += 1
        } else if peek != end {
            let mark = String(UnicodeScalar(end))
            throw fault(peek == nil ? "it ends where a comma or \(mark) belongs" : "a comma or \(mark) belongs here")
        }
    }

    // MARK: Words and strings

    private var peek: UInt8? { index < text.count ? text[index] : nil }

    /// Reads letters, digits and the signs of numbers and names; empty at any other character.
    private mutating func word() -> String {
        let start = index
        while let byte = peek, Self.isWord(byte) { index += 1 }
        return String(decoding: text[start..<index], as: UTF8.self)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private mutating func string() throws(DescriptionFault) -> String {
        let position = position()
        let quote = text[index]
        index += 1
        var bytes: [UInt8] = []
        while true {
            guard let byte = peek, byte != 0x0A else { throw DescriptionFault("a string does not end", at: position) }
            index += 1
            if byte == quote { break }
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard let kind = peek else { throw DescriptionFault("a string does not end", at: position) }
            index += 1
            switch kind {
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0C)
            case UInt8(ascii: "u"): bytes += Array(String(try escapedScalar(position)).utf8)
            case 0x0A: break
            default: bytes.append(kind)
            }
        }
        let string = String(decoding: bytes, as: UTF8.self)
        guard string.isStreamSafe else { throw DescriptionFault("a string \(StreamSafeText.refusal)", at: position) }
        return string
    }

    /// Reads the digits of `\u` and those of a second surrogate.
    private mutating func escapedScalar(_ position: SourcePosition) throws(DescriptionFault) -> Unicode.Scalar {
        guard let high = hexadecimal() else { throw DescriptionFault("four digits belong after \\u", at: position) }
        if let scalar = Unicode.Scalar(high) { return scalar }
        let isPair = index + 1 < text.count && text[index] == UInt8(ascii: "\\") && text[index + 1] == UInt8(ascii: "u")
        if isPair {
            index += 2
            if let low = hexadecimal(), (0xDC00..<0xE000).contains(low), high < 0xDC00 {
                return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
            }
        }
        throw DescriptionFault("\\u does not name a character", at: position)
    }

    private mutating func hexadecimal() -> UInt32? {
        guard index + 4 <= text.count else { return nil }
        let digits = text[index..<(index + 4)]
        guard digits.allSatisfy({ UnicodeScalar($0).properties.isASCIIHexDigit }) else { return nil }
        index += 4
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private mutating func skipBlank() throws(DescriptionFault) {
        while let byte = peek {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            case UInt8(ascii: "/"):
                let next = index + 1 < text.count ? text[index + 1] : 0
                if next == UInt8(ascii: "/") {
                    while let byte = peek, byte != 0x0A { _ = byte; index += 1 }
                } else if next == UInt8(ascii: "*") {
                    let position = position()
                    index += 2
                    while index + 1 < text.count,
                        text[index] != UInt8(ascii: "*") || text[index + 1] != UInt8(ascii: "/")
                    {
                        index += 1
                    }
                    guard index + 1 < text.count else { throw DescriptionFault("a comment does not end", at: position) }
                    index += 2
                } else {
                    throw fault("a value belongs here")
                }
            default: return
            }
        }
    }

    // MARK: Positions

    private mutating func fault(_ reason: String) -> DescriptionFault { DescriptionFault(reason, at: position()) }

    private mutating func position() -> SourcePosition {
        while counted < index {
            let byte = text[counted]
            counted += 1
            if byte == 0x0A {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return SourcePosition(line: line, column: column)
    }
}

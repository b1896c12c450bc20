/// Reads untrusted JSON strictly by RFC 8259, with a limited depth, numbers as text, and in linear time.
///
/// The reader refuses lone surrogate escapes, trailing text and control characters in strings, names of more than
/// ``maximumNameBytes`` bytes, and more combining characters in a row than Unicode's Stream-Safe Text Format allows. It
/// keeps repeated keys, because other readers disagree about which one counts; the caller decides what to do with them
/// (TK-21).
public struct JSONReader: Sendable {
    /// The largest size of a member's name in bytes of UTF-8.
    public static let maximumNameBytes = 512

    /// The deepest nesting that is accepted.
    ///
    /// The outermost array or object has depth 1.
    public var maximumDepth: Int

    /// True if too many combining characters in a row are interrupted by U+034F, as UAX #15 describes, and not
    /// refused: for messages that must not get lost because of a text in them.
    package var interruptsRuns = false

    /// Creates a reader.
    public init(maximumDepth: Int = 64) {
        self.maximumDepth = maximumDepth
    }

    /// Reads a text that consists of one JSON value.
    ///
    /// - Parameter bytes: the text in UTF-8, without byte order mark.
    /// - Throws: ``JSONReadError`` for the first error in the text.
    public func read(_ bytes: [UInt8]) throws(JSONReadError) -> JSONValue {
        // ASCII, which most texts are, is found without a copy.
        guard bytes.allSatisfy({ $0 < 0x80 }) || String(wellFormed: bytes) != nil else { throw .notUTF8 }
        var scan = Scan(bytes: bytes, maximumDepth: maximumDepth, interruptsRuns: interruptsRuns)
        scan.skipBlanks()
        let value = try scan.value(depth: 0)
        scan.skipBlanks()
        guard scan.position == bytes.count else { throw scan.fault("the end of the text") }
        return value
    }

    /// Reads a text that consists of one JSON value.
    ///
    /// - Parameter text: the text.
    /// - Throws: ``JSONReadError`` for the first error in the text.
    public func read(_ text: String) throws(JSONReadError) -> JSONValue {
        try read(Array(text.utf8))
    }
}

private struct Scan {
    let bytes: [UInt8]
    let maximumDepth: Int
    let interruptsRuns: Bool
    var position = 0

    init(bytes: [UInt8], maximumDepth: Int, interruptsRuns: Bool) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        self.interruptsRuns = interruptsRuns
    }

    /// An error at the current position, where something else is expected.
    func fault(_ expected: String) -> JSONReadError { .notJSON(offset: position, expected: expected) }

    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    mutating func value(depth: Int) throws(JSONReadError) -> JSONValue {
        guard let byte = next else { throw fault("a value") }
        switch byte {
        case UInt8(ascii: "{"):
            return try .object(object(depth: depth + 1))
        case UInt8(ascii: "["):
            return try .array(array(depth: depth + 1))
        case UInt8(ascii: "\""):
            return try .string(string())
        case UInt8(ascii: "t"):
            try literal("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try literal("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try literal("null")
            return .null
        default:
            return try .number(number())
        }
    }

    mutating func literal(_ word: StaticString) throws(JSONReadError) {
        for index in 0..<word.utf8CodeUnitCount {
            guard next == word.utf8Start[index] else { throw fault("\(word)") }
            position += 1
        }
    }

    mutating func object(depth: Int) throws(JSONReadError) -> JSONObject {
        guard depth <= maximumDepth else { throw .tooDeep(offset: position) }
        position += 1
        var members: [JSONObject.Member] = []
        skipBlanks()
        if next == UInt8(ascii: "}") {
            position += 1
            return JSONObject()
        }
        while true {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else {
                throw fault(members.isEmpty ? "a member's name in quotes, or }" : "a member's name in quotes")
            }
            let start = position
            let key = try string()
            guard key.utf8.count <= JSONReader.maximumNameBytes else { throw .nameTooLong(offset: start) }
            skipBlanks()
            guard next == UInt8(ascii: ":") else { throw fault(": after the member's name") }
            position += 1
            skipBlanks()
            members.append(JSONObject.Member(key, try value(depth: depth)))
            skipBlanks()
            switch next {
            case UInt8(ascii: ","):
                position += 1
            case UInt8(ascii: "}"):
                position += 1
                return JSONObject(members)
            default:
                throw fault("a comma or }")
            }
        }
    }

    mutating func array(depth: Int) throws(JSONReadError) -> [JSONValue] {
        guard depth <= maximumDepth else { throw .tooDeep(offset: position) }
        position += 1
        var elements: [JSONValue] = []
        skipBlanks()
        if next == UInt8(ascii: "]") {
            position += 1
            return []
        }
        while true {
            skipBlanks()
            elements.append(try value(depth: depth))
            skipBlanks()
            switch next {
            case UInt8(ascii: ","):
                position += 1
            case UInt8(ascii: "]"):
                position += 1
                return elements
            default:
                throw fault("a comma or ]")
            }
        }
    }

    mutating func digits() throws(JSONReadError) {
        guard let first = next, isDigit(first) else { throw fault("a digit") }
        while let byte = next, isDigit(byte) { position += 1 }
    }

    mutating func number() throws(JSONReadError) -> JSONNumber {
        let start = position
        if next == UInt8(ascii: "-") {
            position += 1
        } else if next.map(isDigit) != true {
            throw fault("a value")
        }
        if next == UInt8(ascii: "0") {
            position += 1
        } else {
            try digits()
        }
        if next == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        return JSONNumber(unchecked: String(decoding: bytes[start..<position], as: UTF8.self))
    }

    mutating func string() throws(JSONReadError) -> String {
        let opening = position
        position += 1
        // `content` holds the bytes up to the last escape; `start` is where the unescaped run after it begins.
        var content: [UInt8] = []
        var start = position
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                let rest = bytes[start..<position]
                position += 1
                let text =
                    content.isEmpty
                    ? String(decoding: rest, as: UTF8.self) : String(decoding: content + rest, as: UTF8.self)
                if text.isStreamSafe { return text }
                guard interruptsRuns else { throw .tooManyCombining(offset: opening) }
                return text.streamSafe
            case UInt8(ascii: "\\"):
                content += bytes[start..<position]
                let scalar = try escape()
                content.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                start = position
            case 0..<0x20:
                throw fault("an escape such as \\n instead of the control character, or the closing quote")
            default:
                position += 1
            }
        }
        throw fault("the closing quote of the text")
    }

    mutating func escape() throws(JSONReadError) -> Unicode.Scalar {
        let start = position
        position += 1
        guard let byte = next else { throw fault("an escape") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default:
            position -= 1
            throw fault(#"an escape: \", \\, \/, \b, \f, \n, \r, \t or \u with four digits"#)
        }
        let unit = try hexUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, next == UInt8(ascii: "\\"), position + 1 < bytes.count,
            bytes[position + 1] == UInt8(ascii: "u")
        else { throw .notJSON(offset: start, expected: Self.surrogates) }
        position += 2
        let low = try hexUnit()
        guard (0xDC00...0xDFFF).contains(low) else { throw .notJSON(offset: start, expected: Self.surrogates) }
        let code = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00)
        guard let scalar = Unicode.Scalar(code) else { throw .notJSON(offset: start, expected: Self.surrogates) }
        return scalar
    }

    static let surrogates = "an escape of a character, or of both halves of a surrogate pair"

    mutating func hexUnit() throws(JSONReadError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw fault("a hexadecimal digit")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
}

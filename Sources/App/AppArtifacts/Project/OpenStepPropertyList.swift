import AppConfiguration
import ExternalPurchaseCore

/// A value of an old-style property list, as in `project.pbxproj` and `.strings` files.
indirect enum OpenStepValue: Hashable, Sendable {
    case string(String)
    case array([OpenStepValue])
    case dictionary([OpenStepMember])
    /// Bytes in angle brackets, which no setting contains.
    case data

    /// The members of a dictionary; empty for another value.
    var members: [OpenStepMember] {
        guard case .dictionary(let members) = self else { return [] }
        return members
    }

    /// The text of a string; nil for another value.
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The texts of an array of strings; empty for another value.
    var texts: [String] {
        guard case .array(let elements) = self else { return [] }
        return elements.compactMap(\.text)
    }

    /// The value of a key; the last one when it is repeated.
    subscript(_ key: String) -> OpenStepValue? {
        members.last { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }
}

/// A key of a dictionary with its position and value.
struct OpenStepMember: Hashable, Sendable {
    let key: String
    let position: SourcePosition
    let value: OpenStepValue
}

/// Reads old-style property lists with limits of nesting and number of values.
struct OpenStepPropertyList {
    /// An error in the text, with its position.
    struct Fault: Error, Hashable {
        let reason: String
        let position: SourcePosition
        var isLimit = false
    }

    static let depthLimit = 64
    static let valueLimit = 1_000_000

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

    /// Returns the root value of a file such as `project.pbxproj`.
    ///
    /// - Parameter bytes: UTF-8, with or without byte order mark.
    static func value(_ bytes: [UInt8]) throws(Fault) -> OpenStepValue {
        var reader = OpenStepPropertyList(bytes)
        reader.skipMark()
        let value = try reader.value(depth: 1)
        try reader.skipBlank()
        guard reader.index == bytes.count else { throw reader.fault("there is text after the root value") }
        return value
    }

    /// Returns the members of a `.strings` file, which is a dictionary without braces.
    ///
    /// - Parameter bytes: UTF-8, with or without byte order mark.
    static func strings(_ bytes: [UInt8]) throws(Fault) -> [OpenStepMember] {
        var reader = OpenStepPropertyList(bytes)
        reader.skipMark()
        return try reader.members(until: nil, depth: 1)
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(Fault) -> OpenStepValue {
        try skipBlank()
        values += 1
        guard depth <= Self.depthLimit else {
            throw fault("it nests deeper than \(Self.depthLimit) levels", isLimit: true)
        }
        guard values <= Self.valueLimit else {
            throw fault("it has more than \(Self.valueLimit) values", isLimit: true)
        }
        switch peek {
        case UInt8(ascii: "{"):
            index += 1
            return .dictionary(try members(until: UInt8(ascii: "}"), depth: depth))
        case UInt8(ascii: "("):
            index += 1
            return .array(try elements(depth: depth))
        case UInt8(ascii: "<"):
            index += 1
            while let byte = peek, byte != UInt8(ascii: ">") { index += 1 }
            guard peek != nil else { throw fault("the bytes after < have no end") }
            index += 1
            return .data
        default: return .string(try string())
        }
    }

    private mutating func members(until end: UInt8?, depth: Int) throws(Fault) -> [OpenStepMember] {
        var members: [OpenStepMember] = []
        while true {
            try skipBlank()
            if peek == end {
                if end != nil { index += 1 }
                return members
            }
            let position = position()
            let key = try string()
            try skipBlank()
            var value = OpenStepValue.string(key)
            if peek == UInt8(ascii: "=") {
                index += 1
                value = try self.value(depth: depth + 1)
            } else {
                // In `.strings` files a key without a value is its own value.
                guard end == nil else { throw fault("= is missing after the key \(key.clipped())") }
            }
            members.append(OpenStepMember(key: key, position: position, value: value))
            try skipBlank()
            if peek == UInt8(ascii: ";") {
                index += 1
            } else {
                guard peek == end else { throw fault("; is missing after the value of \(key.clipped())") }
            }
        }
    }

    private mutating func elements(depth: Int) throws(Fault) -> [OpenStepValue] {
        var elements: [OpenStepValue] = []
        while true {
            try skipBlank()
            if peek == UInt8(ascii: ")") {
                index += 1
                return elements
            }
            elements.append(try value(depth: depth + 1))
            try skipBlank()
            if peek == UInt8(ascii: ",") {
                index += 1
            } else {
                guard peek == UInt8(ascii: ")") else { throw fault("an array has no end") }
            }
        }
    }

    private mutating func string() throws(Fault) -> String {
        guard let first = peek else { throw fault("it ends where a value should be") }
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") { return try quoted(first) }
        let start = index
        while let byte = peek, byte.isOpenStepBare { index += 1 }
        guard index > start else {
            throw fault("\"\(Character(Unicode.Scalar(first)))\" is where a value should be")
        }
        return try streamSafe(text[start..<index])
    }

    private mutating func streamSafe(_ bytes: some Collection<UInt8>) throws(Fault) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.isStreamSafe else { throw fault("a text \(StreamSafeText.refusal)", isLimit: true) }
        return text
    }

    private mutating func quoted(_ quote: UInt8) throws(Fault) -> String {
        let opening = position()
        index += 1
        var bytes: [UInt8] = []
        while let byte = peek {
            index += 1
            if byte == quote { return try streamSafe(bytes) }
            if byte == UInt8(ascii: "\\") {
                bytes += escape()
            } else {
                bytes.append(byte)
            }
        }
        throw Fault(reason: "a string has no end", position: opening)
    }

    private mutating func escape() -> [UInt8] {
        guard let byte = peek else { return [] }
        index += 1
        switch byte {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "U"), UInt8(ascii: "u"):
            let digits = text[index...].prefix(4)
            guard digits.count == 4, let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
                let scalar = Unicode.Scalar(code)
            else { return [byte] }
            index += 4
            return Array(String(scalar).utf8)
        default: return [byte]
        }
    }

    // MARK: Bytes

    private var peek: UInt8? { index < text.count ? text[index] : nil }

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

    private mutating func skipMark() {
        guard text.starts(with: [0xEF, 0xBB, 0xBF]) else { return }
        index = 3
        counted = 3
    }

    private mutating func skipBlank() throws(Fault) {
        while let byte = peek {
            if byte.isBlank {
                index += 1
            } else if byte == UInt8(ascii: "/"), index + 1 < text.count, text[index + 1] == UInt8(ascii: "/") {
                while let byte = peek, byte != 0x0A { index += 1 }
            } else if byte == UInt8(ascii: "/"), index + 1 < text.count, text[index + 1] == UInt8(ascii: "*") {
                try skipComment()
            } else {
                return
            }
        }
    }

    private mutating func skipComment() throws(Fault) {
        let opening = position()
        index += 2
        while let byte = peek {
            index += 1
            if byte == UInt8(ascii: "*"), peek == UInt8(ascii: "/") {
                index += 1
                return
            }
        }
        throw Fault(reason: "a comment has no end", position: opening)
    }

    private mutating func fault(_ reason: String, isLimit: Bool = false) -> Fault {
        Fault(reason: reason, position: position(), isLimit: isLimit)
    }
}

extension UInt8 {
    /// True for the characters of an unquoted string.
    fileprivate var isOpenStepBare: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "."),
            UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "@"), UInt8(ascii: "~"):
            true
        default: self >= 0x80
        }
    }

    /// True for blank, tab and line ends.
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

/// Why a text cannot be read as JSON.
public enum JSONReadError: Error, Hashable, Sendable {
    /// The bytes are not valid UTF-8.
    case notUTF8
    /// The text violates RFC 8259 at this byte offset, where something else is expected, such as `a comma or }`.
    case notJSON(offset: Int, expected: String)
    /// Arrays and objects are nested deeper than the limit.
    case tooDeep(offset: Int)
    /// A member's name has more than ``JSONReader/maximumNameBytes`` bytes.
    case nameTooLong(offset: Int)
    /// A text has more combining characters in a row than Unicode's Stream-Safe Text Format allows.
    case tooManyCombining(offset: Int)

    /// The byte of the text at which the error is; nil if the text is not UTF-8.
    public var offset: Int? {
        switch self {
        case .notUTF8: nil
        case .notJSON(let offset, _), .tooDeep(let offset), .nameTooLong(let offset), .tooManyCombining(let offset):
            offset
        }
    }

    /// What is wrong with a text and where, in words that follow its name.
    ///
    /// - Parameter bytes: the text that was read, for line and column; without it the place is a number of bytes.
    package func message(in bytes: [UInt8]? = nil) -> String {
        let place = offset.map { offset in bytes.map { Self.place(offset, in: $0) } ?? "byte \(offset)" } ?? ""
        return switch self {
        case .notUTF8: "is not UTF-8"
        case .notJSON(let offset, let expected):
            "is not JSON at \(place): \(expected) is expected"
                + (bytes.map { offset >= $0.count } == true ? ", but the text ends" : "")
        case .tooDeep: "is nested too deep at \(place)"
        case .nameTooLong: "has a name of more than \(JSONReader.maximumNameBytes) bytes at \(place)"
        case .tooManyCombining: "has at \(place) a text that \(StreamSafeText.refusal)"
        }
    }

    /// Line and column of a byte, both from 1; columns are counted in characters of Unicode.
    private static func place(_ offset: Int, in bytes: [UInt8]) -> String {
        let before = bytes[..<min(offset, bytes.count)]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? before.startIndex
        // Continuation bytes of UTF-8 do not begin a character.
        let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
        return "line \(line), column \(column)"
    }
}

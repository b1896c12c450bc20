/// The UUID of a report.
///
/// It keeps its original spelling and is compared without case.
public struct RequestIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The UUID in its original spelling.
    public let text: String

    /// Creates an identifier from 8-4-4-4-12 hexadecimal digits of any UUID version (spec/04 section 4); nil for any
    /// other text.
    ///
    /// - Parameter text: the UUID.
    public init?(_ text: String) {
        guard text.isUUID else { return nil }
        self.text = text
    }

    /// Creates an identifier from a UUID, spelled in lower case.
    ///
    /// - Parameter uuid: the UUID.
    public init(_ uuid: UUID) {
        text = uuid.uuidString.lowercased()
    }

    /// The lower-case spelling, which is the same for equal identifiers.
    public var key: String { text.lowercased() }

    /// The UUID in its original spelling.
    public var description: String { text }

    /// Compares without case.
    public static func == (left: Self, right: Self) -> Bool { left.key == right.key }

    /// Hashes ``key``, which `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension StringProtocol {
    /// True for 8-4-4-4-12 hexadecimal digits in either case.
    package var isUUID: Bool {
        let bytes = Array(utf8)
        guard bytes.count == 36 else { return false }
        return bytes.indices.allSatisfy { index in
            [8, 13, 18, 23].contains(index) ? bytes[index] == UInt8(ascii: "-") : bytes[index].isHexDigit
        }
    }
}

extension UInt8 {
    package var isHexDigit: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
            || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(self)
    }

    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    package var isASCIILetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
    }
}

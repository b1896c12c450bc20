#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The UUID of a report, kept as it was spelled and compared without case.
public struct RequestIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The UUID as it was spelled.
    public let text: String

    /// Takes 8-4-4-4-12 hexadecimal digits of any version (spec/04 section 4), nil for anything else.
    ///
    /// - Parameter text: the UUID.
    public init?(_ text: String) {
        guard text.isUUID else { return nil }
        self.text = text
    }

    /// Takes a UUID, spelled in lower case.
    ///
    /// - Parameter uuid: the UUID.
    public init(_ uuid: UUID) {
        text = uuid.uuidString.lowercased()
    }

    /// The spelling that equal identifiers share.
    public var key: String { text.lowercased() }

    /// The UUID as it was spelled.
    public var description: String { text }

    /// Compares without case.
    public static func == (left: Self, right: Self) -> Bool { left.key == right.key }

    /// Hashes in agreement with `==`.
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

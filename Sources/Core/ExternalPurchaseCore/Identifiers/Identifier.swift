/// An opaque text that names something, compared by Unicode scalars without folding or normalising (SA-45).
///
/// `String` itself treats canonically equivalent texts as equal, which would let two different ids meet.
public protocol Identifier: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible,
    ExpressibleByStringLiteral
where RawValue == String {
    /// Takes any text: an identifier from outside is kept as it came.
    init(rawValue: String)
}

extension Identifier {
    /// Takes any text.
    public init(_ text: String) {
        self.init(rawValue: text)
    }

    /// Takes a literal.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }

    /// The text.
    public var description: String { rawValue }

    /// Compares by Unicode scalars.
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.hasSameScalars(as: right.rawValue)
    }

    /// Orders by Unicode scalars, which is the order of the UTF-8 bytes.
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }

    /// Hashes the UTF-8 bytes, which `==` compares.
    ///
    /// `String` hashes what canonically equivalent texts have in common: a sender of ids that are equivalent and not
    /// equal would put all of them into one bucket of every table.
    public func hash(into hasher: inout Hasher) {
        var text = rawValue
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No byte of UTF-8: ids that are hashed one behind the other stay apart.
        hasher.combine(0xFF as UInt8)
    }
}

extension String {
    /// True when both texts consist of the same scalars, which `==` does not ask.
    package func hasSameScalars(as other: String) -> Bool {
        guard utf8.count == other.utf8.count, self == other else { return false }
        // Equivalent to an ASCII text and no longer than it is only that text itself.
        return utf16.count == utf8.count || utf8.elementsEqual(other.utf8)
    }

    /// True when every scalar is ASCII, where `String`'s equality is that of the bytes.
    package var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}

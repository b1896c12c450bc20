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

    /// Hashes the text as `String` does: canonically equivalent texts share a hash and are told apart by `==`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rawValue)
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

/// An opaque text that names something.
///
/// Identifiers are compared by Unicode scalars without folding or normalisation (SA-45).
///
/// `String` treats canonically equivalent texts as equal, so two different ids could be mistaken for each other.
public protocol Identifier: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible,
    ExpressibleByStringLiteral
where RawValue == String {
    /// Creates an identifier from any text.
    ///
    /// Text from outside is stored unchanged.
    init(rawValue: String)
}

extension Identifier {
    /// Creates an identifier from any text.
    public init(_ text: String) {
        self.init(rawValue: text)
    }

    /// Creates an identifier from a string literal.
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
    /// `String` gives canonically equivalent texts the same hash. A sender of ids that are equivalent but not equal
    /// could therefore put all of them into one bucket of every hash table.
    public func hash(into hasher: inout Hasher) {
        var text = rawValue
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // 0xFF never occurs in UTF-8, so it separates ids that are hashed one after another.
        hasher.combine(0xFF as UInt8)
    }
}

extension String {
    /// True when both texts consist of the same scalars.
    ///
    /// `==` compares by canonical equivalence instead.
    package func hasSameScalars(as other: String) -> Bool {
        guard utf8.count == other.utf8.count, self == other else { return false }
        // Two equal texts of the same length in bytes are identical when one of them is ASCII.
        return utf16.count == utf8.count || utf8.elementsEqual(other.utf8)
    }

    /// True when every scalar is ASCII.
    ///
    /// For such texts `String`'s equality compares bytes.
    package var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}

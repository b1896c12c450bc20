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
        hasher.combine(scalarsOf: rawValue)
    }
}

extension Hasher {
    /// Adds the bytes of a text, which `hasSameScalars(as:)` compares.
    package mutating func combine(scalarsOf text: String) {
        var text = text
        text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
        // 0xFF never occurs in UTF-8, so it separates texts that are hashed one after another.
        combine(0xFF as UInt8)
    }
}

extension StringProtocol {
    /// True when both texts consist of the same scalars, and therefore of the same bytes in UTF-8.
    ///
    /// `==` compares by canonical equivalence instead, in time that is quadratic in the number of combining characters.
    package func hasSameScalars(as other: some StringProtocol) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let result = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in left.elementsEqual(right) }
        }
        return (result ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension String {
    /// True when every scalar is ASCII.
    ///
    /// For such texts `String`'s equality compares bytes.
    var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}

/// A text from outside that is no identifier and is compared like one, by its scalars.
///
/// ```swift
/// struct Purchase: Hashable {
///     @ExactText var productId: String
/// }
/// ```
@propertyWrapper
package struct ExactText: Hashable, Sendable {
    package var wrappedValue: String

    package init(wrappedValue: String) {
        self.wrappedValue = wrappedValue
    }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.wrappedValue.hasSameScalars(as: right.wrappedValue)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(scalarsOf: wrappedValue)
    }
}

/// A JSON value.
///
/// Numbers keep their original spelling.
///
/// Amounts, ids and rates pass through this type. No number is converted to binary floating point and no text is
/// normalised: keys and strings are compared by Unicode scalars.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number as written.
    case number(JSONNumber)
    /// A string after undoing escapes.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object with its members in the order of the text.
    case object(JSONObject)

    /// The string, or nil for another type.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The object, or nil for another type.
    public var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The elements, or nil for another type.
    public var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The Boolean, or nil for another type.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The integer, or nil for another type, a fraction, or a value outside 64 bits.
    public var int64Value: Int64? {
        guard case .number(let number) = self, case .integer(let value) = number.integral else { return nil }
        return value
    }

    /// Creates a number from an integer.
    public static func integer(_ value: Int64) -> JSONValue {
        .number(JSONNumber(value))
    }

    /// Compares strings by Unicode scalars, and numbers as they are written.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameScalars(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(scalarsOf: value)
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
    /// An object with its members in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member($0, $1) }))
    }

    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }

    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

/// A JSON object: an ordered list of members, repeated keys included.
///
/// ```swift
/// let token: JSONObject = ["bundleId": "com.example.app", "tokens": .integer(2)]
/// ```
public struct JSONObject: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// One key and its value.
    public struct Member: Hashable, Sendable {
        /// The key after undoing escapes.
        public var key: String
        /// The value.
        public var value: JSONValue

        /// Creates a member.
        public init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }

        /// Compares the key by Unicode scalars.
        public static func == (left: Self, right: Self) -> Bool {
            left.key.hasSameScalars(as: right.key) && left.value == right.value
        }

        /// Hashes what `==` compares.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(scalarsOf: key)
            hasher.combine(value)
        }
    }

    /// The members in the order of the text.
    public var members: [Member]

    /// Creates an object of members in the order given.
    public init(_ members: [Member] = []) {
        self.members = members
    }

    /// Creates an object with its members in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        members = elements.map { Member($0, $1) }
    }

    /// The value of the first member with that key, compared by Unicode scalars.
    ///
    /// A new value replaces that of the first member with the key, or is appended; nil removes each member with the key.
    public subscript(key: String) -> JSONValue? {
        get { members.first { $0.key.hasSameScalars(as: key) }?.value }
        set {
            guard let newValue else { return members.removeAll { $0.key.hasSameScalars(as: key) } }
            if let index = members.firstIndex(where: { $0.key.hasSameScalars(as: key) }) {
                members[index].value = newValue
            } else {
                members.append(Member(key, newValue))
            }
        }
    }

    /// The keys that occur more than once, in the order of their first repetition.
    public var repeatedKeys: [String] {
        // Comparing the keys of a small object in pairs is faster than hashing them.
        if members.count <= 32, !hasRepeatedKeys { return [] }
        var seen: Set<[UInt8]> = []
        var reported: Set<[UInt8]> = []
        var repeated: [String] = []
        for member in members {
            let key = Array(member.key.utf8)
            if !seen.insert(key).inserted, reported.insert(key).inserted {
                repeated.append(member.key)
            }
        }
        return repeated
    }
}

extension JSONObject {
    /// Whether a key occurs more than once, found by comparing all pairs.
    private var hasRepeatedKeys: Bool {
        for (index, member) in members.enumerated() {
            for earlier in members[..<index] where earlier.key.hasSameScalars(as: member.key) { return true }
        }
        return false
    }
}

/// A JSON number in its original spelling.
public struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
    /// The characters of the number, which follow RFC 8259.
    public let text: String

    /// Creates a number from an integer.
    public init(_ value: Int64) {
        text = String(value)
    }

    /// Creates a number from a text that is known to be a JSON number.
    package init(unchecked text: String) {
        self.text = text
    }

    /// The number as written.
    public var description: String { text }

    /// What kind of integer a number is.
    public enum Integral: Hashable, Sendable {
        /// An integer of 64 bits; `10.0` and `1e1` are 10.
        case integer(Int64)
        /// An integer outside 64 bits.
        case outOfRange
        /// A value with a fraction.
        case fraction
    }

    /// True when the number is written without a fraction and an exponent.
    public var isPlainInteger: Bool {
        text.utf8.allSatisfy { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
    }

    /// The value of a plain integer with at most 18 digits, which fits into 64 bits; nil for any other number.
    private var shortInteger: Int64? {
        var (value, digits, isNegative) = (Int64(0), 0, false)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                guard digits <= 18 else { return nil }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "-"): isNegative = true
            default: return nil
            }
        }
        return isNegative ? -value : value
    }

    /// The exact integer value, computed without floating point for every exponent.
    public var integral: Integral {
        if let value = shortInteger { return .integer(value) }
        let bytes = Array(text.utf8)
        let negative = bytes.first == UInt8(ascii: "-")
        let mantissaEnd = bytes.firstIndex { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") } ?? bytes.endIndex
        let mantissa = bytes[(negative ? 1 : 0)..<mantissaEnd]
        let exponentText = String(decoding: bytes[mantissaEnd...].dropFirst(), as: UTF8.self)
        var digits = mantissa.filter { $0 != UInt8(ascii: ".") }.map { $0 - UInt8(ascii: "0") }[...]
        var scale = mantissa.firstIndex(of: UInt8(ascii: ".")).map { mantissaEnd - $0 - 1 } ?? 0
        while let first = digits.first, first == 0 { digits.removeFirst() }
        while let last = digits.last, last == 0, !digits.isEmpty {
            digits.removeLast()
            scale -= 1
        }
        guard !digits.isEmpty else { return .integer(0) }
        // An exponent that exceeds `Int` gives a number outside 64 bits, or a fraction when the exponent is negative.
        let beyond = exponentText.hasPrefix("-") ? -1_000_000 : 1_000_000
        let exponent = exponentText.isEmpty ? 0 : Int(exponentText) ?? beyond
        let (zeros, overflow) = exponent.subtractingReportingOverflow(scale)
        if overflow { return exponent > 0 ? .outOfRange : .fraction }
        if zeros < 0 { return .fraction }
        if digits.count + min(zeros, 1_000) > 19 { return .outOfRange }
        var value: Int64 = 0
        for digit in digits + Array(repeating: 0, count: zeros) {
            let (product, productOverflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflow) = product.subtractingReportingOverflow(Int64(digit))
            if productOverflow || sumOverflow { return .outOfRange }
            value = sum
        }
        if negative { return .integer(value) }
        if value == .min { return .outOfRange }
        return .integer(-value)
    }
}

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A rate from pricing to reporting currency, kept as the decimal text and JSON type it was written in (SA-59).
public struct ExchangeRate: Hashable, Sendable {
    /// The decimal text as written.
    public let text: String
    /// True when the JSON value was a string.
    public let isString: Bool

    /// Takes digits, optionally a point and digits, optionally a leading minus (SA-57); nil for anything else.
    ///
    /// - Parameters:
    ///   - text: the decimal text.
    ///   - isString: true when the JSON value is a string.
    public init?(_ text: String, isString: Bool = false) {
        guard DecimalText.isWellFormed(text) else { return nil }
        self.text = text
        self.isString = isString
    }

    /// The value, nil when it has more than 38 significant digits.
    public var decimal: Decimal? { DecimalText.decimal(text) }

    /// True for a rate above zero, whatever its length.
    public var isPositive: Bool {
        !text.hasPrefix("-") && DecimalText.canonical(text) != "0"
    }

    /// True when both name the same number; the JSON type does not count.
    ///
    /// - Parameter other: the other rate.
    public func isSameNumber(as other: ExchangeRate) -> Bool {
        DecimalText.canonical(text) == DecimalText.canonical(other.text)
    }

    /// The rate as it was written.
    public var json: JSONValue { isString ? .string(text) : .number(JSONNumber(unchecked: text)) }
}

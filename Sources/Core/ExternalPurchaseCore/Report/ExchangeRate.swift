/// The rate from the pricing currency to the reporting currency.
///
/// It keeps its decimal text and JSON type (SA-59).
public struct ExchangeRate: Hashable, Sendable {
    /// The decimal text as written.
    public let text: String
    /// True when the JSON value was a string.
    public let isString: Bool

    /// Creates a rate from digits, optionally a point and more digits, optionally a leading minus sign (SA-57); nil for
    /// any other text.
    ///
    /// - Parameters:
    ///   - text: the decimal text.
    ///   - isString: true when the JSON value is a string.
    public init?(_ text: String, isString: Bool = false) {
        guard DecimalText.isWellFormed(text) else { return nil }
        self.text = text
        self.isString = isString
    }

    /// The value, or nil when it has more than 38 significant digits.
    public var decimal: Decimal? { DecimalText.decimal(text) }

    /// True for a rate above zero, of any length.
    public var isPositive: Bool {
        !text.hasPrefix("-") && DecimalText.canonical(text) != "0"
    }

    /// True when both texts denote the same number.
    ///
    /// The JSON type is ignored.
    ///
    /// - Parameter other: the other rate.
    public func isSameNumber(as other: ExchangeRate) -> Bool {
        DecimalText.canonical(text) == DecimalText.canonical(other.text)
    }

    /// The rate in its original spelling and JSON type.
    public var json: JSONValue { isString ? .string(text) : .number(JSONNumber(unchecked: text)) }
}

/// Why a report body is malformed: the first matching row of spec/04 section 6.
public struct MalformedReport: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule, `SA-57`.
    public let rule: Rule
    /// What is wrong and at which member, for the emulator's journal.
    public let reason: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - rule: the rule.
    ///   - reason: what is wrong and at which member.
    public init(rule: Rule, reason: String) {
        self.rule = rule
        self.reason = reason
    }

    /// A row of spec/04 section 6.
    public enum Rule: String, Hashable, Comparable, Sendable, CaseIterable {
        /// The body is too large, not UTF-8, not JSON or not an object.
        case unreadable = "SA-51"
        /// A known member has the wrong JSON type, or there are too many line items.
        case wrongType = "SA-52"
        /// An integer has a fraction or is outside its range.
        case notAnInteger = "SA-53"
        /// `requestIdentifier` is not a UUID.
        case notAUUID = "SA-54"
        /// A member with a closed set of values has an unknown value.
        case unknownValue = "SA-55"
        /// The pricing currency is not three letters.
        case pricingCurrency = "SA-56"
        /// The exchange rate is not a plain decimal number.
        case exchangeRate = "SA-57"

        /// Orders by the rows of spec/04 section 6.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The rule and the reason.
    public var description: String { "\(rule.rawValue): \(reason)" }
}

/// The maximum size of a report (SA-4).
public struct ReportLimits: Hashable, Sendable {
    /// The maximum size of the body in bytes; setting `limits.bodyBytes`.
    public var bodyBytes: Int
    /// The maximum number of line items; setting `limits.lineItems`.
    public var lineItems: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - bodyBytes: the maximum size of the body in bytes.
    ///   - lineItems: the maximum number of line items.
    public init(bodyBytes: Int = 1_048_576, lineItems: Int = 1_000) {
        self.bodyBytes = bodyBytes
        self.lineItems = lineItems
    }
}

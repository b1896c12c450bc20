/// Why a body is malformed: the first row of spec/04 section 6 that holds.
public struct MalformedReport: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule, `SA-57`.
    public let rule: Rule
    /// What is wrong and where, for the journal.
    public let reason: String

    /// A fault.
    ///
    /// - Parameters:
    ///   - rule: the rule.
    ///   - reason: what is wrong and where.
    public init(rule: Rule, reason: String) {
        self.rule = rule
        self.reason = reason
    }

    /// A row of spec/04 section 6.
    public enum Rule: String, Hashable, Comparable, Sendable, CaseIterable {
        /// Too large, not UTF-8, not JSON, not an object.
        case unreadable = "SA-51"
        /// A known member of the wrong JSON type, or too many line items.
        case wrongType = "SA-52"
        /// An integer with a fraction or outside its bits.
        case notAnInteger = "SA-53"
        /// `requestIdentifier` is not a UUID.
        case notAUUID = "SA-54"
        /// An unknown value of a closed set.
        case unknownValue = "SA-55"
        /// A pricing currency that is not three letters.
        case pricingCurrency = "SA-56"
        /// An exchange rate that is not a plain decimal.
        case exchangeRate = "SA-57"

        /// Orders by the rows.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The rule and the reason.
    public var description: String { "\(rule.rawValue): \(reason)" }
}

/// How large a report may be (SA-4).
public struct ReportLimits: Hashable, Sendable {
    /// Most bytes of a body; setting `limits.bodyBytes`.
    public var bodyBytes: Int
    /// Most line items; setting `limits.lineItems`.
    public var lineItems: Int

    /// Limits.
    ///
    /// - Parameters:
    ///   - bodyBytes: most bytes of a body.
    ///   - lineItems: most line items.
    public init(bodyBytes: Int = 1_048_576, lineItems: Int = 1_000) {
        self.bodyBytes = bodyBytes
        self.lineItems = lineItems
    }
}

public import ConfigurationLint

/// The number of a condition.
///
/// The first condition that fails determines the error (SK-20).
public enum ConditionID: Int, Hashable, Sendable, CaseIterable, Comparable, CustomStringConvertible {
    /// The member exists on the platform, in the system version and in the rule pack.
    case memberExists = 1
    /// The mode is allowed.
    case modeAllowed = 2
    /// The app has the entitlement of a route.
    case entitlement = 3
    /// The storefront is known.
    case storefrontKnown = 4
    /// The rule pack lists the storefront.
    case storefrontListed = 5
    /// The app lists the storefront with a usable entry.
    case storefrontConfigured = 6
    /// The system version meets the minimum of the route and region.
    case systemGate = 7
    /// The device allows payments.
    case canMakePayments = 8
    /// The person may make external purchases.
    case personEligible = 9
    /// The argument of the call is valid.
    case argument = 10
    /// A sheet can be shown.
    case sheet = 11
    /// The network is available.
    case network = 12

    /// The id in explanations, `C6`.
    public var description: String { "C\(rawValue)" }

    /// Orders by number.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A condition with the result of its evaluation.
public struct Condition: Hashable, Sendable {
    /// The number.
    public var id: ConditionID
    /// True when the condition holds, false when it fails, nil when it was not evaluated.
    public var holds: Bool?
    /// The value that was checked.
    public var detail: String
    /// The entry of the configuration that determines the result, if there is one.
    public var evidence: UsableConfiguration.Evidence?
    /// How to make a failed condition hold.
    public var fix: String?
    /// The route of the condition, if it is not the one whose first failure comes last.
    public var route: String?

    /// Creates a condition.
    ///
    /// - Parameters:
    ///   - id: the number.
    ///   - holds: the result; nil when the condition was not evaluated.
    ///   - detail: the value that was checked.
    ///   - evidence: the entry of the configuration that determines the result.
    ///   - fix: how to make a failed condition hold.
    ///   - route: the route, if it is not the one whose first failure comes last.
    public init(
        id: ConditionID,
        holds: Bool?,
        detail: String,
        evidence: UsableConfiguration.Evidence? = nil,
        fix: String? = nil,
        route: String? = nil
    ) {
        self.id = id
        self.holds = holds
        self.detail = detail
        self.evidence = evidence
        self.fix = fix
        self.route = route
    }
}

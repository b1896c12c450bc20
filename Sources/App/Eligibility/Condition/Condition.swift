public import ConfigurationLint

/// The number of a condition; the first that fails decides the error (SK-20).
public enum ConditionID: Int, Hashable, Sendable, CaseIterable, Comparable, CustomStringConvertible {
    /// The member exists on the platform and system and in the rule pack.
    case memberExists = 1
    /// The mode is allowed.
    case modeAllowed = 2
    /// An entitlement of a route is there.
    case entitlement = 3
    /// The storefront is known.
    case storefrontKnown = 4
    /// The rule pack lists the storefront.
    case storefrontListed = 5
    /// The app lists the storefront with a usable entry.
    case storefrontConfigured = 6
    /// The system reaches the gate of route and region.
    case systemGate = 7
    /// The device may pay.
    case canMakePayments = 8
    /// The person is eligible.
    case personEligible = 9
    /// The argument is acceptable.
    case argument = 10
    /// A sheet can be shown.
    case sheet = 11
    /// The network works.
    case network = 12

    /// The id as reports write it, `C6`.
    public var description: String { "C\(rawValue)" }

    /// Orders by number.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// One condition with what was found.
public struct Condition: Hashable, Sendable {
    /// The number.
    public var id: ConditionID
    /// True when it holds, false when it fails, nil when it was not reached.
    public var holds: Bool?
    /// The value that was checked.
    public var detail: String
    /// Where the configuration decides it, when it does.
    public var evidence: UsableConfiguration.Evidence?
    /// What to do when it fails.
    public var fix: String?
    /// The route it belongs to, when that is not the one that got furthest.
    public var route: String?

    /// A condition.
    ///
    /// - Parameters:
    ///   - id: the number.
    ///   - holds: nil when it was not reached.
    ///   - detail: the value that was checked.
    ///   - evidence: where the configuration decides it.
    ///   - fix: what to do when it fails.
    ///   - route: the route, when that is not the one that got furthest.
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

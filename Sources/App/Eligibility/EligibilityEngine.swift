public import ConfigurationLint
public import ExternalPurchaseCore

/// Whether the allowed-regions entitlement opens `canPresent` and `canOpen` (SK-24).
public enum WidenedEntitlement: String, Hashable, Sendable {
    /// The rule pack determines it.
    case byPack
    /// Always.
    case on
    /// Never.
    case off
}

/// Evaluates eligibility and explains the result.
///
/// The engine is a value with the inputs and one function, ``evaluate(_:)``. The conditions are evaluated in the order
/// of SK-20; routes, lists, gates and programmes are data of the rule pack.
public struct EligibilityEngine: Hashable, Sendable {
    /// The system that the app runs on.
    public var device: Device
    /// The storefront as given.
    ///
    /// A text that is not an alpha-3 code counts as unknown (SK-11).
    public var storefront: String?
    /// False under Screen Time restrictions or a management profile (SK-6).
    public var canMakePayments: Bool
    /// False for a person who may not make external purchases.
    public var isPersonEligible: Bool
    /// The usable entries of Info.plist and entitlements.
    public var configuration: UsableConfiguration
    /// The region tables.
    public var pack: RulePack
    /// Whether the allowed-regions entitlement opens `canPresent` and `canOpen`.
    public var widenedEntitlement: WidenedEntitlement
    /// What is answered on platforms that a programme's terms do not name (SK-44).
    public var unnamedPlatforms: UnnamedPlatformPolicy

    /// Creates an engine.
    ///
    /// - Parameters:
    ///   - device: the system that the app runs on.
    ///   - storefront: the storefront as given; nil for none.
    ///   - canMakePayments: whether the device allows payments.
    ///   - isPersonEligible: whether the person may make external purchases.
    ///   - configuration: the usable entries.
    ///   - pack: the region tables.
    ///   - widenedEntitlement: the setting of SK-24.
    ///   - unnamedPlatforms: the setting of SK-44.
    public init(
        device: Device = Device(),
        storefront: String?,
        canMakePayments: Bool = true,
        isPersonEligible: Bool = true,
        configuration: UsableConfiguration,
        pack: RulePack = .newest,
        widenedEntitlement: WidenedEntitlement = .byPack,
        unnamedPlatforms: UnnamedPlatformPolicy = .allow
    ) {
        self.device = device
        self.storefront = storefront
        self.canMakePayments = canMakePayments
        self.isPersonEligible = isPersonEligible
        self.configuration = configuration
        self.pack = pack
        self.widenedEntitlement = widenedEntitlement
        self.unnamedPlatforms = unnamedPlatforms
    }

    /// Evaluates a question and explains the answer (SK-21, SK-26).
    ///
    /// The result is that of the route whose first failure comes last, or the first such route in the pack's order.
    /// All conditions of this route are evaluated (SK-27); the other routes stop at their first failure.
    ///
    /// - Parameter question: the question.
    public func evaluate(_ question: EligibilityQuestion) -> Evaluation { evaluate(question, asking: nil) }

    /// Evaluates a question for one of its methods.
    ///
    /// The availability of that method determines C1.
    ///
    /// - Parameters:
    ///   - question: the question.
    ///   - member: the method's name in the table of members; nil for the question's own member.
    package func evaluate(_ question: EligibilityQuestion, asking member: String?) -> Evaluation {
        let system = [memberExists(question, member), modeAllowed(question)]
        let attempts = routes(of: question.group).map { route in
            Attempt(route: route, conditions: routeConditions(route, for: question))
        }
        let person = [paymentsAllowed(), personAllowed()]

        let furthest = attempts.reduce(nil as Attempt?) { best, next in
            guard let best else { return next }
            return next.reach > best.reach ? next : best
        }
        var conditions = system + (furthest?.conditions ?? noRoute(for: question)) + person
        conditions += [.argument, .sheet, .network].map {
            Condition(id: $0, holds: nil, detail: "evaluated at the call")
        }
        for attempt in attempts where attempt.route != furthest?.route {
            conditions += attempt.conditionsToFirstFailure()
        }
        return Evaluation(
            question: question,
            engine: self,
            conditions: conditions,
            route: furthest?.route
        )
    }

    /// The lower-case country code of the storefront; nil when the storefront is unknown or has no country code (CF-3).
    package var region: String? { storefrontCode?.region }

    /// The storefront; nil when there is none or its text is not a code.
    var storefrontCode: StorefrontCode? { storefront.flatMap { StorefrontCode($0) } }
}

/// A route with its evaluated conditions C3 to C7.
private struct Attempt {
    let route: RulePack.Route
    let conditions: [Condition]

    /// The number of conditions that hold before the first that does not.
    var reach: Int { conditions.prefix { $0.holds == true }.count }

    func conditionsToFirstFailure() -> [Condition] {
        let failure = conditions.firstIndex { $0.holds != true } ?? conditions.endIndex
        return conditions.enumerated().map { index, condition in
            var condition = condition
            condition.route = route.name
            if index > failure { condition.holds = nil }
            return condition
        }
    }
}

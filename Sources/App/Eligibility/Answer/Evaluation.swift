import AppConfiguration
public import ConfigurationLint
public import ExternalPurchaseCore

/// The answer to an eligibility question with its complete explanation (SK-26).
public struct Evaluation: Hashable, Sendable, CustomStringConvertible {
    /// The question.
    public let question: EligibilityQuestion
    /// The id of the rule pack.
    public let rulePack: String
    /// The storefront as given.
    public let storefront: String?
    /// The system.
    public let device: Device
    /// The conditions of the route whose first failure comes last, in the order of their numbers, followed by those of other
    /// routes.
    public private(set) var conditions: [Condition]
    /// The route whose first failure comes last, `external-purchase-link + SKExternalPurchaseLink`.
    public let route: String?
    /// The programme of the storefront; nil if the rule pack has none.
    public let programme: RulePack.Programme?
    /// The links that can be opened, in their order.
    ///
    /// Empty unless the question is about links and the answer is yes.
    public let links: [UsableConfiguration.Link]
    /// The links of the storefront that exceed its limit (CF-43, CF-52).
    ///
    /// The detail of C6 gives the reason. Empty unless the question is about several links and the answer is yes.
    public let excessLinks: [UsableConfiguration.Link]
    /// The types of the tokens that a completed flow issues; a nil element is the plain token.
    public let tokenTypes: [TokenType?]
    /// The findings that removed entries from the keys and entitlements of this question (CF-50).
    public let removed: [Finding]
    /// The recommended next step (section 7).
    public let next: NextStep

    init(question: EligibilityQuestion, engine: EligibilityEngine, conditions: [Condition], route: RulePack.Route?) {
        self.question = question
        rulePack = engine.pack.id
        storefront = engine.storefront
        device = engine.device
        self.conditions = conditions
        self.route = route?.name
        let failed = Self.firstFailure(in: conditions)
        let isListed = conditions.contains { $0.id == .storefrontListed && $0.holds == true && $0.route == nil }
        programme = isListed ? route.flatMap { engine.programme(for: question, route: $0) } : nil
        if let route, failed == nil {
            links = (route.plistKeys.last).map { engine.links(in: .plistKey($0)) } ?? []
            let excess =
                question == .eligibleURLs ? engine.region.flatMap { engine.configuration.excessLinks[$0] } : nil
            excessLinks = excess?.multi ?? []
            tokenTypes = engine.tokenTypes(for: question, route: route, programme: programme)
        } else {
            links = []
            excessLinks = []
            tokenTypes = []
        }
        let names = Set(
            engine.routes(of: question.group).flatMap { route in
                let legacy = RegionTables.builtIn.legacyEntitlements.filter { $0.value == route.entitlement }.keys
                return route.lists.map(\.description) + [route.entitlement.rawValue] + legacy.map(\.rawValue)
            }
        )
        removed = engine.configuration.removed.filter { finding in
            guard let key = finding.key, names.contains(key) else { return false }
            // The system uses the single link despite this finding (CF-52).
            return engine.readsMultiLink || finding.rule != "link-union-over-limit"
        }
        next = NextStep(after: failed, of: question, engine: engine)
    }

    /// True when C1 to C9 hold (SK-22).
    public var isEligible: Bool { failed == nil || failed.map { $0 > .personEligible } == true }

    /// The first condition that fails, which determines the error; nil when all evaluated conditions hold.
    public var failed: ConditionID? {
        Self.firstFailure(in: conditions)
            ?? conditions.first { $0.route == nil && $0.id > .personEligible && $0.holds == false }?.id
    }

    /// The condition that ``failed`` names.
    public var failedCondition: Condition? {
        failed.flatMap { id in conditions.first { $0.id == id && $0.route == nil } }
    }

    /// The case of `StoreKitError` that the method throws.
    public var error: FailureCase? { failed.map { FailureCase($0, on: device) } }

    /// Returns the evaluation with a condition that is evaluated at the call, C10 to C12.
    ///
    /// - Parameter condition: replaces the condition with the same number.
    package func replacing(_ condition: Condition) -> Evaluation {
        var copy = self
        copy.conditions = conditions.map { $0.id == condition.id && $0.route == nil ? condition : $0 }
        return copy
    }

    private static func firstFailure(in conditions: [Condition]) -> ConditionID? {
        conditions.first { $0.route == nil && $0.id <= .personEligible && $0.holds != true }?.id
    }

    /// The explanation as text, with one condition per line.
    public var description: String {
        var lines = [
            "\(question.rawValue): \(isEligible ? "yes" : "no")\(failed.map { " (\($0))" } ?? "")",
            "rule pack \(rulePack), storefront \(storefront ?? "none"), programme \(programme?.id ?? "none")",
        ]
        for condition in conditions {
            let mark = condition.holds.map { $0 ? "yes" : "no " } ?? " - "
            let route = condition.route.map { " [\($0)]" } ?? ""
            let location = condition.evidence.map { evidence in
                " (\(evidence.file)\(evidence.position.map { ":\($0.line)" } ?? ""))"
            }
            lines.append("  \(mark) \(condition.id)\(route) \(condition.detail)\(location ?? "")")
            if condition.holds == false, let fix = condition.fix { lines.append("        \(fix)") }
        }
        if let caveat { lines.append("caveat: \(caveat)") }
        lines.append("next: \(next)")
        return lines.joined(separator: "\n")
    }
}

extension EligibilityEngine {
    /// The types of the tokens that a completed flow issues (SK-42, SK-43, SK-47).
    func tokenTypes(
        for question: EligibilityQuestion,
        route: RulePack.Route,
        programme: RulePack.Programme?
    ) -> [TokenType?] {
        if question.group == .customLink {
            let first = gate(of: route)?.tokenMinimumOS ?? programme?.tokenMinimumOS[device.column]
            return first.map { device.osVersion >= $0 } ?? true ? customLinkTokenTypes : []
        }
        guard let first = Self.firstTokens(device.column) else { return [nil] }
        let hasTokens = device.osVersion >= first && (device.linkedSDK.map { $0 >= first } ?? true)
        return hasTokens ? [nil] : []
    }
}

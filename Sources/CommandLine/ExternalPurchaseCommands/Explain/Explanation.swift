import AppConfiguration
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore

/// The result of each API in one situation, with the evaluated conditions.
struct Explanation {
    /// The requested operating system, such as `macOS 15.1`.
    let os: String
    let configuration: AppConfiguration
    let engine: EligibilityEngine
    let evaluations: [Evaluation]
    /// The customer's age; nil if not stated.
    var age: AgeBand?
    /// The members that need an availability check for the app's deployment target; nil if not requested.
    var availability: MemberAvailability?

    init(os: String, configuration: AppConfiguration, engine: EligibilityEngine, questions: [EligibilityQuestion]) {
        self.os = os
        self.configuration = configuration
        self.engine = engine
        evaluations = questions.map(engine.evaluate)
    }

    /// The location in the configuration that decides a condition; for a missing entry, where it belongs.
    func place(of condition: Condition, in evaluation: Evaluation) -> UsableConfiguration.Evidence? {
        Self.place(of: condition, in: evaluation, engine: engine, configuration: configuration)
    }

    static func place(
        of condition: Condition,
        in evaluation: Evaluation,
        engine: EligibilityEngine,
        configuration: AppConfiguration
    ) -> UsableConfiguration.Evidence? {
        if let evidence = condition.evidence { return evidence }
        guard condition.holds == false else { return nil }
        switch condition.id {
        case .entitlement:
            return configuration.effectiveEntitlements.map { .init(file: $0.path) }
        case .storefrontConfigured:
            let name = condition.route ?? evaluation.route
            guard let route = engine.routes(of: evaluation.question.group).first(where: { $0.name == name }) else {
                return nil
            }
            let (file, key) =
                switch route.storefrontsFrom {
                case .plistKey(let key): (configuration.infoPlist, key.rawValue)
                case .entitlement(let entitlement): (configuration.effectiveEntitlements, entitlement.rawValue)
                }
            return file.map { .init(file: $0.path, position: $0.member(key)?.keyPosition) }
        default:
            return nil
        }
    }
}

extension EligibilityEngine {
    /// The return value of the API: a Boolean, the URLs, or the available token types; null for nil or an error.
    func answer(of evaluation: Evaluation) -> JSONValue {
        switch evaluation.question {
        case .canPresent, .canOpen, .isEligible:
            .bool(evaluation.isEligible)
        case .eligibleURLs:
            evaluation.isEligible ? .array(evaluation.links.map { .string($0.url) }) : .null
        case .token:
            evaluation.isEligible ? .array(customLinkTokenTypes.map { .string($0.rawValue) }) : .null
        }
    }
}

extension AppConfiguration {
    /// The display name of the app; nil when Info.plist has none.
    var appName: String? {
        for key in ["CFBundleDisplayName", "CFBundleName", "CFBundleIdentifier"] {
            if case .string(let name) = infoPlist?.member(key)?.node.value, !name.isEmpty { return name }
        }
        return nil
    }
}

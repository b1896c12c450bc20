import ConfigurationLint
import ExternalPurchaseCore

/// What an app should do after an evaluation (SK-80 to SK-84).
public enum NextStep: Hashable, Sendable, CustomStringConvertible {
    /// Show the offer, and call the method after a tap.
    case call(String)
    /// Evaluate another question.
    case ask(EligibilityQuestion)
    /// Offer In-App Purchase.
    case useInAppPurchase
    /// Offer nothing.
    case offerNothing
    /// Continue without a token, and report the sale manually.
    case reportByHand

    /// The step as a sentence.
    public var description: String {
        switch self {
        case .call(let method): "Show the offer and call \(method) after a tap."
        case .ask(let question): "Ask \(question.rawValue)."
        case .useInAppPurchase: "Offer In-App Purchase."
        case .offerNothing: "Offer neither external purchases nor In-App Purchase: the device may not pay."
        case .reportByHand: "The purchase may go on without a token; report the sale by hand."
        }
    }

    init(after failed: ConditionID?, of question: EligibilityQuestion, engine: EligibilityEngine) {
        guard engine.canMakePayments else {
            self = .offerNothing
            return
        }
        switch failed {
        case nil:
            self = .call(question.method)
        case .memberExists:
            // The order of API families in SK-83; families that the app does not configure are skipped.
            let order: [EligibilityQuestion] = [.isEligible, .eligibleURLs, .canOpen, .canPresent]
            let asked = question == .token ? .isEligible : question
            let later = order.drop { $0 != asked }.dropFirst()
            self = later.first { engine.configures($0.group) }.map(NextStep.ask) ?? .useInAppPurchase
        case .systemGate where question == .token && engine.evaluate(.isEligible).isEligible:
            self = .reportByHand
        case _ where question == .eligibleURLs && engine.configures(.singleLink):
            self = .ask(.canOpen)
        case _:
            self = .useInAppPurchase
        }
    }
}

extension EligibilityQuestion {
    /// The method to call after a yes.
    var method: String {
        switch self {
        case .canPresent: "presentNoticeSheet()"
        case .canOpen: "open()"
        case .eligibleURLs: "open(url:)"
        case .isEligible: "token(for:) and showNotice"
        case .token: "token(for:)"
        }
    }
}

extension EligibilityEngine {
    /// True when the app has the entitlement of a route in the group and at least one usable entry for it.
    func configures(_ group: APIGroup) -> Bool {
        routes(of: group).contains { route in
            if legacyRegions(of: route)?.standsAlone == true { return true }
            return (configuration.entitlements[route.entitlement] != nil || legacyRegions(of: route) != nil)
                && route.lists.allSatisfy { list in
                    switch list {
                    case .plistKey(.link): !configuration.singleLinks.isEmpty
                    case .plistKey(.multiLink): !configuration.multiLinks.isEmpty
                    case .plistKey(let key): configuration.regions[key]?.isEmpty == false
                    case .entitlement: !configuration.allowedRegions.isEmpty
                    }
                }
        }
    }
}

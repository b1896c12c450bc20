import ConfigurationLint
import ExternalPurchaseCore

/// What an app should do after an evaluation (SK-80 to SK-84).
public enum NextStep: Hashable, Sendable, CustomStringConvertible {
    /// Show the offer, and call the method after a tap.
    case call(String)
    /// After a tap disclose in this way, before the offer or the destination (SK-63, SK-66).
    case disclose(Disclosure)
    /// Evaluate another question.
    case ask(EligibilityQuestion)
    /// Offer In-App Purchase.
    case useInAppPurchase
    /// Offer nothing: the device may not pay.
    case offerNothing
    /// Offer nothing: the terms of a region that the app lists allow no In-App Purchase in it (SK-87).
    case offerNothingInstead
    /// Continue without a token, and report the sale manually.
    case reportByHand

    /// How a custom link is disclosed, and whether a token follows.
    public enum Disclosure: Hashable, Sendable {
        /// The system's notice of a method, then the token of the purchase.
        case systemNotice(String)
        /// The system's notice of a method, with tokens from the launch on that are requested again for the purchase (SK-59).
        case systemNoticeWithTokensFromLaunch(String)
        /// The app's own disclosure, then the token.
        case ownDisclosure
        /// The app's own disclosure; the system has no token, and the sale is reported by hand (SK-47).
        case ownDisclosureWithoutToken
    }

    /// True if the app shows its own disclosure in place of the system's notice (SK-66).
    package var isOwnDisclosure: Bool {
        self == .disclose(.ownDisclosure) || self == .disclose(.ownDisclosureWithoutToken)
    }

    /// The step as a sentence.
    public var description: String {
        switch self {
        case .call(let method): "Show the offer and call \(method) after a tap."
        case .disclose(.systemNotice(let method)):
            "After a tap call \(method); after .continued call token(for:), then show the offer or open the destination."
        case .disclose(.systemNoticeWithTokensFromLaunch(let method)):
            "Call token(for:) at launch. After a tap call \(method); after .continued call token(for:) again, "
                + "then show the offer or open the destination."
        case .disclose(.ownDisclosure):
            "After a tap show the app's own disclosure; when the customer continues, call token(for:), "
                + "then show the offer or open the destination."
        case .disclose(.ownDisclosureWithoutToken):
            "After a tap show the app's own disclosure; when the customer continues, show the offer or open the destination, "
                + "and report the sale by hand."
        case .offerNothingInstead:
            "Offer nothing: the terms of a region that this app lists allow no In-App Purchase in the app."
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
            self = question.group == .customLink ? .disclose(engine.disclosure) : .call(question.method)
        case .memberExists:
            // The order of API families in SK-83; families that the app does not configure are skipped.
            let order: [EligibilityQuestion] = [.isEligible, .eligibleURLs, .canOpen, .canPresent]
            let asked = question == .token ? .isEligible : question
            let later = order.drop { $0 != asked }.dropFirst()
            self = later.first { engine.configures($0.group) }.map(NextStep.ask) ?? engine.instead
        case .systemGate where question == .token && engine.evaluate(.isEligible).isEligible:
            self = .reportByHand
        case _ where question == .eligibleURLs && engine.configures(.singleLink):
            self = .ask(.canOpen)
        case _:
            self = engine.instead
        }
    }
}

extension EligibilityEngine {
    fileprivate var instead: NextStep { excludesInAppPurchase ? .offerNothingInstead : .useInAppPurchase }

    /// The disclosure of custom links on the device in the storefront.
    fileprivate var disclosure: NextStep.Disclosure {
        let typed = RegionTables.builtIn.members["ExternalPurchaseCustomLink.showNotice(for:)"]?.availability[
            device.column
        ]
        let isTyped = pack.typedTokenAPI && typed.map { device.osVersion >= $0 } == true
        let method = isTyped ? "showNotice(for:)" : "showNotice(type:)"
        guard customLinkTokenTypes.contains(.inApp) else { return .systemNoticeWithTokensFromLaunch(method) }
        guard !isTyped else { return .systemNotice(method) }
        let first = routes(of: .customLink).compactMap { gate(of: $0)?.tokenMinimumOS }.max()
        return first.map { device.osVersion >= $0 } ?? true ? .ownDisclosure : .ownDisclosureWithoutToken
    }
}

extension EligibilityQuestion {
    /// The method to call after a yes; custom links need several calls, which ``NextStep/Disclosure`` orders.
    var method: String {
        switch self {
        case .canPresent: "presentNoticeSheet()"
        case .canOpen: "open()"
        case .eligibleURLs: "open(url:)"
        case .isEligible: "showNotice"
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

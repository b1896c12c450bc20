import Eligibility
import ExternalPurchaseCore

// Descriptions of StoreKit's names and of the conditions, for readers who do not know them.

extension EligibilityQuestion {
    /// The name of the member without its family, such as `canOpen`.
    var shortName: String { String(rawValue.drop { $0 != "." }.dropFirst()) }

    /// The purpose of the API.
    var purpose: String {
        switch self {
        case .canPresent: "May the app sell inside the app with another payment provider, after Apple's notice sheet?"
        case .canOpen: "May the app open the one website that its Info.plist names for this country?"
        case .eligibleURLs: "Which of the websites that its Info.plist names for this country may the app open?"
        case .isEligible: "May the app send people to offers of its own choice, on a website or inside the app?"
        case .token: "Can the app ask for tokens, by which it reports such sales to Apple?"
        }
    }
}

extension ConditionID {
    /// The subject of the condition in one or two words.
    var title: String {
        switch self {
        case .memberExists: "API"
        case .modeAllowed: "way of running"
        case .entitlement: "entitlement"
        case .storefrontKnown: "storefront"
        case .storefrontListed: "offered by Apple"
        case .storefrontConfigured: "listed by the app"
        case .systemGate: "system version"
        case .canMakePayments: "payments"
        case .personEligible: "person"
        case .argument: "argument"
        case .sheet: "sheet"
        case .network: "network"
        }
    }
}

extension Advice {
    /// The description of the step, for a customer of an age if it is stated.
    func words(_ engine: EligibilityEngine, age: AgeBand?) -> String {
        guard let age else { return words(engine) }
        if self == .useInAppPurchase, engine.advice.first != self {
            return "Offer In-App Purchase: to a customer of this age no external purchase of this app is offered."
        }
        let treatments = flows.map { engine.treatment(of: $0, age: age) }
        var sentences = [words(engine)]
        if treatments.contains(.notOffered) {
            sentences.append("To a customer of this age, offer only what is bought inside the app (withinApp).")
        }
        if treatments.contains(.parentalGate) {
            sentences.append("A parental gate comes before the purchase begins.")
        }
        return sentences.joined(separator: " ")
    }

    private func words(_ engine: EligibilityEngine) -> String {
        switch self {
        case .offerNothing where engine.canMakePayments: NextStep.offerNothingInstead.description
        case .offerNothing: "Offer nothing: this device may not pay, not even by In-App Purchase."
        case .useCustomLink:
            "Offer through ExternalPurchaseCustomLink. \(engine.evaluate(.isEligible).next)"
        case .useMultiLink: "Show the offer and open one of the eligible URLs with ExternalPurchaseLink.open(url:)."
        case .useLink: "Show the offer and open the configured URL with ExternalPurchaseLink.open()."
        case .useNoticeSheet:
            "Call ExternalPurchase.presentNoticeSheet() before the purchase, and sell when the person continues."
        case .useInAppPurchase:
            "Offer In-App Purchase: as the app is configured, no external purchase is possible here."
        }
    }
}

extension ProgrammeTerms.InAppPurchase {
    var words: String {
        switch self {
        case .required: "always beside the offer, at least as prominent"
        case .allowed: "may stand beside the offer"
        case .forbidden: "none in this app"
        }
    }
}

extension RulePack.Programme {
    /// The description of the programme: its purpose, its API family and the entitlement to request from Apple.
    var words: String {
        var entitlements: [String] = []
        for route in routes {
            let name = route.entitlement.rawValue.replacing("com.apple.developer.storekit.", with: "")
            if !entitlements.contains(name) { entitlements.append(name) }
        }
        return "\(title): \(families.joined(separator: ", ")), "
            + "with the entitlement \(entitlements.joined(separator: " or "))"
    }

    /// The API families of the programme.
    var families: [String] { family.split(separator: "+").map(String.init) }
}

extension Evaluation {
    /// The tokens that a completed purchase flow yields, as text.
    var tokenWords: String {
        guard !tokenTypes.isEmpty else { return "none on this system; sales are reported by hand" }
        return tokenTypes.map { $0?.rawValue ?? "one for each purchase, without a type" }.joined(separator: ", ")
    }
}

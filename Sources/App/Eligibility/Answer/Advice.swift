import ConfigurationLint
public import ExternalPurchaseCore

/// What an app should offer in the current situation (SK-86).
public enum Advice: Hashable, Sendable {
    /// Neither external purchases nor In-App Purchase.
    case offerNothing
    /// `ExternalPurchaseCustomLink`.
    case useCustomLink
    /// `ExternalPurchaseLink.open(url:)` with one of the URLs.
    case useMultiLink([URL])
    /// `ExternalPurchaseLink.open()`.
    case useLink
    /// `ExternalPurchase.presentNoticeSheet()`.
    case useNoticeSheet
    /// In-App Purchase.
    case useInAppPurchase

    /// The name of the case, `useMultiLink`.
    public var name: String {
        switch self {
        case .offerNothing: "offerNothing"
        case .useCustomLink: "useCustomLink"
        case .useMultiLink: "useMultiLink"
        case .useLink: "useLink"
        case .useNoticeSheet: "useNoticeSheet"
        case .useInAppPurchase: "useInAppPurchase"
        }
    }

    /// Where a customer buys who follows the step; empty where it is no external purchase.
    package var flows: [ProgrammeTerms.Flow] {
        switch self {
        case .useCustomLink: [.withinApp, .outOfApp]
        case .useMultiLink, .useLink: [.outOfApp]
        case .useNoticeSheet: [.withinApp]
        case .offerNothing, .useInAppPurchase: []
        }
    }
}

extension EligibilityEngine {
    /// The next step, or the available families in the order of SK-86, with In-App Purchase last where it has to stand beside
    /// (SK-87); never empty.
    public var advice: [Advice] { advice(forAge: nil) }

    /// The advice for a customer of an age, without the families of which nothing is offered at that age (SK-88).
    ///
    /// - Parameter age: the band that the customer's age lies in; nil for any customer.
    public func advice(forAge age: AgeBand?) -> [Advice] {
        guard canMakePayments else { return [.offerNothing] }
        var available: [Advice] = []
        if evaluate(.isEligible).isEligible { available.append(.useCustomLink) }
        let links = evaluate(.eligibleURLs)
        if links.isEligible { available.append(.useMultiLink(links.urls)) }
        if evaluate(.canOpen).isEligible { available.append(.useLink) }
        if evaluate(.canPresent).isEligible { available.append(.useNoticeSheet) }
        if let age {
            available.removeAll { step in step.flows.allSatisfy { treatment(of: $0, age: age) == .notOffered } }
        }
        switch inAppPurchase {
        case .forbidden: return available.isEmpty ? [.offerNothing] : available
        case .required: return available + [.useInAppPurchase]
        case .allowed, nil: return available.isEmpty ? [.useInAppPurchase] : available
        }
    }
}

extension Evaluation {
    /// The links as URLs.
    ///
    /// The `absoluteString` of each is the text of the configuration.
    public var urls: [URL] { links.compactMap { URL(exactly: $0.url) } }
}

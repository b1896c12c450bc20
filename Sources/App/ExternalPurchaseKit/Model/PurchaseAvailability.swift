public import ExternalPurchaseCore
import Foundation

/// What an app may offer now.
public struct PurchaseAvailability: Hashable, Sendable {
    /// The answer of one property of StoreKit.
    public struct Answer: Hashable, Sendable {
        /// Whether the API may be used.
        public let isAvailable: Bool
        /// Why, if StoreKit says so: the simulated one explains every answer, Apple's explains none.
        public let reason: String?
    }

    /// A way of buying that the app may show.
    public enum Offer: Hashable, Sendable {
        /// Custom links in the flows whose gates are open: ``ExternalPurchaseModel/purchaseWithCustomLink(_:)``.
        ///
        /// A customer whom terms exclude from offers out of the app may still buy inside it (SK-88):
        /// ``PurchaseAvailability/offersCustomLink(_:)`` says which button to show.
        case customLink([ProgrammeTerms.Flow])
        /// One of several links: ``ExternalPurchaseModel/openLink(choosing:)``.
        case links([URL])
        /// The one configured link: ``ExternalPurchaseModel/openLink(choosing:)``.
        case link
        /// A purchase in the app after the notice sheet: ``ExternalPurchaseModel/presentNoticeSheet()``.
        case noticeSheet
        /// In-App Purchase.
        case inAppPurchase
    }

    /// The alpha-3 code of the storefront; nil if there is none.
    public internal(set) var storefront: String?
    /// Whether the device allows payments.
    ///
    /// If it does not, nothing is offered (SK-80).
    public internal(set) var canMakePayments: Bool
    /// The first closed gate of each flow that has one; StoreKit's properties for a flow are not read while there is one.
    public internal(set) var closedGates: [ProgrammeTerms.Flow: ClosedGate] = [:]
    /// The gate that closes every flow; nil while one of them is open.
    public var closedGate: ClosedGate? {
        closedGates.count == ProgrammeTerms.Flow.allCases.count ? closedGates[.withinApp] : nil
    }
    /// Whether In-App Purchase stands beside external purchases in this storefront (SK-87); nil where no programme says so.
    public internal(set) var inAppPurchase: ProgrammeTerms.InAppPurchase?
    /// The text of the server's policy for customers who may not buy in this storefront; nil for none (EK-70).
    public internal(set) var message: String?
    /// Whether tokens are requested; the server's policy can say that none is (EK-70).
    public internal(set) var requestsTokens = true
    /// Why no custom link is listed although StoreKit allows one; nil if one may be listed.
    var customLinkRefusal: NotOffered?
    /// The answers of the properties; empty while every flow is closed or the device allows no payments.
    public internal(set) var answers: [EligibilityProperty: Answer] = [:]
    /// The links that can be opened, in no particular order.
    public internal(set) var eligibleURLs: [URL] = []

    /// What may be offered, in the order of SK-86: the available APIs, and In-App Purchase where nothing else is or where it
    /// has to stand beside; empty if the device allows no payments.
    ///
    /// In Japan and Brazil In-App Purchase stands beside every external purchase, at least as prominent; in an app for South
    /// Korea it is never listed, wherever the customer is (SK-87).
    public var offers: [Offer] {
        guard canMakePayments else { return [] }
        var offers: [Offer] = []
        if isAvailable(.isEligible), customLinkRefusal == nil {
            offers.append(.customLink(ProgrammeTerms.Flow.allCases.filter { closedGates[$0] == nil }))
        }
        if isAvailable(.eligibleURLs) { offers.append(.links(eligibleURLs)) }
        if isAvailable(.canOpen) { offers.append(.link) }
        if isAvailable(.canPresent) { offers.append(.noticeSheet) }
        switch inAppPurchase {
        case .forbidden: return offers
        case .required: return offers + [.inAppPurchase]
        case .allowed, nil: return offers.isEmpty ? [.inAppPurchase] : offers
        }
    }

    /// Returns whether a custom link may be offered in a flow: the button for the website, or the one for a purchase in the
    /// app.
    ///
    /// - Parameter flow: where the customer would buy.
    public func offersCustomLink(_ flow: ProgrammeTerms.Flow) -> Bool {
        offers.contains { if case .customLink(let flows) = $0 { flows.contains(flow) } else { false } }
    }

    /// Returns whether an API may be used.
    ///
    /// - Parameter property: the property of the API.
    public func isAvailable(_ property: EligibilityProperty) -> Bool { answers[property]?.isAvailable == true }

    /// Asks the gates, then StoreKit (EK-10, EK-11).
    @MainActor
    static func read(
        from store: any ExternalPurchaseStore,
        _ configuration: ExternalPurchaseModel.Configuration
    ) async -> PurchaseAvailability {
        var availability = PurchaseAvailability(storefront: nil, canMakePayments: store.canMakePayments)
        let always = await configuration.gates.firstClosed()
        // The storefront may change between two reads, and then the answers are of two storefronts.
        for _ in 0..<3 {
            availability.storefront = await store.storefront
            availability.readTerms(of: store)
            let closed = await availability.readPolicy(configuration.policy) ?? always
            availability.closedGates = [:]
            for flow in ProgrammeTerms.Flow.allCases {
                let question = PurchaseGate.Question(
                    flow: flow,
                    storefront: availability.storefront,
                    beginsPurchase: false
                )
                if let gate = if let closed { closed } else { await configuration.gates.firstClosed(question) } {
                    availability.closedGates[flow] = gate
                }
            }
            guard availability.canMakePayments, availability.closedGate == nil else {
                availability.answers = [:]
                return availability
            }
            await availability.readAnswers(of: store)
            availability.customLinkRefusal = availability.refusal(of: store, configuration)
            if await store.storefront == availability.storefront { break }
        }
        return availability
    }

    /// Applies the server's policy.
    ///
    /// - Returns: the gate that the policy closes; nil if it offers external purchases in the storefront.
    private mutating func readPolicy(_ policy: PolicyClient?) async -> ClosedGate? {
        guard let policy else { return nil }
        let (terms, reason) = await policy.terms(in: storefront)
        message = terms.message
        requestsTokens = terms.requestsTokens
        return terms.isOffered ? nil : ClosedGate(name: "policy", reason: reason)
    }

    private mutating func readTerms(of store: any ExternalPurchaseStore) {
        let terms = storefront.flatMap { ProgrammeTerms.inStorefront($0)?.inAppPurchase }
        // Another app than the one for Korea sells there by In-App Purchase.
        inAppPurchase =
            if store.isSoldWithoutInAppPurchase(in: storefront) { .forbidden } else {
                terms == .forbidden ? nil : terms
            }
    }

    private func refusal(
        of store: any ExternalPurchaseStore,
        _ configuration: ExternalPurchaseModel.Configuration
    ) -> NotOffered? {
        guard let storefront, let scheme = configuration.tokenScheme(storefront) else {
            return .unknownTokenScheme(storefront: storefront)
        }
        guard case .transaction = scheme, !store.noticeNamesDestination, configuration.disclosure == nil else {
            return nil
        }
        return .disclosureMissing
    }

    private mutating func readAnswers(of store: any ExternalPurchaseStore) async {
        let (isWithinApp, isOutOfApp) = (closedGates[.withinApp] == nil, closedGates[.outOfApp] == nil)
        eligibleURLs = isOutOfApp ? await store.eligibleURLs ?? [] : []
        answers = [:]
        func read(_ property: EligibilityProperty, _ isAvailable: Bool) {
            answers[property] = Answer(isAvailable: isAvailable, reason: store.explanation(of: property))
        }
        if isWithinApp { read(.canPresent, await store.canPresent) }
        if isOutOfApp {
            read(.canOpen, await store.canOpen)
            read(.eligibleURLs, !eligibleURLs.isEmpty)
        }
        read(.isEligible, await store.isEligible)
    }
}

public import Foundation

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
        /// Custom links: ``ExternalPurchaseModel/purchaseWithCustomLink(_:)``.
        case customLink
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
    /// The first closed gate; StoreKit's properties are not read while there is one.
    public internal(set) var closedGate: ClosedGate?
    /// The answers of the properties; empty while a gate is closed or the device allows no payments.
    public internal(set) var answers: [EligibilityProperty: Answer] = [:]
    /// The links that can be opened, in no particular order.
    public internal(set) var eligibleURLs: [URL] = []

    /// What may be offered, in the order of SK-86: the available APIs, else In-App Purchase; empty if the device
    /// allows no payments.
    public var offers: [Offer] {
        guard canMakePayments else { return [] }
        var offers: [Offer] = []
        if isAvailable(.isEligible) { offers.append(.customLink) }
        if isAvailable(.eligibleURLs) { offers.append(.links(eligibleURLs)) }
        if isAvailable(.canOpen) { offers.append(.link) }
        if isAvailable(.canPresent) { offers.append(.noticeSheet) }
        return offers.isEmpty ? [.inAppPurchase] : offers
    }

    /// Returns whether an API may be used.
    ///
    /// - Parameter property: the property of the API.
    public func isAvailable(_ property: EligibilityProperty) -> Bool { answers[property]?.isAvailable == true }

    /// Asks the gates, then StoreKit (EK-10, EK-11).
    @MainActor
    static func read(from store: any ExternalPurchaseStore, gates: [PurchaseGate]) async -> PurchaseAvailability {
        var availability = PurchaseAvailability(storefront: nil, canMakePayments: store.canMakePayments)
        availability.closedGate = await gates.firstClosed()
        // The storefront may change between two reads, and then the answers are of two storefronts.
        for _ in 0..<3 {
            availability.storefront = await store.storefront
            guard availability.canMakePayments, availability.closedGate == nil else { return availability }
            await availability.readAnswers(of: store)
            if await store.storefront == availability.storefront { break }
        }
        return availability
    }

    private mutating func readAnswers(of store: any ExternalPurchaseStore) async {
        eligibleURLs = await store.eligibleURLs ?? []
        let isAvailable: [EligibilityProperty: Bool] = await [
            .canPresent: store.canPresent, .canOpen: store.canOpen, .eligibleURLs: !eligibleURLs.isEmpty,
            .isEligible: store.isEligible,
        ]
        answers = [:]
        for (property, isAvailable) in isAvailable {
            answers[property] = Answer(isAvailable: isAvailable, reason: store.explanation(of: property))
        }
    }
}

import ExternalPurchaseCore
import Foundation

/// The app's actions so far, as needed by the usage rules (SK-100, SK-101).
struct UsageRecord: Sendable {
    /// The last answer to a notice or disclosure.
    ///
    /// It begins a flow, which ends with an opened URL.
    struct Notice: Sendable {
        let isContinued: Bool
        /// The API family; empty for the app's own disclosure.
        let family: String
        var destination: URL?
        /// True where custom links have `ACQUISITION` and `SERVICES`.
        var hasTokenPeriods = false
    }

    var notice: Notice?
    /// The requested token types that have periods.
    var requestedTypes: Set<TokenType> = []
    /// True after a disclosure in a storefront with token periods.
    var hasShownDisclosure = false
    /// True from a disclosure with token periods that the customer accepted until the end of its purchase.
    var isPurchaseOpen = false
    /// The token types with periods that were requested since the last purchase ended.
    var typesSincePurchase: Set<TokenType> = []
    /// The members that the app used, by their names in the table of members.
    var members: Set<String> = []
    /// The members whose missing guard was recorded.
    var recordedGuards: Set<String> = []
    /// The number of open flows by kind.
    var underWay: [String: Int] = [:]
    /// The tokens that the app received, in order.
    var handedOut: [String] = []
    /// Whether the app showed its offer, and In-App Purchase.
    var hasShownOffer = false
    var hasOfferedInAppPurchase = false
    /// True from a parental gate that was passed until the flow that follows it.
    var hasPassedGate = false
    /// The number of deliveries of each token to the server.
    var deliveries: [String: Int] = [:]
}

extension StoreKitSession {
    /// Counts a new flow of a kind.
    ///
    /// A second one at the same time is recorded.
    func begin(_ kind: String) {
        let isFirst = state.withLock { state in
            state.usage.underWay[kind, default: 0] += 1
            return state.usage.underWay[kind] == 1
        }
        if !isFirst { record(.concurrentFlow(kind)) }
    }

    func end(_ kind: String) {
        state.withLock { $0.usage.underWay[kind, default: 1] -= 1 }
    }

    func note(_ notice: UsageRecord.Notice) {
        let beginsPurchase = notice.hasTokenPeriods && notice.isContinued
        // The app did not report the end of the previous purchase.
        if beginsPurchase { endPurchase() }
        state.withLock { state in
            state.usage.notice = notice
            if notice.hasTokenPeriods { state.usage.hasShownDisclosure = true }
            if beginsPurchase { state.usage.isPurchaseOpen = true }
        }
    }

    /// Ends the open purchase with custom links, and records the token types that were not requested for it (SK-59).
    func endPurchase() {
        let missing = state.withLock { state -> [TokenType] in
            guard state.usage.isPurchaseOpen else { return [] }
            let requested = state.usage.typesSincePurchase
            state.usage.isPurchaseOpen = false
            state.usage.typesSincePurchase = []
            return [.acquisition, .services].filter { !requested.contains($0) }
        }
        if !missing.isEmpty { record(.tokensNotRequestedBeforePurchase(missing: missing)) }
    }

    func handOut(_ issued: IssuedToken) {
        state.withLock { state in
            if !state.usage.handedOut.contains(issued.text) { state.usage.handedOut.append(issued.text) }
        }
    }
}

import ExternalPurchaseCore
import Foundation
import Synchronization

/// What the app has done so far, as far as the rules of use look back (SK-100, SK-101).
struct UsageRecord: Sendable {
    /// The last answer to a notice or disclosure; a flow begins with it and ends with an opened URL.
    struct Notice: Sendable {
        let isContinued: Bool
        /// The API family; empty for a disclosure of the app's own.
        let family: String
        var destination: URL?
        /// True where custom links have `ACQUISITION` and `SERVICES`.
        var hasTokenPeriods = false
    }

    var notice: Notice?
    /// The types of periods that were requested.
    var requestedTypes: Set<TokenType> = []
    /// True after a disclosure in a storefront with token periods.
    var hasShownDisclosure = false
    /// True from a disclosure with token periods that the customer continued until its purchase ends.
    var isPurchaseOpen = false
    /// The types of periods that were requested since the last purchase ended.
    var typesSincePurchase: Set<TokenType> = []
    /// The members that the app used, by their names in the table of members.
    var members: Set<String> = []
    /// Those of them whose missing guard was remarked.
    var recordedGuards: Set<String> = []
    /// Flows under way by kind.
    var underWay: [String: Int] = [:]
    /// The tokens that the app received, in their order.
    var handedOut: [String] = []
    /// How often each token was delivered to the server.
    var deliveries: [String: Int] = [:]
}

extension StoreKitSession {
    /// Counts a flow of a kind; a second one beside it is remarked.
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
        // The app did not tell how the purchase before this one ended.
        if beginsPurchase { endPurchase() }
        state.withLock { state in
            state.usage.notice = notice
            if notice.hasTokenPeriods { state.usage.hasShownDisclosure = true }
            if beginsPurchase { state.usage.isPurchaseOpen = true }
        }
    }

    /// Ends the open purchase with custom links; token types that were not requested for it are remarked (SK-59).
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

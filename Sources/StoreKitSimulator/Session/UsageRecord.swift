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
        state.withLock { state in
            state.usage.notice = notice
            if notice.hasTokenPeriods { state.usage.hasShownDisclosure = true }
        }
    }

    func handOut(_ issued: IssuedToken) {
        state.withLock { state in
            if !state.usage.handedOut.contains(issued.text) { state.usage.handedOut.append(issued.text) }
        }
    }
}

public import ExternalPurchaseCore

/// Why a flow did not begin.
///
/// StoreKit showed nothing and made no token.
public enum NotOffered: Hashable, Sendable {
    /// A gate of the app is closed.
    case gateClosed(ClosedGate)
    /// The device allows no payments: offer nothing (SK-80).
    case paymentsNotAllowed
    /// StoreKit does not offer the API now: use In-App Purchase (SK-81). The simulated StoreKit gives the reason.
    case notAvailable(reason: String?)
    /// Another flow is going on.
    case purchaseInProgress
    /// None of the eligible links was chosen, or a custom link outside the EU names no address (SK-64).
    case noLinkChosen
    /// The app has no disclosure of its own, and this system's notice is not for this storefront (SK-66).
    case disclosureMissing
    /// Neither this package nor the app knows which tokens the storefront has.
    case unknownTokenScheme(storefront: String?)
    /// The outbox is full: the server has not taken tokens for a long time (EK-26).
    case outboxFull
    /// The disk takes no token (EK-27).
    case storageFailed(StorageFailure)
}

/// What came of ``ExternalPurchaseModel/openLink(choosing:)``.
public enum LinkResult: Hashable, Sendable {
    /// StoreKit asks the customer now, and opens the link with a token if the customer continues; nil for the one
    /// configured link. Nothing is sold yet.
    case askingCustomer(URL?)
    /// The flow did not begin.
    case notOffered(NotOffered)
    /// StoreKit failed. What may be offered was read anew.
    case failed(StoreFailure)
}

/// What came of ``ExternalPurchaseModel/presentNoticeSheet()``.
public enum NoticeSheetResult: Hashable, Sendable {
    /// The customer continued, and the token is safe. Show the purchase.
    case continued(PurchaseToken)
    /// The customer continued on a system that makes no token; the sale is reported by hand.
    case continuedWithoutToken
    /// The customer declined: offer nothing and open nothing.
    case cancelled
    /// The flow did not begin.
    case notOffered(NotOffered)
    /// StoreKit failed.
    case failed(StoreFailure)
    /// The token is in memory only: show no purchase (EK-27).
    case tokenNotKept(PurchaseToken)
}

/// What came of ``ExternalPurchaseModel/purchaseWithCustomLink(_:)``.
public enum CustomLinkResult: Hashable, Sendable {
    /// The customer continued, and every token is safe. The website is open if the app has an opener; a purchase
    /// inside the app can be shown.
    case continued(PurchaseTokens)
    /// The same, but the website could not be opened.
    case destinationNotOpened(PurchaseTokens)
    /// The customer declined: offer nothing and open nothing.
    case cancelled
    /// The flow did not begin.
    case notOffered(NotOffered)
    /// StoreKit failed, or the storefront changed, before a token was requested (EK-19).
    case failed(StoreFailure)
    /// StoreKit made no token for this purchase, and no later request returns it: open nothing (EK-16).
    case tokenFailed(StoreFailure)
    /// A token is in memory only: open nothing (EK-27).
    case tokensNotKept(PurchaseTokens)
}

/// The tokens of one purchase.
public struct PurchaseTokens: Hashable, Sendable {
    /// Why there is no token of a type.
    public enum Missing: Hashable, Sendable {
        /// No period is active. The purchase may go on (SK-84).
        case noneActive
        /// The server's policy requests none in this storefront; the sale is reported by hand (EK-70).
        case notRequested
        /// This system makes none in this storefront. The sale is reported by hand (SK-47).
        case unsupported
        /// StoreKit failed; the type is requested again at the next refresh.
        case failed(StoreFailure)
    }

    /// The tokens, in the order of their requests.
    public internal(set) var tokens: [PurchaseToken] = []
    /// The types without a token.
    public internal(set) var missing: [TokenType: Missing] = [:]
    /// Whether each token is on disk or at the server.
    public internal(set) var areSafe = true
    /// The system on which this purchase has no token, `iOS 26.3`; nil if it has one, or a later request returns it.
    ///
    /// The sale states it as `system`, and the server lists the sale for the report by hand (OB-41, EK-62).
    public internal(set) var tokenlessSystem: String?

    /// Creates an empty list.
    public init() {}

    init(notRequested types: [TokenType]) {
        for type in types { missing[type] = .notRequested }
    }
}

import Eligibility

/// Purchases with another payment provider inside the app; StoreKit shows a notice before each.
public enum ExternalPurchase: Sendable {
    /// Whether the notice sheet can be shown for the storefront (SK-22).
    ///
    /// Ask again whenever the storefront changes (SK-90).
    public static var canPresent: Bool {
        get async { StoreKitSession.current.read(.canPresent).isEligible }
    }

    /// Shows the notice and waits for the customer; call it each time before external purchases are shown (SK-53).
    ///
    /// - Returns: the token of this purchase, or that the customer declined.
    /// - Throws: `StoreKitError` of the first condition that fails (SK-20), or when no token can be made (SK-54).
    public static func presentNoticeSheet() async throws -> NoticeResult {
        try await StoreKitSession.current.presentNotice()
    }

    /// What the customer answered.
    @nonexhaustive
    public enum NoticeResult: Hashable, Sendable {
        /// The customer declined: no external purchase may be shown.
        case cancelled
        /// The customer goes on; hand the token to the server, which reports the sale under it (TK-63).
        case continuedWithExternalPurchaseToken(token: String)
    }
}

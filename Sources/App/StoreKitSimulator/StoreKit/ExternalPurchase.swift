import Eligibility

/// Purchases with another payment provider inside the app.
///
/// StoreKit shows a notice before each purchase.
public enum ExternalPurchase: Sendable {
    /// Whether the notice sheet can be shown in the storefront (SK-22).
    ///
    /// Read it again whenever the storefront changes (SK-90).
    public static var canPresent: Bool {
        get async { StoreKitSession.current.read(.canPresent).isEligible }
    }

    /// Shows the notice and waits for the customer.
    ///
    /// Call it each time before you show external purchases (SK-53).
    ///
    /// - Returns: the token of this purchase, or that the customer declined.
    /// - Throws: `StoreKitError` of the first condition that fails (SK-20), or when no token can be issued (SK-54).
    public static func presentNoticeSheet() async throws -> NoticeResult {
        try await StoreKitSession.current.presentNotice()
    }

    /// The customer's answer.
    @nonexhaustive
    public enum NoticeResult: Hashable, Sendable {
        /// The customer declined.
        ///
        /// Do not show external purchases.
        case cancelled
        /// The customer continued.
        ///
        /// Send the token to your server, which reports the sale under it (TK-63).
        case continuedWithExternalPurchaseToken(token: String)
    }
}

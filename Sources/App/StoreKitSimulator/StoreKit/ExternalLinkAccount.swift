/// A link of a reader app to its website, where customers make and manage an account.
public enum ExternalLinkAccount: Sendable {
    /// Whether `open()` can open the link of `SKExternalLinkAccount` (SK-111).
    ///
    /// Read it again whenever the storefront changes.
    public static var canOpen: Bool {
        get async { StoreKitSession.current.accountLink.failed == nil }
    }

    /// Asks the customer, and opens the link of `SKExternalLinkAccount` without token.
    ///
    /// The method returns before the sheet appears, so its return says nothing about the customer's choice (SK-112).
    ///
    /// - Throws: `StoreKitError` of the first condition that fails (SK-111).
    public static func open() async throws {
        try StoreKitSession.current.openAccountLink()
    }
}

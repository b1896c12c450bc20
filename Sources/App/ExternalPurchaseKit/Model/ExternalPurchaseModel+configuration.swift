public import Foundation

extension ExternalPurchaseModel {
    /// What an app decides itself about external purchases.
    public struct Configuration: Sendable {
        /// Gates, asked in this order before StoreKit.
        public var gates: [PurchaseGate] = []
        /// The developer's server decides where external purchases are offered, without an update of the app; nil if only the
        /// app and StoreKit decide (EK-70).
        public var policy: PolicyClient?
        /// Which custom link tokens a storefront has; nil for a storefront without custom links.
        ///
        /// The default is the newest rule pack of this package. A storefront that Apple opens later can be added here.
        public var tokenScheme: @Sendable (_ storefront: String) -> TokenScheme? = TokenScheme.builtIn
        /// Shows the app's own disclosure with Apple's text, and returns whether the customer continued.
        ///
        /// Japan and Brazil ask for it on systems before 27.2 (SK-66). Without it no custom link is offered there.
        public var disclosure: (@MainActor @Sendable (ExternalPurchaseDestination) async -> Bool)?
        /// Opens the website of a custom link, and returns whether it was opened: `UIApplication.open(_:)`.
        ///
        /// Without it the app opens the website itself after ``CustomLinkResult/continued(_:)``.
        public var openURL: (@MainActor @Sendable (URL) async -> Bool)?
        /// Makes the address that ``openURL`` receives from the destination and the tokens of the purchase.
        ///
        /// The default returns the destination. With `{ url, tokens in tokens.appendingId(to: url) }` the website learns the
        /// `externalPurchaseId` that its sale names in Japan and Brazil (EK-60).
        public var destinationURL: @Sendable (URL, PurchaseTokens) -> URL = { url, _ in url }

        /// Creates a configuration without gates, disclosure and opener.
        public init() {}
    }
}

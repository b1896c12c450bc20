package import ExternalPurchaseCore
package import Ledger

/// A person's word on whose a token is, where arrivals and sales contradict one another.
package struct CustomerCommand: Hashable, Sendable {
    package let token: ExternalPurchaseId
    /// The token's app; nil where only one app has the token.
    package let bundleId: BundleId?
    /// Nil for nobody.
    package let customerId: CustomerId?
    package let by: String
    package let reason: String?

    package init(
        _ token: ExternalPurchaseId,
        of bundleId: BundleId? = nil,
        customerId: CustomerId?,
        by: String,
        reason: String? = nil
    ) {
        self.token = token
        self.bundleId = bundleId
        self.customerId = customerId
        self.by = by
        self.reason = reason
    }
}

package import ExternalPurchaseCore
package import Ledger

/// A person's decision about the customer of a token, for tokens with contradictory arrivals and sales.
package struct CustomerCommand: Hashable, Sendable {
    let token: ExternalPurchaseId
    /// The app of the token; nil if only one app has the token.
    let bundleId: BundleId?
    /// The customer; nil removes the customer from the token.
    let customerId: CustomerId?
    let by: String
    let reason: String?

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

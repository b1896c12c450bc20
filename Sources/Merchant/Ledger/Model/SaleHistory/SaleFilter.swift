package import ExternalPurchaseCore

/// The conditions of a list of an app's sales; all conditions that are set must hold.
package struct SaleFilter: Hashable, Sendable {
    package let bundleId: BundleId
    /// The environment in which the sale counts (``StoredSale/environment``).
    package var environment: AppStoreEnvironment?
    /// The member `type` in the HTTP interface.
    package var kind: String?
    /// The member `state` in the HTTP interface.
    package var state: State?
    package var standing: SaleStanding?
    package var customerId: CustomerId?
    package var checkoutId: CheckoutId?
    /// The token on which the sale is reported.
    package var externalPurchaseId: ExternalPurchaseId?
    package var productId: String?
    /// Includes sales from this time on.
    package var from: Timestamp?
    /// Includes sales before this time.
    package var until: Timestamp?
    package var flag: SaleFlag?

    package enum State: String, Hashable, Sendable, CaseIterable {
        case planned
        case held
        case recorded
        case void
    }

    package init(bundleId: BundleId) {
        self.bundleId = bundleId
    }

    /// Whether a sale matches the filter; the lines of an order are matched one by one.
    package func matches(_ sale: StoredSale) -> Bool {
        let content = sale.sale
        return content.bundleId == bundleId && holds(state?.rawValue, sale.stateName) && holds(kind, content.typeName)
            && holds(environment, sale.environment)
            && holds(standing, sale.standing) && holds(customerId, content.customerId)
            && holds(checkoutId, content.checkoutId)
            && holds(externalPurchaseId, sale.attribution.externalPurchaseId)
            && holds(productId, content.purchase?.productId) && from.map { content.occurredAt >= $0 } ?? true
            && until.map { content.occurredAt < $0 } ?? true
            && flag.map { sale.attribution.flags.contains($0) } ?? true
    }

    private func holds<Value: Equatable>(_ wanted: Value?, _ value: Value?) -> Bool {
        wanted == nil || wanted == value
    }
}

package import ExternalPurchaseCore

/// Which sales of an app a list holds; everything that is given has to hold.
package struct SaleFilter: Hashable, Sendable {
    package let bundleId: BundleId
    /// That of its token.
    package var environment: AppStoreEnvironment?
    /// The `type` of the interface.
    package var kind: String?
    /// The `state` of the interface.
    package var state: State?
    package var standing: SaleStanding?
    package var customerId: CustomerId?
    package var checkoutId: CheckoutId?
    /// The token that the sale is on.
    package var externalPurchaseId: ExternalPurchaseId?
    package var productId: String?
    /// The first moment of the sale.
    package var from: Timestamp?
    /// The moment of the sale is before it.
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

    /// Whether a row is one of those; of a sale of several lines each line is asked for itself.
    package func matches(_ sale: StoredSale) -> Bool {
        let content = sale.sale
        return content.bundleId == bundleId && holds(state?.rawValue, sale.stateName) && holds(kind, content.typeName)
            && holds(environment, sale.attribution.externalPurchaseId?.environment)
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

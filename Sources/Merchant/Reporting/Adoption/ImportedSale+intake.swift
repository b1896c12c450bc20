import ExternalPurchaseCore
import Ledger
import ReportPlanning

/// Merges a sale that the merchant sends with the imported sale of the same identifier.
extension ImportedSale {
    /// Adds the merchant's data to an imported sale.
    ///
    /// The data are customer, checkout, subscription name, and the amounts in a billed currency that is not reported.
    ///
    /// - Parameters:
    ///   - sale: the sale as the merchant sends it.
    ///   - known: the imported sale.
    /// - Returns: the stored sale, or an error that names the differing figures of both sales.
    static func adopt(
        _ sale: Sale,
        of known: StoredSale,
        now: Timestamp,
        planner: MerchantPlanner,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) -> Result<StoredSale, RequestError> {
        let buy = try ledger.refundedPurchase(of: known.sale)
        var differences = SaleDifferences(of: sale, from: known.sale, buy: buy)
        if let customer = known.sale.customerId, let named = sale.customerId, named != customer {
            differences.add("customerId", named, customer)
        }
        let name = sale.subscriptionCharge?.subscriptionId
        let subscription = known.sale.subscriptionCharge.flatMap {
            ImportedSubscription(placeholder: $0.subscriptionId)
        }
        if let name, subscription == nil, let its = known.sale.subscriptionCharge?.subscriptionId, its != name {
            differences.add("subscriptionId", name, its)
        }
        if let words = differences.words {
            return .failure(
                .conflict("\(sale.saleId) was imported as accepted by Apple: \(words); a change of it is a correction")
            )
        }
        var merged = known.sale.with(
            customer: sale.customerId ?? known.sale.customerId,
            checkout: sale.checkoutId ?? known.sale.checkoutId
        )
        if let name { merged = merged.with(subscription: name) }
        merged = merged.billed(as: sale, buy: buy)
        guard merged != known.sale else { return .success(known) }
        try ledger.insert(
            SaleVersion(
                version: known.version + 1,
                sale: merged,
                lineItemId: known.lineItemId,
                change: known.isRetracted ? .retracted : .restated,
                saidAt: now
            )
        )
        if let name, let subscription {
            _ = try subscription.link(to: name, now: now, of: sale.bundleId, in: ledger)
        }
        let keys = [.sale(sale.saleId)] + merged.keys
        try planner.replan(touching: keys, of: sale.bundleId, extent: .touched, in: ledger, now: now)
        return .success(try ledger.sale(sale.saleId, of: sale.bundleId) ?? known)
    }
}

import ExternalPurchaseCore
import Ledger

extension StoredSale {
    /// Returns the sale with the token that its line item is on after a move, instead of its first token (RR-81).
    ///
    /// The stored row keeps the token of its first report.
    ///
    /// - Throws: ``LedgerError``.
    func whereItIs(in ledger: LedgerQueries) throws(LedgerError) -> StoredSale {
        guard version > 1, lineItemId.rawValue != sale.saleId.rawValue, let first = attribution.externalPurchaseId
        else {
            return self
        }
        let scope = ReportingScope(bundleId: sale.bundleId, environment: first.environment)
        guard let newest = try ledger.lineItemVersions(lineItemId, in: scope).last else { return self }
        var moved = self
        moved.attribution.externalPurchaseId = newest.externalPurchaseId
        return moved
    }
}

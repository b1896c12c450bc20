package import ExternalPurchaseCore

extension LedgerTransaction {
    /// Stores a sale and returns it with its sequence number.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when the app already has a sale of that id or line item.
    package func insert(_ sale: StoredSale) throws(LedgerError) -> StoredSale {
        var sale = StoredSale(
            sale: sale.sale,
            lineItemId: sale.lineItemId,
            receivedAt: sale.receivedAt,
            attribution: sale.attribution,
            partOf: sale.partOf
        )
        sale.sequence = try perform(.insertSale(sale))
        return sale
    }

    /// Updates the attribution of a sale that is in no report and no manual export.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when the sale is in one of them, or its token is not stored.
    package func update(
        _ attribution: Attribution,
        of sale: SaleId,
        app bundleId: BundleId
    ) throws(LedgerError) {
        try perform(.attributeSale(attribution, sale, bundleId))
    }

    /// Stores a change that waits for Apple's response; it supersedes a waiting change of the same sale.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` for an unknown sale.
    package func insert(_ change: SaleChange) throws(LedgerError) -> SaleChange {
        for earlier in try changes(of: change.saleId, app: change.bundleId) where earlier.closing == nil {
            try close(earlier, as: .superseded)
        }
        var change = change
        change.closing = nil
        change.sequence = try perform(.insertSaleChange(change))
        return change
    }

    /// Closes a waiting change with its outcome.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when the change does not wait.
    package func close(_ change: SaleChange, as outcome: SaleChange.Outcome) throws(LedgerError) {
        let closing = SaleChange.Closing(at: dependencies.now(), outcome: outcome)
        try perform(.closeSaleChange(sequence: change.sequence, of: change.saleId, change.bundleId, closing))
    }

    /// Adds the next version of a sale, which becomes the current one.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when the version does not follow the newest one, when the sale or the
    ///   correction is not stored, or when the line item belongs to another sale.
    package func insert(_ version: SaleVersion) throws(LedgerError) {
        try perform(.addSaleVersion(version))
    }
}

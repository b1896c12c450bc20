package import ExternalPurchaseCore

// Changes of sales that wait for Apple's response.
extension LedgerQueries {
    /// Changes of sales that wait for Apple's response, in order of request.
    package func waitingSaleChanges(_ page: LedgerPage) throws(LedgerError) -> [SaleChange] {
        try query(Query.waitingSaleChanges, [page.after, page.bound]).decoded(SaleChangeRow.record)
    }

    /// Every change that was requested while a report contained the sale, oldest first.
    package func changes(of sale: SaleId, app bundleId: BundleId) throws(LedgerError) -> [SaleChange] {
        try query(.changes(of: sale, app: bundleId)).decoded(SaleChangeRow.record)
    }
}

extension LedgerTransaction {
    func insertRow(of change: SaleChange) throws(LedgerError) -> Int64 {
        try insert(change, into: SaleChangeRow.table)
    }

    func closeRow(ofSaleChange sequence: Int64, _ closing: SaleChange.Closing) throws(LedgerError) -> Int64 {
        try change(SaleChangeRow.closing, to: closing, at: sequence, otherwise: "no such change waits")
    }
}

import ExternalPurchaseCore
import Ledger

// Changes of sales that wait for Apple's response.
extension SQLTransaction {
    func waitingSaleChanges(_ page: LedgerPage) throws(LedgerError) -> [SaleChange] {
        try query(Query.waitingSaleChanges, [page.after, page.bound]).decoded(SaleChangeRow.record)
    }

    func changes(of sale: SaleId, app bundleId: BundleId) throws(LedgerError) -> [SaleChange] {
        try query(Query.changesOfSale, [bundleId.rawValue, sale.rawValue]).decoded(SaleChangeRow.record)
    }

    func insertRow(of change: SaleChange) throws(LedgerError) -> Int64 {
        try insert(change, into: SaleChangeRow.table)
    }

    func closeRow(ofSaleChange sequence: Int64, _ closing: SaleChange.Closing) throws(LedgerError) -> Int64 {
        try change(SaleChangeRow.closing, to: closing, at: sequence, otherwise: "no such change waits")
    }
}

import ExternalPurchaseCore
import GRDB
import Ledger

/// Changes of sales that wait for Apple's answer.
extension SQLiteTransaction {
    func waitingSaleChanges(_ page: LedgerPage) throws(LedgerError) -> [SaleChange] {
        try rows(Query.waitingSaleChanges, [page.after, page.bound]).decoded(saleChange)
    }

    func changes(of sale: SaleId, app bundleId: BundleId) throws(LedgerError) -> [SaleChange] {
        try rows(Query.changesOfSale, [bundleId.rawValue, sale.rawValue]).decoded(saleChange)
    }

    func insertRow(of change: SaleChange) throws(LedgerError) -> Int64 {
        try insert(
            """
            INSERT INTO sale_changes (bundle_id, sale_id, customer_id, content, said_by, reason, asked_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                change.bundleId.rawValue, change.saleId.rawValue, change.content?.customerId?.rawValue,
                change.content?.json.withoutCustomer.text, change.by, change.reason, change.askedAt.milliseconds,
            ]
        )
    }

    func closeRow(ofSaleChange sequence: Int64, _ closing: SaleChange.Closing) throws(LedgerError) -> Int64 {
        try change(
            "UPDATE sale_changes SET closed_at = ?, outcome = ? WHERE sequence = ? AND closed_at IS NULL",
            [closing.at.milliseconds, closing.outcome.rawValue, sequence],
            otherwise: "no such change waits"
        )
    }

    private func saleChange(_ row: Row) throws(LedgerError) -> SaleChange {
        var closing: SaleChange.Closing?
        if let time = try row.optionalTime("closed_at") {
            closing = SaleChange.Closing(at: time, outcome: try row.known("outcome"))
        }
        return SaleChange(
            sequence: try row.integer("sequence"),
            bundleId: BundleId(try row.text("bundle_id")),
            saleId: SaleId(try row.text("sale_id")),
            content: try row.optionalText("content") == nil
                ? nil : row.sale(content: "content", customer: "customer_id"),
            by: try row.optionalText("said_by"),
            reason: try row.optionalText("reason"),
            askedAt: try row.time("asked_at"),
            closing: closing
        )
    }
}

import ExternalPurchaseCore
import GRDB
import Ledger

extension SQLiteTransaction {
    func invoices(_ page: LedgerPage) throws(LedgerError) -> [StoredInvoice] {
        try rows(
            "SELECT * FROM invoices WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [page.after, page.bound]
        ).decoded(storedInvoice)
    }

    func insertRow(of invoice: StoredInvoice) throws(LedgerError) -> Int64 {
        try insert(
            """
            INSERT INTO invoices (bundle_id, invoice_id, programme, month, issued_on, currency, amount, entered_at,
                entered_by)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                invoice.bundleId.rawValue, invoice.invoiceId, invoice.programme, invoice.month, invoice.issuedOn,
                invoice.currency, invoice.amountText, invoice.enteredAt.milliseconds, invoice.enteredBy,
            ]
        )
    }

    private func storedInvoice(_ row: Row) throws(LedgerError) -> StoredInvoice {
        guard let amount = DecimalText.decimal(try row.text("amount")) else {
            throw .corrupt("the amount of an invoice is no decimal")
        }
        return StoredInvoice(
            sequence: try row.integer("sequence"),
            bundleId: BundleId(try row.text("bundle_id")),
            invoiceId: try row.text("invoice_id"),
            programme: try row.text("programme"),
            month: try row.text("month"),
            issuedOn: try row.text("issued_on"),
            currency: try row.text("currency"),
            amount: amount,
            enteredAt: try row.time("entered_at"),
            enteredBy: try row.text("entered_by")
        )
    }
}

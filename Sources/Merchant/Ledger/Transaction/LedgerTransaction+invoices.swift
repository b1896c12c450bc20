import ExternalPurchaseCore

extension LedgerQueries {
    package func invoices(_ page: LedgerPage) throws(LedgerError) -> [StoredInvoice] {
        try query(
            "SELECT * FROM invoices WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [page.after, page.bound]
        ).decoded(InvoiceRow.record)
    }
}

extension LedgerTransaction {
    func insertRow(of invoice: StoredInvoice) throws(LedgerError) -> Int64 {
        try insert(invoice, into: InvoiceRow.table)
    }
}

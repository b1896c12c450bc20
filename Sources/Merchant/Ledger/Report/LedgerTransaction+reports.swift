package import ExternalPurchaseCore

extension LedgerTransaction {
    /// Stores a report with its sales.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when a sale is already in another report.
    package func insert(_ report: StoredReport, holding sales: [SaleId]) throws(LedgerError) -> StoredReport {
        if report.isImported { throw .conflict("an imported report comes with what was accepted") }
        var report = report
        report.sequence = try perform(.insertReport(report, holding: sales, accepting: []))
        return report
    }

    /// Stores a report that another system sent and Apple accepted, with its line items; it is never sent again.
    ///
    /// - Parameters:
    ///   - report: an accepted report marked as imported, with the bytes that were sent or that Apple returned.
    ///   - sales: the imported sales whose line items are in the report.
    ///   - items: the line items of the report.
    /// - Throws: ``LedgerError/conflict(_:)``, also for a report that is not accepted or not marked as imported.
    package func importAccepted(
        _ report: StoredReport,
        holding sales: [SaleId] = [],
        items: [ReceivedLineItem]
    ) throws(LedgerError) -> StoredReport {
        guard report.isImported, report.state == .accepted else {
            throw .conflict("only an accepted report that is marked as imported can be taken over")
        }
        var report = report
        report.sequence = try perform(.insertReport(report, holding: sales, accepting: items))
        return report
    }

    /// Updates state, attempts, response and errors of a report that is not accepted yet.
    ///
    /// The state `accepted` adds the report's items to the accepted history in the same step (SA-73); `withdrawn`
    /// releases its sales.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` for a report that is accepted or withdrawn, and when a report is
    ///   withdrawn that was not refused, because Apple may have it.
    package func update(_ report: StoredReport, accepting items: [ReceivedLineItem]) throws(LedgerError) {
        try perform(.updateReport(report, accepting: items))
    }
}

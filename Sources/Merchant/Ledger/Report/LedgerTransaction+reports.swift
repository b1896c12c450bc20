package import ExternalPurchaseCore

extension LedgerTransaction {
    /// Stores a report with the sales that it holds, which no other report may hold.
    ///
    /// - Throws: ``LedgerError/conflict(_:)``.
    package func insert(_ report: StoredReport, holding sales: [SaleId]) throws(LedgerError) -> StoredReport {
        if report.isImported { throw .conflict("an imported report comes with what was accepted") }
        var report = report
        report.sequence = try perform(.insertReport(report, holding: sales, accepting: []))
        return report
    }

    /// Stores a report that another system sent and Apple accepted, with its items; it is never sent from here.
    ///
    /// - Parameters:
    ///   - report: an accepted report marked as imported, with the bytes that were sent or that Apple gave back.
    ///   - sales: the sales whose items it holds, where they were taken over too.
    ///   - items: its line items.
    /// - Throws: ``LedgerError/conflict(_:)`` also for a report that is not marked, or not accepted.
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

    /// Changes state, attempts, answer and errors of a report that is not accepted yet; `accepted` adds its items to
    /// the accepted history in the same step (SA-73), `withdrawn` lets go of its sales.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` for a report that is accepted or withdrawn, and for withdrawing one that
    ///   was not refused: Apple may have it.
    package func update(_ report: StoredReport, accepting items: [ReceivedLineItem]) throws(LedgerError) {
        try perform(.updateReport(report, accepting: items))
    }
}

package import ExternalPurchaseCore

extension LedgerQueries {
    package func report(_ id: RequestIdentifier, in scope: ReportingScope) throws(LedgerError) -> StoredReport? {
        try query(Query.report, [scope.bundleId.rawValue, scope.environment.rawValue, id.key])
            .decoded(ReportRow.record).first
    }

    package func reports(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredReport] {
        try query(.reports, filter, page).decoded(ReportRow.record)
    }

    package func reports(in scope: ReportingScope, state: [ReportState], limit: Int) throws(LedgerError)
        -> [StoredReport]
    {
        guard !state.isEmpty else { return [] }
        let states = state.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let column = "iif(withdrawn_at IS NULL, state, 'withdrawn')"
        // The explicit condition lets SQLite use the small index of open reports instead of reading every accepted one.
        let open = state.contains(.accepted) ? "" : "AND state <> 'accepted'"
        return try query(
            """
            SELECT * FROM reports WHERE bundle_id = ? AND environment = ? AND \(column) IN (\(states)) \(open)
            ORDER BY sequence LIMIT ?
            """,
            [scope.bundleId.rawValue, scope.environment.rawValue, max(0, limit)]
        ).decoded(ReportRow.record)
    }

    /// The accepted reports of each of some tokens, in order of arrival.
    package func acceptedReports(
        onEach tokens: [ExternalPurchaseId],
        in scope: ReportingScope
    ) throws(LedgerError) -> [[(id: RequestIdentifier, status: ReportStatus)]] {
        try queries(
            Query.acceptedReportsOnToken,
            withEach: tokens.map { [scope.bundleId.rawValue, $0.rawValue, scope.environment.rawValue] }
        ).decoded { row throws(LedgerError) in
            (try ReportRow.requestIdentifier.read(from: row), try ReportRow.status.read(from: row))
        }
    }

    /// The reports that name a token.
    package func reports(on token: ExternalPurchaseId, of bundleId: BundleId) throws(LedgerError) -> [StoredReport] {
        try query(Query.reportsOnToken, [bundleId.rawValue, token.rawValue]).decoded(ReportRow.record)
    }

    /// A summary of the reports that name a token; the cost does not depend on their number.
    package func reportSummary(
        of token: ExternalPurchaseId,
        app bundleId: BundleId
    ) throws(LedgerError) -> TokenReportSummary {
        try reportSummaries(of: [token], app: bundleId)[token] ?? TokenReportSummary()
    }

    /// Summaries of the reports that name tokens, by token; those of tokens that certainly have none are left out.
    package func reportSummaries(
        of tokens: some Collection<ExternalPurchaseId>,
        app bundleId: BundleId
    ) throws(LedgerError) -> [ExternalPurchaseId: TokenReportSummary] {
        let tokens = tokens.filter { token in
            !cache.unreferencedTokens.contains(TransactionCache.Key(bundleId: bundleId, id: token))
        }
        let statuses: [ReportStatus] = [.lineItem, .noLineItem, .unrecognizedToken, .duplicateToken]
        var summaries: [ExternalPurchaseId: TokenReportSummary] = [:]
        try connection.each(
            Query.reportSummary,
            withEach: tokens.map { [bundleId.rawValue, $0.rawValue, $0.environment.rawValue] }
        ) { place, row throws(LedgerError) in
            var summary = TokenReportSummary()
            for (column, status) in statuses.enumerated() where try row.flag(at: column) {
                summary.statuses.insert(status)
            }
            let hasRefusedReport = try row.flag(at: 4)
            summary.holdsSales = hasRefusedReport || summary.statuses.contains(.lineItem)
            summary.hasOpenReport = try row.flag(at: 5)
            summaries[tokens[place]] = summary
        }
        return summaries
    }
}

extension LedgerTransaction {
    func insertRow(
        of report: StoredReport,
        holding sales: [SaleId],
        accepting items: [ReceivedLineItem]
    ) throws(LedgerError) -> Int64 {
        let sequence = try insert(report, into: ReportRow.table)
        for sale in sales {
            try change(
                """
                UPDATE sales SET request_key = ? WHERE bundle_id = ? AND sale_id = ? AND request_key IS NULL
                    AND export_id IS NULL AND state = 'planned' AND external_purchase_id = ?
                """,
                [
                    report.requestIdentifier.key, report.scope.bundleId.rawValue, sale.rawValue,
                    report.externalPurchaseId.rawValue,
                ],
                otherwise: "the sale is not planned on the token of the report"
            )
        }
        for (position, item) in report.sentItems.enumerated() { try insertRow(of: item, at: position, in: report) }
        for item in items { try accept(item, in: report) }
        return sequence
    }

    private func insertRow(
        of item: ReceivedLineItem,
        at position: Int,
        in report: StoredReport
    ) throws(LedgerError) {
        guard let id = item.lineItemId else { return }
        try perform(
            """
            INSERT INTO sent_items (bundle_id, environment, line_item_id, creation_date, request_key, position)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                report.scope.bundleId.rawValue, report.scope.environment.rawValue, id.rawValue, item.creationDate,
                report.requestIdentifier.key, position,
            ]
        )
    }

    func updateRow(of report: StoredReport, accepting items: [ReceivedLineItem]) throws(LedgerError) -> Int64 {
        try change(
            ReportRow.update,
            to: report,
            at: report.scope.bundleId.rawValue,
            report.scope.environment.rawValue,
            report.requestIdentifier.key,
            otherwise: "no such report that is not accepted"
        )
        for item in items { try accept(item, in: report) }
        if report.state == .withdrawn {
            try run(
                """
                UPDATE sales SET request_key = NULL WHERE bundle_id = ? AND environment = ? AND request_key = ?
                """,
                [report.scope.bundleId.rawValue, report.scope.environment.rawValue, report.requestIdentifier.key]
            )
        }
        return 0
    }
}

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

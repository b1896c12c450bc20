import ExternalPurchaseCore
import GRDB
import Ledger

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension SQLiteTransaction {
    func report(_ id: RequestIdentifier, in scope: ReportingScope) throws(LedgerError) -> StoredReport? {
        try rows(
            "SELECT * FROM reports WHERE bundle_id = ? AND environment = ? AND request_key = ?",
            [scope.bundleId.rawValue, scope.environment.rawValue, id.key]
        ).decoded(storedReport).first
    }

    func reports(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredReport] {
        try rows(.reports, filter, page).decoded(storedReport)
    }

    func reports(in scope: ReportingScope, state: [ReportState], limit: Int) throws(LedgerError) -> [StoredReport] {
        guard !state.isEmpty else { return [] }
        let states = state.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let column = "iif(withdrawn_at IS NULL, state, 'withdrawn')"
        // Saying so lets SQLite use the small index of open reports instead of reading every accepted one.
        let open = state.contains(.accepted) ? "" : "AND state <> 'accepted'"
        return try rows(
            """
            SELECT * FROM reports WHERE bundle_id = ? AND environment = ? AND \(column) IN (\(states)) \(open)
            ORDER BY sequence LIMIT ?
            """,
            [scope.bundleId.rawValue, scope.environment.rawValue, max(0, limit)]
        ).decoded(storedReport)
    }

    func reports(on token: ExternalPurchaseId, of bundleId: BundleId) throws(LedgerError) -> [StoredReport] {
        try rows(Query.reportsOnToken, [bundleId.rawValue, token.rawValue]).decoded(storedReport)
    }

    func reportSummary(
        of token: ExternalPurchaseId,
        app bundleId: BundleId
    ) throws(LedgerError) -> TokenReportSummary {
        let found = try rows(
            Query.reportSummary,
            [bundleId.rawValue, token.rawValue, token.environment.rawValue]
        )
        let statuses: [ReportStatus] = [.lineItem, .noLineItem, .unrecognizedToken, .duplicateToken]
        var summary = TokenReportSummary()
        for row in found {
            for (column, status) in statuses.enumerated() where (row[column] as Int64) == 1 {
                summary.statuses.insert(status)
            }
            summary.holdsSales = summary.statuses.contains(.lineItem) || (row[4] as Int64) == 1
            summary.hasOpenReport = (row[5] as Int64) == 1
        }
        return summary
    }

    func insertRow(
        of report: StoredReport,
        holding sales: [SaleId],
        accepting items: [ReceivedLineItem]
    ) throws(LedgerError) -> Int64 {
        let sequence = try insert(
            """
            INSERT INTO reports (bundle_id, environment, request_key, request_identifier, external_purchase_id, status,
                body, written_at, state, changed_at, attempts, answer_status, answer_body, answer_at,
                answer_conclusion, errors, imported)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                report.scope.bundleId.rawValue, report.scope.environment.rawValue, report.requestIdentifier.key,
                report.requestIdentifier.text, report.externalPurchaseId.rawValue, report.status.rawValue,
                Data(report.body), report.writtenAt.milliseconds, report.state.rawValue,
                report.changedAt.milliseconds, report.attempts, report.answer?.status,
                (report.answer?.body).map { Data($0) }, report.answer?.receivedAt.milliseconds,
                report.answer?.conclusion, errorsColumn(of: report), report.isImported,
            ]
        )
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
        try run(
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
        let isWithdrawn = report.state == .withdrawn
        try change(
            """
            UPDATE reports SET state = ?, withdrawn_at = ?, changed_at = ?, attempts = ?, answer_status = ?, answer_body = ?,
                answer_at = ?, answer_conclusion = ?, errors = ?
            WHERE bundle_id = ? AND environment = ? AND request_key = ? AND state <> 'accepted'
            """,
            [
                (isWithdrawn ? ReportState.needsAttention : report.state).rawValue,
                isWithdrawn ? report.changedAt.milliseconds : nil, report.changedAt.milliseconds, report.attempts,
                report.answer?.status, (report.answer?.body).map { Data($0) }, report.answer?.receivedAt.milliseconds,
                report.answer?.conclusion, errorsColumn(of: report), report.scope.bundleId.rawValue,
                report.scope.environment.rawValue, report.requestIdentifier.key,
            ],
            otherwise: "no such report that is not accepted"
        )
        for item in items { try accept(item, in: report) }
        if isWithdrawn {
            try run(
                """
                UPDATE sales SET request_key = NULL WHERE bundle_id = ? AND environment = ? AND request_key = ?
                """,
                [report.scope.bundleId.rawValue, report.scope.environment.rawValue, report.requestIdentifier.key]
            )
        }
        return 0
    }

    private func errorsColumn(of report: StoredReport) -> String {
        JSONValue.array(report.errors.map(\.json)).text
    }

    private func storedReport(_ row: Row) throws(LedgerError) -> StoredReport {
        guard let identifier = RequestIdentifier(try row.text("request_identifier")) else {
            throw .corrupt("request_identifier is not a UUID")
        }
        var answer: ReportAnswer?
        if let conclusion = try row.optionalText("answer_conclusion") {
            answer = ReportAnswer(
                status: try row.optionalInteger("answer_status").map { Int(clamping: $0) },
                body: try row.bytes("answer_body") ?? [],
                receivedAt: try row.time("answer_at"),
                conclusion: conclusion
            )
        }
        let errors = try (row.json("errors").arrayValue ?? []).decoded { json throws(LedgerError) in
            guard let error = AttributedReportError(stored: json) else { throw .corrupt("errors cannot be read") }
            return error
        }
        return StoredReport(
            sequence: try row.integer("sequence"),
            scope: ReportingScope(
                bundleId: BundleId(try row.text("bundle_id")),
                environment: try row.known("environment")
            ),
            requestIdentifier: identifier,
            externalPurchaseId: ExternalPurchaseId(try row.text("external_purchase_id")),
            status: ReportStatus(rawValue: try row.text("status")),
            body: try row.bytes("body") ?? [],
            writtenAt: try row.time("written_at"),
            state: try row.optionalInteger("withdrawn_at") == nil ? try row.known("state") : .withdrawn,
            changedAt: try row.time("changed_at"),
            attempts: Int(clamping: try row.integer("attempts")),
            answer: answer,
            errors: errors,
            isImported: try row.integer("imported") == 1
        )
    }
}

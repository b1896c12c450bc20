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

    func reports(_ page: LedgerPage) throws(LedgerError) -> [StoredReport] {
        try rows(
            "SELECT * FROM reports WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [page.after, max(0, page.limit)]
        ).decoded(storedReport)
    }

    func reports(in scope: ReportingScope, state: [ReportState], limit: Int) throws(LedgerError) -> [StoredReport] {
        guard !state.isEmpty else { return [] }
        let states = state.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        // Saying so lets SQLite use the small index of open reports instead of reading every accepted one.
        let open = state.contains(.accepted) ? "" : "AND state <> 'accepted'"
        return try rows(
            """
            SELECT * FROM reports WHERE bundle_id = ? AND environment = ? AND state IN (\(states)) \(open)
            ORDER BY sequence LIMIT ?
            """,
            [scope.bundleId.rawValue, scope.environment.rawValue, max(0, limit)]
        ).decoded(storedReport)
    }

    func insert(_ report: StoredReport, holding sales: [SaleId]) throws(LedgerError) -> StoredReport {
        try run(
            """
            INSERT INTO reports (bundle_id, environment, request_key, request_identifier, external_purchase_id, status,
                body, written_at, state, changed_at, attempts, answer_status, answer_body, answer_at,
                answer_conclusion, errors)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                report.scope.bundleId.rawValue, report.scope.environment.rawValue, report.requestIdentifier.key,
                report.requestIdentifier.text, report.externalPurchaseId.rawValue, report.status.rawValue,
                Data(report.body), report.writtenAt.milliseconds, report.state.rawValue,
                report.changedAt.milliseconds, report.attempts, report.answer?.status,
                (report.answer?.body).map { Data($0) }, report.answer?.receivedAt.milliseconds,
                report.answer?.conclusion, errorsColumn(of: report),
            ]
        )
        var report = report
        report.sequence = database.lastInsertedRowID
        for sale in sales {
            try change(
                """
                UPDATE sales SET request_key = ? WHERE bundle_id = ? AND sale_id = ? AND request_key IS NULL
                    AND state = 'planned' AND external_purchase_id = ?
                """,
                [
                    report.requestIdentifier.key, report.scope.bundleId.rawValue, sale.rawValue,
                    report.externalPurchaseId.rawValue,
                ],
                otherwise: "the sale is not planned on the token of the report"
            )
        }
        return report
    }

    func update(_ report: StoredReport, accepting items: [ReceivedLineItem]) throws(LedgerError) {
        try change(
            """
            UPDATE reports SET state = ?, changed_at = ?, attempts = ?, answer_status = ?, answer_body = ?,
                answer_at = ?, answer_conclusion = ?, errors = ?
            WHERE bundle_id = ? AND environment = ? AND request_key = ? AND state <> 'accepted'
            """,
            [
                report.state.rawValue, report.changedAt.milliseconds, report.attempts, report.answer?.status,
                (report.answer?.body).map { Data($0) }, report.answer?.receivedAt.milliseconds,
                report.answer?.conclusion, errorsColumn(of: report), report.scope.bundleId.rawValue,
                report.scope.environment.rawValue, report.requestIdentifier.key,
            ],
            otherwise: "no such report that is not accepted"
        )
        for item in items { try accept(item, in: report) }
    }

    private func accept(_ item: ReceivedLineItem, in report: StoredReport) throws(LedgerError) {
        guard let id = item.lineItemId else { throw .conflict("an accepted item has no id") }
        let (bundle, environment) = (report.scope.bundleId.rawValue, report.scope.environment.rawValue)
        try run(
            """
            INSERT INTO accepted_items (bundle_id, environment, line_item_id, version, reference_line_item_id,
                external_purchase_id, request_key, content)
            VALUES (?, ?, ?, 1 + (
                SELECT count(*) FROM accepted_items WHERE bundle_id = ? AND environment = ? AND line_item_id = ?
            ), ?, ?, ?, ?)
            """,
            [
                bundle, environment, id.rawValue, bundle, environment, id.rawValue, item.referenceLineItemId?.rawValue,
                report.externalPurchaseId.rawValue, report.requestIdentifier.key, item.json.text,
            ]
        )
    }

    func hasAcceptedLineItems(_ token: ExternalPurchaseId, of scope: ReportingScope) throws(LedgerError) -> Bool {
        let found = try rows(
            """
            SELECT 1 FROM reports WHERE bundle_id = ? AND external_purchase_id = ? AND environment = ?
                AND state = 'accepted' AND status = 'LINE_ITEM' LIMIT 1
            """,
            [scope.bundleId.rawValue, token.rawValue, scope.environment.rawValue]
        )
        return !found.isEmpty
    }

    func newestAccepted(
        _ ids: Set<LineItemId>,
        in scope: ReportingScope
    ) throws(LedgerError) -> [LineItemId: AcceptedVersion] {
        var newest: [LineItemId: AcceptedVersion] = [:]
        let (bundle, environment) = (scope.bundleId.rawValue, scope.environment.rawValue)
        for id in ids {
            // An item that referenced the id in an older version only is no referrer any more.
            let found = try rows(
                """
                SELECT line_item_id, external_purchase_id, content FROM accepted_items AS item
                WHERE bundle_id = ? AND environment = ? AND line_item_id = ?
                    AND version = (SELECT max(version) FROM accepted_items AS other WHERE other.bundle_id = item.bundle_id
                        AND other.environment = item.environment AND other.line_item_id = item.line_item_id)
                UNION ALL
                SELECT line_item_id, external_purchase_id, content FROM accepted_items AS item
                WHERE bundle_id = ? AND environment = ? AND reference_line_item_id = ?
                    AND version = (SELECT max(version) FROM accepted_items AS other WHERE other.bundle_id = item.bundle_id
                        AND other.environment = item.environment AND other.line_item_id = item.line_item_id)
                """,
                [bundle, environment, id.rawValue, bundle, environment, id.rawValue]
            )
            for row in found {
                guard let object = try row.json("content").objectValue,
                    let item = ReceivedLineItem(stored: object)
                else { throw .corrupt("an accepted line item cannot be read") }
                newest[LineItemId(try row.text("line_item_id"))] = AcceptedVersion(
                    item: item,
                    externalPurchaseId: ExternalPurchaseId(try row.text("external_purchase_id"))
                )
            }
        }
        return newest
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
            state: try row.known("state"),
            changedAt: try row.time("changed_at"),
            attempts: Int(clamping: try row.integer("attempts")),
            answer: answer,
            errors: errors
        )
    }
}

extension ReceivedLineItem {
    /// Reads an item that was stored as ``json``: the endpoint's own reading of a report with that one item.
    init?(stored object: JSONObject) {
        let report = JSONObject([.init("lineItems", .array([.object(object)]))])
        guard let item = try? ReceivedReport.read(report).lineItems?.first else { return nil }
        self = item
    }
}

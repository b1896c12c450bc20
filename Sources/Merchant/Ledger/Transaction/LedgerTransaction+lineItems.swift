package import ExternalPurchaseCore

extension LedgerQueries {
    /// Every version of a line item that was put into a report, oldest first.
    package func lineItemVersions(_ id: LineItemId, in scope: ReportingScope) throws(LedgerError) -> [LineItemVersion] {
        try versions(
            in: scope,
            rows(Query.lineItemVersions, [scope.bundleId.rawValue, scope.environment.rawValue, id.rawValue])
        )
    }

    /// The versions of line items created in a time range, excluding its end, sorted by creation date.
    ///
    /// Used by the monthly export and the list of deadlines.
    package func lineItems(
        in scope: ReportingScope,
        createdFrom: Timestamp,
        until: Timestamp,
        _ page: TimePage
    ) throws(LedgerError) -> [LineItemVersion] {
        try versions(
            in: scope,
            rows(
                Query.lineItemsByDate,
                [
                    scope.bundleId.rawValue, scope.environment.rawValue, max(createdFrom.milliseconds, page.time),
                    until.milliseconds, page.time, page.sequence, page.bound,
                ]
            )
        )
    }

    /// The number of reports that are read together.
    private static let reportsAtOnce = 50

    /// Reads the line items from the bytes of their reports; each report is decoded once.
    private func versions(in scope: ReportingScope, _ rows: [any SQLRow]) throws(LedgerError) -> [LineItemVersion] {
        let (bundle, environment) = (scope.bundleId.rawValue, scope.environment.rawValue)
        var positions: [String: [Int]] = [:]
        for row in rows {
            positions[try row.text("request_key"), default: []].append(Int(clamping: try row.integer("position")))
        }
        var sent: [String: [Int: ReceivedLineItem]] = [:]
        var keys = Array(positions.keys)[...]
        while !keys.isEmpty {
            let page = keys.prefix(Self.reportsAtOnce)
            keys.removeFirst(page.count)
            try connection.each(Query.report, withEach: page.map { [bundle, environment, $0] }) {
                _,
                row throws(LedgerError) in
                let report = try ReportRow.record(row)
                let (key, items) = (report.requestIdentifier.key, report.sentItems)
                for position in positions[key] ?? [] where items.indices.contains(position) {
                    sent[key, default: [:]][position] = items[position]
                }
            }
        }
        return try rows.decoded { row throws(LedgerError) in
            guard let identifier = RequestIdentifier(try row.text("request_identifier")) else {
                throw .corrupt("request_identifier is not a UUID")
            }
            let position = Int(clamping: try row.integer("position"))
            guard let item = sent[try row.text("request_key")]?[position] else {
                throw .corrupt("a line item is not in the report that sent it")
            }
            return LineItemVersion(
                sequence: try row.integer("sequence"),
                scope: scope,
                externalPurchaseId: ExternalPurchaseId(try row.text("external_purchase_id")),
                requestIdentifier: identifier,
                reportState: try row.known("state"),
                writtenAt: try row.time("written_at"),
                item: item
            )
        }
    }

    /// Whether Apple accepted a `LINE_ITEM` report of the token (E8).
    package func hasAcceptedLineItems(_ token: ExternalPurchaseId, of scope: ReportingScope) throws(LedgerError) -> Bool
    {
        let found = try rows(
            """
            SELECT 1 FROM reports WHERE bundle_id = ? AND external_purchase_id = ? AND environment = ?
                AND state = 'accepted' AND status = 'LINE_ITEM' LIMIT 1
            """,
            [scope.bundleId.rawValue, token.rawValue, scope.environment.rawValue]
        )
        return !found.isEmpty
    }

    /// The newest accepted versions of the given items and of the items that reference them (RR-7, RR-20).
    package func newestAccepted(
        _ ids: Set<LineItemId>,
        in scope: ReportingScope
    ) throws(LedgerError) -> [LineItemId: AcceptedVersion] {
        var newest: [LineItemId: AcceptedVersion] = [:]
        let asked = ids.map { ExpectedQuery.accepted($0, in: scope).statement.arguments }
        _ = try queries(Query.newestAccepted, withEach: asked).decoded { row throws(LedgerError) in
            guard let object = try row.json("content").objectValue, let item = ReceivedLineItem(stored: object)
            else { throw .corrupt("an accepted line item cannot be read") }
            guard let report = RequestIdentifier(try row.text("request_key")) else {
                throw .corrupt("request_key is not a UUID")
            }
            newest[LineItemId(try row.text("line_item_id"))] = AcceptedVersion(
                item: item,
                externalPurchaseId: ExternalPurchaseId(try row.text("external_purchase_id")),
                sequence: try row.integer("sequence"),
                requestIdentifier: report
            )
        }
        return newest
    }
}

extension LedgerTransaction {
    func accept(_ item: ReceivedLineItem, in report: StoredReport) throws(LedgerError) {
        guard let id = item.lineItemId else { throw .conflict("an accepted item has no id") }
        let (bundle, environment) = (report.scope.bundleId.rawValue, report.scope.environment.rawValue)
        try perform(
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
}

extension ReceivedLineItem {
    /// Creates an item from its stored ``json`` by decoding a report with that one item.
    init?(stored object: JSONObject) {
        let report: JSONObject = ["lineItems": .array([.object(object)])]
        guard let item = try? ReceivedReport.read(report).lineItems?.first else { return nil }
        self = item
    }
}

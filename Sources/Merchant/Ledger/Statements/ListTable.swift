import ExternalPurchaseCore

/// The table of a list, with the condition and index for each parameter.
struct ListTable: Sendable {
    /// The SQL condition of a parameter.
    enum Condition: Sendable {
        /// A condition with one `?` for the value.
        case value(String)
        /// A separate condition for each value, and the index of those that few rows meet.
        case values([String: String], indexes: [String: String] = [:])
    }

    let name: String
    /// True where indexes begin with the app and therefore serve lists of one app.
    var isByApp = false
    let moment: String
    /// The index by time, and the condition that its use requires.
    let byMoment: (index: String?, also: String?)
    /// The conditions, most selective first: the first requested one with an index determines the index of the query.
    ///
    /// The entries of such an index stand in the order of arrival, so that a page reads the rows it shows. A condition that
    /// most rows meet has none, because reading in the order of arrival finds a page as soon.
    let conditions: [(parameter: ListFilter.Parameter, condition: Condition, index: String?)]

    /// Stands for the primary key, which SQLite uses where it is told to use no index.
    private static let key = "sequence"

    /// The indexes of the numbers of few rows.
    private static let numbers: Set<String> = [
        "payment_events_received", "payment_events_waiting", "payment_events_held", "payment_events_dismissed",
        "notifications_to_do", "notifications_in_sandbox",
    ]

    static let tokens = ListTable(
        name: "tokens",
        isByApp: true,
        moment: "creation_date",
        byMoment: ("tokens_by_creation", "environment IN ('production', 'sandbox')"),
        conditions: [
            (.externalPurchaseId, .value("external_purchase_id = ?"), "tokens_by_id"),
            (.customerId, .value("customer_id = ?"), "tokens_by_customer"),
            (
                .flag, .value("flags <> '[]' AND EXISTS (SELECT 1 FROM json_each(flags) WHERE value = ?)"),
                "tokens_flagged"
            ),
            (.state, .value("state = ?"), "tokens_in_state"),
            (.kind, .value("coalesce(token_type, 'none') = ?"), "tokens_of_kind"),
            (.environment, environments("tokens_in_sandbox"), nil),
            (.bundleId, .value("bundle_id = ?"), "tokens_of_app"),
        ]
    )

    static let reports = ListTable(
        name: "reports",
        isByApp: true,
        moment: "written_at",
        byMoment: ("reports_by_moment", nil),
        conditions: [
            (.externalPurchaseId, .value("external_purchase_id = ?"), "reports_of_token"),
            (
                .state,
                .values(
                    Dictionary(
                        uniqueKeysWithValues: ReportState.allCases.map { state in
                            switch state {
                            case .withdrawn:
                                (state.rawValue, "state = 'needsAttention' AND withdrawn_at IS NOT NULL")
                            case .needsAttention:
                                (state.rawValue, "state = 'needsAttention' AND withdrawn_at IS NULL")
                            case .written, .sending, .unknown, .accepted:
                                (state.rawValue, "state = '\(state.rawValue)'")
                            }
                        }
                    )
                ), "reports_in_state"
            ),
            (.kind, .value("status = ?"), "reports_of_kind"),
            (.environment, environments("reports_in_sandbox"), nil),
            (.bundleId, .value("bundle_id = ?"), "reports_of_app"),
        ]
    )

    static let notifications = ListTable(
        name: "notifications",
        moment: "received_at",
        byMoment: ("notifications_by_arrival", nil),
        conditions: [
            (.externalPurchaseId, .value("external_purchase_id = ?"), "notifications_of_token"),
            (
                .state,
                .values(
                    ["waiting": "done_at IS NULL", "done": "done_at IS NOT NULL"],
                    indexes: ["waiting": "notifications_to_do"]
                ), nil
            ),
            (.subtype, .value("subtype = ?"), "notifications_of_subtype"),
            (.kind, .value("type = ?"), "notifications_of_kind"),
            (.environment, environments("notifications_in_sandbox"), nil),
            (.bundleId, .value("bundle_id = ?"), "notifications_of_app"),
        ]
    )

    static let paymentEvents = ListTable(
        name: "payment_events",
        moment: "received_at",
        byMoment: ("payment_events_by_arrival", nil),
        conditions: [
            (
                .saleId,
                .value(
                    """
                    sequence IN (/* ARRAY( */
                        SELECT named.sequence FROM payment_event_objects AS named
                        WHERE named.provider IN (\(PaymentProvider.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")))
                            AND named.object_id = '\(PaymentReference.saleMark)' || ?
                            AND EXISTS (
                                SELECT 1 FROM payment_events AS telling, json_each(telling.sales) AS told
                                WHERE telling.sequence = named.sequence
                                    AND named.object_id = '\(PaymentReference.saleMark)' || told.value
                            )
                    /* ) */)
                    """
                ), key
            ),
            (
                .state,
                .values(
                    Dictionary(
                        uniqueKeysWithValues: PaymentEventResult.State.allCases.map {
                            ($0.rawValue, "state = '\($0.rawValue)'")
                        }
                    ),
                    indexes: [
                        "received": "payment_events_received", "waiting": "payment_events_waiting",
                        "held": "payment_events_held", "dismissed": "payment_events_dismissed",
                    ]
                ), nil
            ),
            (.kind, .value("type = ?"), "payment_events_of_type"),
            (.bundleId, .value("bundle_id = ?"), "payment_events_of_app"),
        ]
    )

    static let reviewItems = ListTable(
        name: "review_items",
        isByApp: true,
        moment: "opened_at",
        byMoment: ("review_items_by_moment", nil),
        conditions: [
            (
                .externalPurchaseId, .value("subject_kind = 'token' AND subject_id = ?"),
                "review_items_by_subject"
            ),
            (.saleId, .value("subject_kind = 'sale' AND subject_id = ?"), "review_items_by_subject"),
            (.kind, .value("kind = ?"), "review_items_of_kind"),
            (
                .state,
                .values(
                    ["open": "resolved_at IS NULL", "resolved": "resolved_at IS NOT NULL"],
                    indexes: ["open": "review_items_open_of_app"]
                ), nil
            ),
            (.bundleId, .value("bundle_id = ?"), nil),
        ]
    )

    // Corrections and manual exports are few, because persons make them.

    static let corrections = ListTable(
        name: "corrections",
        moment: "requested_at",
        byMoment: (nil, nil),
        conditions: [
            (.saleId, .value("request ->> '$.saleId' = ?"), nil),
            (
                .state,
                .values([
                    "planned": "confirmed_at IS NULL AND closed_at IS NULL",
                    "confirmed": "confirmed_at IS NOT NULL AND closed_at IS NULL", "closed": "closed_at IS NOT NULL",
                ]), nil
            ),
            (.bundleId, .value("bundle_id = ?"), nil),
        ]
    )

    static let manualExports = ListTable(
        name: "manual_exports",
        moment: "made_at",
        byMoment: (nil, nil),
        conditions: [
            (
                .state,
                .values([
                    "made": "submitted_at IS NULL AND withdrawn_at IS NULL",
                    "handedIn": "submitted_at IS NOT NULL AND withdrawn_at IS NULL",
                    "withdrawn": "withdrawn_at IS NOT NULL",
                ]), nil
            ),
            (.programme, .value("programme = ?"), nil),
            (.month, .value("month = ?"), nil),
            (.bundleId, .value("bundle_id = ?"), nil),
        ]
    )

    static let auditEntries = ListTable(
        name: "audit_log",
        moment: "time",
        byMoment: ("audit_by_time", nil),
        conditions: [
            (.saleId, .value("\(AuditColumn.sale) = ?"), "audit_of_sale"),
            (.externalPurchaseId, .value("\(AuditColumn.token) = ?"), "audit_of_token"),
            (.kind, .value("kind = ?"), "audit_of_kind"),
            (
                .bundleId,
                .value(
                    "coalesce(content ->> '$.bundleId', content ->> '$.token.bundleId', content ->> '$.sale.bundleId') = ?"
                ), "audit_of_app"
            ),
        ]
    )

    /// The condition of an environment: most rows are of production, those of the sandbox have an index.
    private static func environments(_ sandbox: String) -> Condition {
        .values(
            ["production": "environment = 'production'", "sandbox": "environment = 'sandbox'"],
            indexes: ["sandbox": sandbox]
        )
    }

    /// The statement of a page.
    func query(_ filter: ListFilter, _ page: LedgerPage) -> (sql: String, arguments: [SQLValue]) {
        var (wanted, arguments): ([String], [SQLValue]) = ([], [])
        var index: String?
        for (parameter, condition, own) in conditions {
            guard let value = filter[parameter] else { continue }
            switch condition {
            case .value(let sql):
                wanted.append(sql)
                arguments.append(value.sqlValue)
            case .values(let sqls, let indexes):
                wanted.append(sqls[value] ?? "FALSE")
                index = index ?? indexes[value]
            }
            index = index ?? own
        }
        var span: [String] = []
        var moments: [SQLValue] = []
        for (time, sign) in [(filter.from, ">="), (filter.until, "<")] {
            guard let time else { continue }
            span.append("\(moment) \(sign) ?")
            moments.append(time.milliseconds.sqlValue)
        }
        // The order of arrival of an app finds more rows than a span of time has.
        let isSpan = !span.isEmpty && (index.map(SchemaPart.ordersOfApps.contains) ?? true)
        if isSpan, let chosen = byMoment.index, !isByApp || filter[.bundleId] != nil {
            index = Self.key
            if let also = byMoment.also { span.append(also) }
            if isByApp, let app = filter[.bundleId] {
                span.append("bundle_id = ?")
                moments.append(app.sqlValue)
            }
            // The numbers of the rows are sorted, not the rows.
            wanted.append(
                """
                sequence IN (/* ARRAY( */
                    SELECT sequence FROM \(name) INDEXED BY \(chosen) WHERE \(span.joined(separator: " AND "))
                /* ) */)
                """
            )
        } else {
            wanted += span
        }
        arguments += moments
        if isByApp, filter[.bundleId] == nil { index = nil }
        if let index, SchemaPart.ordersOfApps.contains(index) {
            wanted = wanted.map { $0 == "bundle_id = ?" ? "bundle_id || '' = ?" : $0 }
        }
        // SQLite would take an index that has the app, and sort all rows of the app for a page.
        let isByKey = index == nil || index == Self.key
        let source = isByKey ? "\(name) NOT INDEXED" : "\(name) INDEXED BY \(index ?? "")"
        let place = isByKey || Self.numbers.contains(index ?? "") ? "sequence" : Query.place
        let sql = """
            SELECT * FROM \(source) WHERE \((wanted + ["\(place) \(page.sign) ?"]).joined(separator: " AND "))
            ORDER BY \(place)\(page.direction) LIMIT ?
            """
        return (sql, arguments + [page.place.sqlValue, page.bound.sqlValue])
    }
}

/// The subject of an audit entry; the expressions equal those of the indexes of ``Migration/lists``.
private enum AuditColumn {
    static let token = """
        coalesce(content ->> '$.externalPurchaseId', content ->> '$.token.externalPurchaseId', \
        content ->> '$.attribution.externalPurchaseId', content ->> '$.sale.externalPurchaseId', \
        iif(content ->> '$.about' = 'token', content ->> '$.id', NULL))
        """
    static let sale = """
        coalesce(content ->> '$.saleId', content ->> '$.sale.saleId', \
        iif(content ->> '$.about' = 'sale', content ->> '$.id', NULL))
        """
}

extension LedgerQueries {
    func query(_ table: ListTable, _ filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> RowQuery {
        // A filter of another table that is left out would select every row; `RecordLists` resolves such filters.
        if let other = filter.values.keys.first(where: { name in !table.conditions.contains { $0.parameter == name } })
        {
            throw .failed("the table \(table.name) has no filter \(other.rawValue)")
        }
        let list = table.query(filter, page)
        return query(list.sql, SQLArguments(list.arguments))
    }
}

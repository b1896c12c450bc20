import ExternalPurchaseCore

/// The table of a list, with the condition and index for each parameter.
struct ListTable: Sendable {
    /// The SQL condition of a parameter.
    enum Condition: Sendable {
        /// A condition with one `?` for the value.
        case value(String)
        /// A separate condition for each value, the index of those that few rows meet, and a condition with one `?` for
        /// other values.
        case values([String: String], indexes: [String: String] = [:], others: String? = nil)
    }

    /// How the rows of a span of time are found.
    enum Span: Sendable {
        /// In a list of one app, by an index of the app and moment, whose numbers are sorted, and with the condition that its
        /// use requires.
        case moments(index: String, also: String)
        /// Between the first and the last row of its days, by an index of the day.
        ///
        /// The rows between them are read and compared. The server's clock gives their moments, and an import stores its
        /// rows together, so that few of them are of other days.
        case days(index: String)
        /// In a table of few rows.
        case rows
    }

    let name: String
    /// True where indexes begin with the app and therefore serve lists of one app.
    var isByApp = false
    let moment: String
    let span: Span
    /// The conditions, most selective first: the first requested one with an index determines the index of the query.
    ///
    /// The entries of such an index stand in the order of arrival, so that a page reads the rows it shows. A condition that
    /// most rows meet has none, because reading in the order of arrival finds a page as soon.
    let conditions: [(parameter: ListFilter.Parameter, condition: Condition, index: String?)]
    /// The index of one kind in one app: by the kind alone a small app is searched among all others, by the app alone a rare
    /// kind among all of its rows.
    var ofKindInApp: String?

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
        span: .moments(index: "tokens_by_creation", also: "environment IN ('production', 'sandbox')"),
        conditions: [
            (.externalPurchaseId, .value("external_purchase_id = ?"), "tokens_by_id"),
            (.customerId, .value("customer_id = ?"), "tokens_by_customer"),
            (
                .flag,
                .values(
                    [
                        "customer-from-sale": "customer_source = 'sales'",
                        "chosen-for-period": "period_choice = 'chosen'",
                        "report-refused": "reporting = 'onRequest'", "no-base-url": "endpoint = 'missing'",
                    ],
                    indexes: [
                        "customer-from-sale": "tokens_of_sales", "chosen-for-period": "tokens_chosen",
                        "report-refused": "tokens_refused", "no-base-url": "tokens_without_endpoint",
                    ],
                    others: "notes <> '[]' AND EXISTS (SELECT 1 FROM json_each(notes) WHERE value = ?)"
                ), "tokens_noted"
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
        span: .days(index: "reports_by_day"),
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
        span: .days(index: "notifications_by_day"),
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
        ],
        ofKindInApp: "notifications_of_kind_in_app"
    )

    static let paymentEvents = ListTable(
        name: "payment_events",
        moment: "received_at",
        span: .days(index: "payment_events_by_day"),
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
        ],
        ofKindInApp: "payment_events_of_type_in_app"
    )

    static let reviewItems = ListTable(
        name: "review_items",
        isByApp: true,
        moment: "opened_at",
        span: .days(index: "review_items_by_day"),
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
        span: .rows,
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
        span: .rows,
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
        span: .days(index: "audit_by_day"),
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
        ],
        ofKindInApp: "audit_of_kind_in_app"
    )

    /// The condition of an environment: most rows are of production, those of the sandbox have an index.
    private static func environments(_ sandbox: String) -> Condition {
        .values(
            ["production": "environment = 'production'", "sandbox": "environment = 'sandbox'"],
            indexes: ["sandbox": sandbox]
        )
    }

    /// The statement of the numbers of the first and the last row of the days of a span; nil where a span is not read by days.
    ///
    /// It reads three entries of the index for each day that has rows.
    func bounds(_ filter: ListFilter) -> (sql: String, arguments: [SQLValue])? {
        guard case .days(let index) = span, filter.from != nil || filter.until != nil else { return nil }
        let day = "\(moment) / 86400000"
        let first = { (condition: String) in
            """
            (
                SELECT its.\(day) FROM \(name) AS its INDEXED BY \(index) WHERE its.\(day) \(condition)
                ORDER BY its.\(day) LIMIT 1
            )
            """
        }
        let end = { (direction: String) in
            """
            (
                SELECT its.sequence FROM \(name) AS its INDEXED BY \(index) WHERE its.\(day) = days.day
                ORDER BY its.\(Query.place)\(direction) LIMIT 1
            )
            """
        }
        let sql = """
            WITH RECURSIVE days (day) AS (
                SELECT \(first(">= ?1")) UNION ALL SELECT \(first("> days.day")) FROM days WHERE days.day < ?2
            )
            SELECT min(\(end(""))) AS first, max(\(end(" DESC"))) AS last FROM days WHERE days.day <= ?2
            """
        // The last moment is the one before the end.
        let last = filter.until.map { $0.milliseconds == .min ? .min : $0.milliseconds - 1 }
        return (sql, [filter.from?.milliseconds ?? .min, last ?? .max].map { ($0 / 86_400_000).sqlValue })
    }

    /// The statement of a page.
    ///
    /// - Parameter bounds: the numbers between which the rows of the filter's span stand, of ``bounds(_:)``.
    func query(
        _ filter: ListFilter,
        _ page: LedgerPage,
        within bounds: ClosedRange<Int64>? = nil
    ) -> (sql: String, arguments: [SQLValue]) {
        var (wanted, arguments): ([String], [SQLValue]) = ([], [])
        var index: String?
        for (parameter, condition, own) in conditions {
            guard let value = filter[parameter] else { continue }
            switch condition {
            case .value(let sql):
                wanted.append(sql)
                arguments.append(value.sqlValue)
            case .values(let sqls, let indexes, let others):
                wanted.append(sqls[value] ?? others ?? "FALSE")
                if sqls[value] == nil, others != nil { arguments.append(value.sqlValue) }
                index = index ?? indexes[value]
            }
            index = index ?? own
        }
        if filter[.kind] != nil, filter[.bundleId] != nil, let ofKindInApp,
            index == conditions.first(where: { $0.parameter == .kind })?.index
        {
            index = ofKindInApp
        }
        var ofSpan: [String] = []
        var moments: [SQLValue] = []
        for (time, sign) in [(filter.from, ">="), (filter.until, "<")] {
            guard let time else { continue }
            ofSpan.append("\(moment) \(sign) ?")
            moments.append(time.milliseconds.sqlValue)
        }
        // The order of arrival of an app finds more rows than a span of time has.
        let isSpan = !ofSpan.isEmpty && (index.map(SchemaPart.ordersOfApps.contains) ?? true)
        if isSpan, case .moments(let chosen, let also) = span, let app = filter[.bundleId] {
            index = Self.key
            ofSpan += [also, "bundle_id = ?"]
            moments.append(app.sqlValue)
            // The numbers of the rows are sorted, not the rows.
            wanted.append(
                """
                sequence IN (/* ARRAY( */
                    SELECT sequence FROM \(name) INDEXED BY \(chosen) WHERE \(ofSpan.joined(separator: " AND "))
                /* ) */)
                """
            )
        } else {
            wanted += ofSpan
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
        var start = page.place
        if let bounds {
            // The page begins at the nearer one of two places: SQLite reads an index from one of two conditions alone.
            start = page.isNewestFirst ? min(start, bounds.upperBound + 1) : max(start, bounds.lowerBound - 1)
            wanted.append("\(place) \(page.isNewestFirst ? ">=" : "<=") ?")
            arguments.append((page.isNewestFirst ? bounds.lowerBound : bounds.upperBound).sqlValue)
        }
        wanted.append("\(place) \(page.sign) ?")
        let sql = """
            SELECT * FROM \(source) WHERE \(wanted.joined(separator: " AND "))
            ORDER BY \(place)\(page.direction) LIMIT ?
            """
        return (sql, arguments + [start.sqlValue, page.bound.sqlValue])
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
        var (page, bounds) = (page, ClosedRange<Int64>?.none)
        if let ends = table.bounds(filter) {
            let found = try query(ends.sql, SQLArguments(ends.arguments)).decoded { row throws(LedgerError) in
                (row.optionalInteger(at: 0), row.optionalInteger(at: 1))
            }
            if case (let first?, let last?)? = found.first { bounds = first...last } else { page.limit = 0 }
        }
        let list = table.query(filter, page, within: bounds)
        return query(list.sql, SQLArguments(list.arguments))
    }
}

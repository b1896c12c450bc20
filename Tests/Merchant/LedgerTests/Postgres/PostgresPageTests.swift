import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Ledger
@testable import LedgerPostgres

/// The rows that PostgreSQL reads for a page, which chooses its indexes by figures of the tables.
@Suite("A page of a list in PostgreSQL reads few rows", .enabled(if: PostgresUnderTest.isThere))
struct PostgresPageTests {
    /// The rows of a table: 12,000, of which the oldest 4,000 have what the lists ask for.
    ///
    /// A third of all rows has it, as the figures of the table say, so that the newest rows seem to have it too.
    static let rows = 12_000
    static let old = 4_000
    static let limit = 10

    /// A new schema with filled tables, and the connection of a ledger.
    static func filled() throws -> PostgresConnection {
        let connection = try PostgresConnection(PostgresUnderTest.settings())
        try migrate(connection)
        // Rows without the rows that they refer to.
        try connection.execute("SET session_replication_role = replica; \(fill)")
        try connection.execute(
            """
            ANALYZE tokens, reports, sales, sale_versions, payment_events, payment_event_objects, notifications, review_items, audit_log
            """
        )
        return connection
    }

    @Test("No index contains a document or a list, which may be longer than what PostgreSQL stores in one")
    func keysAreShort() throws {
        let connection = try PostgresConnection(PostgresUnderTest.settings())
        try migrate(connection)
        let documents = """
            SELECT conrelid, attname::text, attnum FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid
            WHERE contype = 'c' AND connamespace = current_schema()::regnamespace AND attnum > 0
                AND pg_get_constraintdef(pg_constraint.oid) ~ ('\\(' || attname || '\\)::json IS NOT NULL')
            """
        let known = try connection.query("SELECT attname FROM (\(documents)) AS its WHERE attname = 'apps'", [])
        #expect(known.count == 1)
        let found = try connection.query(
            """
            SELECT indexrelid::regclass || ': ' || attname FROM pg_index JOIN (\(documents)) AS its
                ON conrelid = indrelid AND attnum = ANY (indkey)
            """,
            []
        )
        #expect(found.rows.compactMap { $0.optionalText(at: 0) } == [])
    }

    private static let series = "FROM generate_series(1, \(rows)) AS n"

    /// The first value for the old rows, the second for the others.
    private static func either(_ old: String, _ new: String) -> String {
        "CASE WHEN n <= \(Self.old) THEN \(old) ELSE \(new) END"
    }

    private static let fill = """
        INSERT INTO tokens (bundle_id, external_purchase_id, environment, app_apple_id, creation_date, token_type, text,
            state, source, first_seen, checkout_id, customer_id, customer_source, customer_claimed, period_choice, reporting,
            endpoint, notes)
        SELECT \(either("'a'", "'b'")), \(either("'SANDBOX_' || n", "'t' || n")), \(either("'sandbox'", "'production'")), 1, n,
            \(either("'LINK_OUT'", "'SERVICES'")), 'text', \(either("'unconfirmed'", "'confirmed'")), 'app', n, 'c' || n,
            \(either("'a'", "'b'")), 'stated', 0, 'undecided', 'whenDue', 'configured',
            \(either("'[\"suspicious\"]'", "'[]'")) \(series);
        INSERT INTO reports (bundle_id, environment, request_key, request_identifier, external_purchase_id, status, body,
            imported, written_at, state, changed_at, attempts, errors, withdrawn_at)
        SELECT \(either("'a'", "'b'")), \(either("'sandbox'", "'production'")), key, key,
            \(either("'SANDBOX_' || n", "'t' || n")), \(either("'NO_LINE_ITEM'", "'LINE_ITEM'")), 'body', 0, n,
            \(either("'needsAttention'", "'accepted'")), n, 1, '[]', NULL
        FROM (SELECT n, lpad(n::text, 36, '0') AS key \(series)) AS numbered;
        INSERT INTO sales (bundle_id, sale_id, line_item_id, content, received_at, takes_back, customer_id, subscription_id,
            checkout_id, product_id, occurred_at, state, external_purchase_id, environment, hold_causes, review, dispatch,
            subscription_decision, origin, notes)
        SELECT \(either("'a'", "'b'")), 's' || n, 's' || n,
            \(either(#"'{"type":"refund","environment":"sandbox"}'"#, #"'{"type":"purchase"}'"#)), n,
            \(either("'taken' || n", "NULL")), \(either("'a'", "'b'")), \(either("'a'", "NULL")), \(either("'a'", "'b'")),
            \(either("'a'", "'b'")), n, \(either("'held'", "'planned'")), \(either("NULL", "'t' || n")),
            \(either("NULL", "'production'")), \(either("'[\"no-tax\"]'", "'[]'")), 'closed', 'together', 'undecided',
            'merchant', '[]' \(series);
        INSERT INTO sale_versions (bundle_id, sale_id, version, line_item_id, content, change, said_at)
        SELECT bundle_id, sale_id, 2, line_item_id, content, 'restated', received_at FROM sales;
        INSERT INTO payment_events (event_id, provider, apps, bundle_id, type, is_live, created_at, arrival, received_at,
            content, objects, state, sales, decided_at)
        SELECT 'e' || n, 'stripe', '["a"]', \(either("'a'", "'b'")), \(either("'old'", "'new'")), 1, n, 'delivered', n, '{}',
            '[]', \(either("'held'", "'applied'")), '[]', n \(series);
        INSERT INTO payment_event_objects (provider, object_id, sequence) SELECT 'stripe', 'o' || n, n \(series);
        INSERT INTO notifications (uuid, type, subtype, bundle_id, environment, external_purchase_id, signed_date, payload,
            arrival, received_at, done_at, effect)
        SELECT 'u' || n, \(either("'old'", "'new'")), \(either("'old'", "'new'")), \(either("'a'", "'b'")),
            \(either("'sandbox'", "'production'")), 't' || n, n, 'payload', 'delivered', n, \(either("NULL", "n")),
            \(either("NULL", "'none'")) \(series);
        INSERT INTO review_items (bundle_id, kind, subject_kind, subject_id, detail, opened_at, resolved_at, resolved_by, note)
        SELECT \(either("'a'", "'b'")), \(either("'contradiction'", "'sale-held'")), 'sale', 's' || n, 'detail', n,
            \(either("NULL", "n")), \(either("NULL", "'kim'")), \(either("NULL", "''")) \(series);
        INSERT INTO audit_log (sequence, time, kind, content, hash)
        SELECT n, n, \(either("'token-stored'", "'sale-stored'")),
            \(either("'{\"bundleId\":\"a\"}'", "'{\"bundleId\":\"b\"}'")), sha256(n::text::bytea) \(series);
        """

    /// The rows that the plan of a statement reads: those that its scans return, and those that they pass over.
    static func rowsRead(
        _ sql: String,
        _ arguments: [SQLValue],
        on connection: PostgresConnection
    ) throws -> (count: Int, plan: String) {
        try rowsRead(by: PostgresDialect.statement(sql), arguments, on: connection)
    }

    private static func rowsRead(
        by text: String,
        _ arguments: [SQLValue],
        on connection: PostgresConnection
    ) throws -> (count: Int, plan: String) {
        let answer = try connection.query("EXPLAIN (ANALYZE, FORMAT JSON) \(text)", arguments).rows.first?
            .optionalText(at: 0)
        let plan = try #require(answer)
        let parsed = try JSONSerialization.jsonObject(with: Data(plan.utf8)) as? [[String: Any]]
        func count(_ node: [String: Any]) -> Int {
            let loops = node["Actual Loops"] as? Int ?? 1
            let isScan = (node["Node Type"] as? String)?.contains("Scan") == true
            let own = ["Actual Rows", "Rows Removed by Filter", "Rows Removed by Index Recheck"]
                .reduce(0) { $0 + (node[$1] as? Int ?? 0) }
            return (isScan ? own * loops : 0) + (node["Plans"] as? [[String: Any]] ?? []).reduce(0) { $0 + count($1) }
        }
        let root = try #require(parsed?.first?["Plan"] as? [String: Any])
        return (count(root), plan)
    }

    /// What the old rows have, by table and parameter; lists of all apps read in the order of arrival.
    static let wanted: [(table: ListTable, filters: [[ListFilter.Parameter: String]])] = [
        (
            .tokens,
            [
                [:], [.customerId: "a"], [.flag: "suspicious"], [.state: "unconfirmed"], [.kind: "LINK_OUT"],
                [.environment: "sandbox"],
            ]
        ),
        (.reports, [[:], [.state: "needsAttention"], [.kind: "NO_LINE_ITEM"], [.environment: "sandbox"]]),
        (.paymentEvents, [[:], [.state: "held"], [.kind: "old"]]),
        (.notifications, [[:], [.state: "waiting"], [.kind: "old"], [.subtype: "old"], [.environment: "sandbox"]]),
        (.reviewItems, [[.state: "open"], [.kind: "contradiction"]]),
        (.auditEntries, [[:], [.kind: "token-stored"]]),
    ]

    @Test("A query for many keys that was planned for empty tables reads the rows of its keys when they are filled")
    func sets() throws {
        let connection = try PostgresConnection(PostgresUnderTest.settings())
        try migrate(connection)
        // The plan is made once, for no particular keys.
        try connection.execute("SET plan_cache_mode = force_generic_plan")
        let keys = "'{x,y,z}'"
        let page = "'{0,0,0}', '{10,10,10}'"
        let queries: [(sql: String, types: [String?], arguments: String)] = [
            (Query.token, ["text", "text"], "\(keys), \(keys)"),
            (Query.checkout, ["text", "text"], "\(keys), \(keys)"),
            (Query.sale, ["text", "text"], "'{b,b,b}', '{s12000,s11999,s11998}'"),
            (Query.saleOfLineItem, ["text", "text"], "'{b,b,b}', '{s12000,s11999,s11998}'"),
            (Query.refunds, ["text", "text"], "'{b,b,b}', \(keys)"),
            (Query.heldSalesOfCustomer, ["text", "text", "bigint", "bigint"], "'{b,b,b}', \(keys), \(page)"),
            (Query.customLinkTokensOfCustomer, ["text", "text", "bigint"], "'{b,b,b}', \(keys), '{10,10,10}'"),
            (Query.newestAccepted, ["text", "text", "text"], "'{b,b,b}', '{production,sandbox,sandbox}', \(keys)"),
            (Query.paymentEventsToReopen, ["text", "text"], "'{stripe,stripe,stripe}', '{o1,o2,o3}'"),
            (
                Query.paymentEventsOfObjects, ["text", "text"],
                "'{stripe,stripe}', '{\"[\\\"o1\\\"]\",\"[\\\"o2\\\"]\"}'"
            ),
        ]
        for (number, query) in queries.enumerated() {
            let text = PostgresDialect.query(query.sql, withEach: query.types, columns: [:])
            try connection.execute("PREPARE q\(number) AS \(text); EXECUTE q\(number) (\(query.arguments))")
        }
        // Nothing is analysed, which would have the plans made anew.
        try connection.execute("SET session_replication_role = replica; \(Self.fill)")
        for (number, query) in queries.enumerated() {
            let (count, plan) = try Self.rowsRead(by: "EXECUTE q\(number) (\(query.arguments))", [], on: connection)
            #expect(count <= 3 * Self.limit, "\(query.sql): \(plan)")
        }
    }

    @Test("Each parameter finds old rows without the newer ones, on the first page and on one in the middle")
    func lists() async throws {
        let connection = try Self.filled()
        for (table, filters) in Self.wanted {
            for values in filters {
                let filter = ListFilter(values.merging([.bundleId: "a"]) { $1 })
                for page in Self.pages {
                    let query = table.query(filter, page)
                    let (count, plan) = try Self.rowsRead(query.sql, query.arguments, on: connection)
                    #expect(count <= 3 * Self.limit, "\(table.name) \(values) after \(page.after): \(plan)")
                }
            }
        }
    }

    private static let pages = [
        LedgerPage(limit: limit), LedgerPage(after: 2_000, limit: limit), LedgerPage(limit: limit, isNewestFirst: true),
        LedgerPage(after: 2_000, limit: limit, isNewestFirst: true),
    ]

    @Test(
        "Each parameter of sales finds old rows without the newer ones",
        arguments: [
            { (_: inout SaleFilter) in }, { $0.customerId = "a" }, { $0.checkoutId = "a" }, { $0.flag = .noTax },
            { $0.productId = "a" }, { $0.kind = "refund" }, { $0.environment = .sandbox },
            { $0.state = .held }, { $0.standing = .held },
        ] as [@Sendable (inout SaleFilter) -> Void]
    )
    func sales(_ change: @Sendable (inout SaleFilter) -> Void) async throws {
        let connection = try Self.filled()
        var filter = SaleFilter(bundleId: "a")
        change(&filter)
        let query = SaleFilterQuery(filter)
        for page in Self.pages {
            let arguments = query.arguments + [page.place.sqlValue, page.bound.sqlValue]
            let (count, plan) = try Self.rowsRead(query.sql(page), arguments, on: connection)
            #expect(count <= 3 * Self.limit, "after \(page.after): \(plan)")
        }
    }

    @Test("Pages of the sales of a customer, a token, a payment and whatever else read what they return, or nothing")
    func queries() async throws {
        let connection = try Self.filled()
        let queries = ["a", "none"].flatMap { id -> [SaleQuery] in
            [
                .customer(CustomerId(id), of: "a"), .pendingOfCustomer(CustomerId(id), of: "a"),
                .heldOfCustomer(CustomerId(id), of: "a"), .subscription(id, of: "a"),
                .takingBackSubscription(id == "a" ? "few" : id, of: "a"), .token(ExternalPurchaseId(id), of: "a"),
                .pendingOnToken(ExternalPurchaseId(id), of: "a"), .naming(ExternalPurchaseId(id), of: "a"),
                .changing(with: ExternalPurchaseId(id), of: "a"), .pendingOfCheckout(CheckoutId(id), of: "a"),
                .payment(PaymentObjectName(id), of: "a"), .lines(SaleId(id), of: "a"),
                .state(id == "a" ? .held : .recorded, of: "a"),
                .replaced(of: "a"), .given,
            ]
        }
        for query in queries {
            for page in Self.pages {
                let statement = query.statement(page)
                let (count, plan) = try Self.rowsRead(statement.sql, statement.arguments.values, on: connection)
                // Each sale is read with its newest version.
                #expect(count <= 3 * Self.limit, "\(query) after \(page.after): \(plan)")
            }
        }
    }

    @Test(
        "What names several rows is found by their numbers, also after figures of the tables were gathered",
        arguments: [
            (Query.paymentEventsOfObjects, [.text("stripe"), .text(#"["o7","o12000"]"#)]),
            (Query.paymentEventsToReopen, [.text("stripe"), .text("o7")]),
            (Query.openTokensBySequence, [.text("[7,12000]")]), (Query.openSalesBySequence, [.text("[7,12000]")]),
            (Query.salesNamingToken, [.text("a"), .text("t7"), .integer(0), .integer(10)]),
            (Query.salesOfPayment, [.text("a"), .text("p"), .integer(0), .integer(10)]),
            (Query.salesChangingWithToken, [.text("a"), .text("t7"), .integer(0), .integer(10)]),
        ] as [(String, [SQLValue])]
    )
    func numbers(_ sql: String, _ arguments: [SQLValue]) async throws {
        let (count, plan) = try Self.rowsRead(sql, arguments, on: try Self.filled())
        #expect(count <= 3 * Self.limit, "\(plan)")
    }
}

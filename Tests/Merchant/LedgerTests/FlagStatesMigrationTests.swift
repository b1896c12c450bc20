import ExternalPurchaseCore
import Foundation
import GRDB
import Ledger
import Testing

@testable import LedgerSQLite

@Suite("The states that were flags become columns")
struct FlagStatesMigrationTests {
    /// The flags of stored tokens, as the version before wrote them.
    static let tokens: [[String]] = [
        [], ["suspicious"], ["chosen-for-period"], ["customer-from-sale"], ["report-refused"], ["no-base-url"],
        [
            "bundle-mismatch", "chosen-for-period", "customer-from-sale", "no-base-url", "of-a-later-version",
            "report-refused",
        ],
    ]

    /// The causes that no earlier version wrote; a note of the same name was one.
    static let later: Set<HoldCause> = [
        .checkoutContradiction, .customerContradiction, .referenceClosed, .reportedAlready,
    ]

    /// The state and the flags of stored sales, as the version before wrote them.
    static let sales: [(state: String, flags: [String])] =
        [
            ("planned", []), ("planned", ["imported"]), ("planned", ["new-subscription", "sent-apart"]),
            ("recorded", ["no-line-item"]), ("recorded", ["void"]),
            ("held", ["customer-contradiction", "no-token", "of-a-later-version"]),
            ("held", ["no-tax", "no-tax-country", "review-closed"]),
            (
                "held",
                ["checkout-contradiction", "report-refused", "review-closed", "sent-apart", "withdrawn-currency"]
            ),
        ] + HoldCause.allCases.filter { !later.contains($0) }.map { ("held", [$0.rawValue]) }

    private static let shop: BundleId = "com.example.shop"

    private static func json(_ flags: [String]) -> String {
        "[" + flags.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }

    /// Creates a ledger of the version before; the first sale is in a report.
    private static func olderLedger() async throws -> String {
        let path = try temporaryFile()
        let queue = try DatabaseQueue(path: path)
        try await queue.write { database in
            try migrate(database, to: Array(Migration.all.prefix { $0 != .flagStates }))
            for (number, flags) in tokens.enumerated() {
                try database.execute(
                    sql: """
                        INSERT INTO tokens (bundle_id, external_purchase_id, environment, app_apple_id, creation_date,
                            text, state, source, first_seen, checkout_id, flags)
                        VALUES ('com.example.shop', ?, 'production', 12, 1000, 'text', 'confirmed', 'app', 1500, 'k', ?)
                        """,
                    arguments: ["t-\(number)", json(flags)]
                )
            }
            try database.execute(
                sql: """
                    INSERT INTO reports (bundle_id, environment, request_key, request_identifier, external_purchase_id,
                        status, body, written_at, state, changed_at, attempts, errors)
                    VALUES ('com.example.shop', 'production', 'abcdef00-0000-4000-8000-000000000001',
                        'ABCDEF00-0000-4000-8000-000000000001', 't-0', 'LINE_ITEM', x'7B7D', 1600, 'sending', 1700, 1,
                        '[]')
                    """
            )
            for (number, sale) in sales.enumerated() {
                let content = """
                    {"saleId":"s-\(number)","bundleId":"com.example.shop","type":"purchase",\
                    "occurredAt":"2026-11-20T12:00:00Z","productId":"gems","quantity":1,\
                    "amount":{"currency":"EUR","inclusive":"9.99"}}
                    """
                let isPlanned = sale.state == "planned"
                try database.execute(
                    sql: """
                        INSERT INTO sales (bundle_id, sale_id, line_item_id, occurred_at, content, received_at, state,
                            external_purchase_id, environment, flags, request_key)
                        VALUES ('com.example.shop', ?1, ?1, 1795176000000, ?2, 1550, ?3, ?4, ?5, ?6, ?7)
                        """,
                    arguments: [
                        "s-\(number)", content, sale.state, isPlanned ? "t-0" : nil, isPlanned ? "production" : nil,
                        json(sale.flags), number == 0 ? "abcdef00-0000-4000-8000-000000000001" : nil,
                    ]
                )
            }
        }
        try queue.close()
        return path
    }

    @Test("A token keeps its states, and lists show the flags that they showed")
    func tokens() async throws {
        let store = try SQLiteLedgerStore(path: try await Self.olderLedger())
        try await store.step { ledger throws in
            for (number, flags) in Self.tokens.enumerated() {
                let token = try #require(try ledger.token(ExternalPurchaseId("t-\(number)"), of: Self.shop))
                #expect(token.flags.map(\.rawValue).sorted() == flags)
                #expect((token.periodChoice == .chosen) == flags.contains("chosen-for-period"))
                #expect((token.customerSource == .sales) == flags.contains("customer-from-sale"))
                #expect((token.reporting == .onRequest) == flags.contains("report-refused"))
                #expect((token.endpoint == .missing) == flags.contains("no-base-url"))
                for note in token.notes {
                    #expect(["suspicious", "bundle-mismatch", "of-a-later-version"].contains(note.rawValue))
                }
            }
            for flag in Set(Self.tokens.joined()) {
                let listed = try ledger.tokens(matching: ListFilter([.flag: flag]), LedgerPage()).map(\.sequence)
                #expect(listed == Self.tokens.indices.filter { Self.tokens[$0].contains(flag) }.map { Int64($0 + 1) })
            }
        }
    }

    @Test("A sale keeps its states, and lists and counts show the flags that they showed")
    func sales() async throws {
        let store = try SQLiteLedgerStore(path: try await Self.olderLedger())
        try await store.step { ledger throws in
            for (number, sale) in Self.sales.enumerated() {
                let stored = try #require(try ledger.sale(SaleId("s-\(number)"), of: Self.shop))
                let attribution = stored.attribution
                #expect(attribution.state.rawValue == sale.state)
                #expect(attribution.flags.map(\.rawValue).sorted() == sale.flags)
                let causes = Set(sale.flags.compactMap(HoldCause.init(rawValue:)))
                #expect(attribution.holdCauses == causes.subtracting(Self.later))
                #expect((attribution.review == .closed) == sale.flags.contains("review-closed"))
                #expect((attribution.dispatch == .apart) == sale.flags.contains("sent-apart"))
                #expect(
                    (attribution.subscriptionDecision == .newSubscription) == sale.flags.contains("new-subscription")
                )
                #expect((attribution.origin == .imported) == sale.flags.contains("imported"))
                let known = [
                    "customer-contradiction", "checkout-contradiction", "withdrawn-currency", "no-line-item", "void",
                    "of-a-later-version",
                ]
                for note in attribution.notes { #expect(known.contains(note.rawValue)) }
            }
            for flag in Set(Self.sales.flatMap(\.flags)) {
                var filter = SaleFilter(bundleId: Self.shop)
                filter.flag = SaleFlag(rawValue: flag)
                let rows = Self.sales.indices.filter { Self.sales[$0].flags.contains(flag) }
                let listed = try ledger.sales(matching: filter, LedgerPage(limit: 100))
                #expect(listed.map(\.sale.saleId) == rows.map { SaleId("s-\($0)") }, "\(flag)")
                let held = try ledger.counts().heldSales.filter { $0.key.flag?.rawValue == flag }
                #expect(held.values.reduce(0, +) == rows.count { Self.sales[$0].state == "held" }, "\(flag)")
            }
        }
    }

    @Test(
        "A report still holds its sale",
        arguments: [
            "hold_causes = '[\"no-tax\"]'", "review = 'closed'", "dispatch = 'apart'",
            "subscription_decision = 'newSubscription'", "origin = 'imported'", "notes = '[\"void\"]'",
        ]
    )
    func heldByReport(_ change: String) async throws {
        let store = try SQLiteLedgerStore(path: try await Self.olderLedger())
        try await store.pool.write { database in
            let error = #expect(throws: DatabaseError.self) {
                try database.execute(sql: "UPDATE sales SET \(change) WHERE sale_id = 's-0'")
            }
            #expect(error?.message == "a report or an export holds the sale")
            try database.execute(sql: "UPDATE sales SET \(change) WHERE sale_id = 's-4'")
        }
    }

    @Test("The migrated file is sound, and its flags are a virtual column")
    func schema() async throws {
        let migrated = try SQLiteLedgerStore(path: try await Self.olderLedger())
        try await migrated.pool.read { database in
            #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
            for table in ["tokens", "sales"] {
                // A virtual column is none of the columns that a statement writes.
                let columns = try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info('\(table)')")
                #expect(!columns.contains("flags"))
                #expect(columns.contains("notes"))
            }
        }
    }
}

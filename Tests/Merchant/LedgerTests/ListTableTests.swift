import ExternalPurchaseCore
import Foundation
import GRDB
import Testing

@testable import Ledger
@testable import LedgerSQLite

@Suite("Filtered lists find their rows by index")
struct ListTableTests {
    struct Case: Sendable {
        let table: ListTable
        let filter: ListFilter
        let index: String

        init(_ table: ListTable, _ filter: ListFilter, _ index: String) {
            (self.table, self.filter, self.index) = (table, filter, index)
        }

        /// A list of one app.
        init(_ table: ListTable, _ values: [ListFilter.Parameter: String], _ index: String) {
            self.init(table, ListFilter(values.merging([.bundleId: "com.example.shop"]) { $1 }), index)
        }
    }

    static let time = Timestamp(milliseconds: 0)

    @Test(
        "The plan names the index, reads no whole table and sorts no rows",
        arguments: [
            Case(.tokens, [.externalPurchaseId: "t"], "tokens_by_id"),
            Case(.tokens, [.customerId: "c", .state: "confirmed"], "tokens_by_customer"),
            Case(.tokens, [.flag: "suspicious"], "tokens_noted"),
            Case(.tokens, [.flag: "customer-from-sale"], "tokens_of_sales"),
            Case(.tokens, [.state: "confirmed", .environment: "sandbox"], "tokens_in_state"),
            Case(.tokens, ListFilter([.bundleId: "a"], from: time), "tokens_by_creation"),
            Case(.tokens, ListFilter([.bundleId: "a", .environment: "sandbox"], until: time), "tokens_by_creation"),
            Case(.tokens, ListFilter(), "INTEGER PRIMARY KEY"),
            Case(.reports, [.state: "needsAttention"], "reports_in_state"),
            Case(.reports, [.state: "withdrawn"], "reports_in_state"),
            Case(.reports, [.kind: "NO_LINE_ITEM"], "reports_of_kind"),
            Case(.reports, [.externalPurchaseId: "t"], "reports_of_token"),
            Case(
                .reports,
                ListFilter([.bundleId: "a"], from: time, until: time),
                "reports_of_app (<expr>=? AND rowid>? AND rowid<?)"
            ),
            Case(.notifications, ListFilter([.kind: "TEST"]), "notifications_of_kind"),
            Case(.notifications, ListFilter([.kind: "TEST", .subtype: "CREATED"]), "notifications_of_subtype"),
            Case(.notifications, ListFilter([.externalPurchaseId: "t"]), "notifications_of_token"),
            Case(.notifications, ListFilter([.state: "waiting"]), "notifications_to_do"),
            Case(.notifications, ListFilter(from: time), "INTEGER PRIMARY KEY (rowid>? AND rowid<?)"),
            Case(.reviewItems, [.kind: "contradiction"], "review_items_of_kind"),
            Case(.reviewItems, [.saleId: "s"], "review_items_by_subject"),
            Case(.reviewItems, [.state: "open"], "review_items_open_of_app"),
            Case(.reviewItems, ListFilter([.bundleId: "a"], from: time), "INTEGER PRIMARY KEY (rowid>? AND rowid<?)"),
            Case(.auditEntries, ListFilter([.kind: "token-stored"]), "audit_of_kind"),
            Case(.auditEntries, ListFilter([.externalPurchaseId: "t"], from: time), "audit_of_token"),
            Case(.auditEntries, ListFilter([.saleId: "s"]), "audit_of_sale"),
            Case(.auditEntries, ListFilter(from: time, until: time), "INTEGER PRIMARY KEY (rowid>? AND rowid<?)"),
            Case(
                .auditEntries,
                ListFilter([.kind: "k"], until: time),
                "audit_of_kind (kind=? AND rowid>? AND rowid<?)"
            ),
            Case(
                .auditEntries,
                ListFilter([.bundleId: "a"], from: time),
                "audit_of_app (<expr>=? AND rowid>? AND rowid<?)"
            ),
            Case(
                .paymentEvents,
                ListFilter([.bundleId: "a"], from: time),
                "payment_events_of_app (<expr>=? AND rowid>? AND rowid<?)"
            ),
            Case(.auditEntries, ListFilter(), "INTEGER PRIMARY KEY"),
            Case(.auditEntries, [.kind: "k"], "audit_of_kind_in_app (<expr>=? AND kind=? AND rowid"),
            Case(
                .auditEntries,
                ListFilter([.bundleId: "a", .kind: "k"], from: time),
                "audit_of_kind_in_app (<expr>=? AND kind=? AND rowid>? AND rowid<?)"
            ),
            Case(.auditEntries, [.kind: "k", .saleId: "s"], "audit_of_sale"),
            Case(.paymentEvents, [.kind: "k"], "payment_events_of_type_in_app (bundle_id=? AND type=? AND rowid"),
            Case(.paymentEvents, [.kind: "k", .state: "held"], "payment_events_held"),
            Case(.notifications, [.kind: "k"], "notifications_of_kind_in_app (bundle_id=? AND type=? AND rowid"),
            Case(.notifications, [.kind: "k", .subtype: "s"], "notifications_of_subtype"),
        ]
    )
    func plan(_ example: Case) async throws {
        let store = try SQLiteLedgerStore(path: temporaryFile())
        for isNewestFirst in [false, true] {
            try await check(example, LedgerPage(limit: 10, isNewestFirst: isNewestFirst), in: store)
        }
    }

    @Test(
        "The ends of a span are read by the index of its days, once for each day",
        arguments: [ListTable.reports, .notifications, .paymentEvents, .reviewItems, .auditEntries]
    )
    func bounds(_ table: ListTable) async throws {
        let store = try SQLiteLedgerStore(path: temporaryFile())
        let ends = try #require(table.bounds(ListFilter(from: Self.time)))
        let plan = try await store.pool.read { database in
            let arguments = StatementArguments(ends.arguments.map(\.databaseValue))
            return try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(ends.sql)", arguments: arguments)
                .map { row -> String in row["detail"] }
        }
        let searches = plan.filter { $0.hasPrefix("SEARCH its ") }
        #expect(searches.count == 4 && searches.allSatisfy { $0.contains("_by_day (<expr>") }, "\(plan)")
        #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.contains("SCAN its") }, "\(plan)")
    }

    /// Conditions that most rows meet, or that stand in a table of few: the order of arrival finds their page.
    static let ofMostRows: Set<String> = [
        "notifications state done", "notifications environment production", "payment_events state applied",
        "payment_events state not-used", "review_items state resolved", "review_items bundleId a",
    ]

    @Test(
        "Each parameter alone has an index in the order of arrival, or is one that most rows meet",
        arguments: [
            ListTable.tokens, .reports, .notifications, .paymentEvents, .reviewItems, .auditEntries, .corrections,
            .manualExports,
        ]
    )
    func parameters(_ table: ListTable) async throws {
        let store = try SQLiteLedgerStore(path: temporaryFile())
        for (parameter, condition, _) in table.conditions {
            let values =
                switch condition {
                case .value: ["a"]
                case .values(let sqls, _, let others): sqls.keys.sorted() + (others == nil ? [] : ["suspicious"])
                }
            for value in values {
                var filter = ListFilter([parameter: value])
                if table.isByApp { filter[.bundleId] = "a" }
                let query = table.query(filter, LedgerPage(limit: 10, isNewestFirst: true))
                let plan = try await store.pool.read { database in
                    let arguments = StatementArguments(query.arguments.map(\.databaseValue))
                    return try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(query.sql)", arguments: arguments)
                        .map { row -> String in row["detail"] }
                }
                let name = "\(table.name) \(parameter.rawValue) \(value)"
                let isSmall = ["corrections", "manual_exports"].contains(table.name)
                // The reports and notifications of a token are few.
                let sorts = parameter == .externalPurchaseId
                #expect(sorts || !plan.contains { $0.contains("TEMP B-TREE FOR ORDER BY") }, "\(name): \(plan)")
                let own = plan.first { $0.contains(" \(table.name) ") } ?? ""
                let isByOrder = own.contains("INTEGER PRIMARY KEY (rowid<?)") || own.hasPrefix("SCAN")
                #expect(isByOrder == (isSmall || Self.ofMostRows.contains(name)), "\(name): \(plan)")
            }
        }
    }

    private func check(_ example: Case, _ page: LedgerPage, in store: SQLiteLedgerStore) async throws {
        let hasBounds = example.table.bounds(example.filter) != nil
        let query = example.table.query(example.filter, page, within: hasBounds ? 1...2 : nil)
        let plan = try await store.pool.read { database in
            let arguments = StatementArguments(query.arguments.map(\.databaseValue))
            return try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(query.sql)", arguments: arguments)
                .map { row -> String in row["detail"] }
        }
        #expect(
            plan.contains { $0.hasPrefix("SEARCH \(example.table.name) ") && $0.contains(example.index) },
            "\(plan)"
        )
        // Equal entries of an index stand in the order of arrival. The reports and notifications of a token are few.
        let isSmall = ["reports_of_token", "notifications_of_token"].contains(example.index)
        #expect(isSmall || !plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }
}

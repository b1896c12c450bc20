import ExternalPurchaseCore
import Foundation
import GRDB
import Testing

@testable import Ledger
@testable import LedgerSQLite

@Suite("Filtered lists of sales find their rows by index")
struct SaleFilterQueryTests {
    struct Case: Sendable {
        let index: String
        let change: @Sendable (inout SaleFilter) -> Void
    }

    /// The lines of SQLite's plan for a page of the list.
    private static func plan(_ change: (inout SaleFilter) -> Void) async throws -> [String] {
        let store = try SQLiteLedgerStore(path: temporaryFile())
        var filter = SaleFilter(bundleId: "com.example.shop")
        change(&filter)
        let query = SaleFilterQuery(filter)
        return try await store.pool.read { database in
            let arguments = StatementArguments((query.arguments + [.integer(0), .integer(10)]).map(\.databaseValue))
            return try Row.fetchAll(
                database,
                sql: "EXPLAIN QUERY PLAN \(query.sql(LedgerPage()))",
                arguments: arguments
            )
            .map { row -> String in row["detail"] }
        }
    }

    @Test(
        "The plan names the index of the most selective condition",
        arguments: [
            Case(index: "sales_of_token") { $0.externalPurchaseId = "t" },
            Case(index: "sales_of_customer") { $0.customerId = "c" },
            Case(index: "sales_of_checkout") { $0.checkoutId = "k" },
            Case(index: "sales_with_causes") { $0.flag = .noToken },
            Case(index: "sales_noted") { $0.flag = .checkoutContradiction },
            Case(index: "sales_noted") { $0.flag = .noLineItem },
            Case(index: "sales_decided") { $0.flag = .sentApart },
            Case(index: "sales_imported") { $0.flag = .imported },
            Case(index: "sales_of_product") { $0.productId = "p" },
            Case(index: "sales_not_planned") { $0.state = .held },
            Case(index: "sales_not_planned") { $0.state = .recorded },
            Case(index: "sales_of_app") { $0.state = .planned },
            Case(index: "sales_of_app") { _ in },
            Case(index: "sales_of_type") { $0.kind = "purchase" },
            Case(index: "sales_of_type") { $0.kind = "chargeback" },
            Case(index: "sales_of_type") { $0.kind = "lapse" },
            Case(index: "sales_in_sandbox") { $0.environment = .sandbox },
            Case(index: "sales_of_app") { $0.environment = .production },
            Case(index: "sales_of_app") { $0.standing = .reported },
            Case(index: "sales_by_state") { $0.standing = .planned },
            Case(index: "sales_not_planned") { $0.standing = .recorded },
            Case(index: "sales_retracted") { $0.state = .void },
            Case(index: "sales_retracted") { $0.standing = .void },
            Case(index: "sales_retracted") { $0.standing = .retracted },
            Case(index: "sales_handed_over") { $0.standing = .handedOver },
            Case(index: "sales_by_moment") { $0.from = Timestamp(milliseconds: 0) },
            Case(index: "sales_of_token") { filter in
                filter.until = Timestamp(milliseconds: 0)
                filter.externalPurchaseId = "t"
                filter.state = .planned
            },
        ]
    )
    func plan(_ example: Case) async throws {
        let plan = try await Self.plan { example.change(&$0) }
        let isSpan = example.index == "sales_by_moment"
        let use = isSpan ? "its USING COVERING INDEX" : "sales USING INDEX"
        #expect(plan.contains { $0.contains("\(use) \(example.index)") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN sales") }, "\(plan)")
        // Equal entries of an index stand in the order of arrival; of a span of time the numbers are sorted.
        #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }

    @Test("The sales in a report are found by the reports that Apple has not accepted")
    func inReport() async throws {
        let plan = try await Self.plan { $0.standing = .inReport }
        #expect(plan.contains { $0.contains("INDEX reports_open") }, "\(plan)")
        #expect(plan.contains("SEARCH sales USING INTEGER PRIMARY KEY (rowid=?)"), "\(plan)")
    }

    @Test("Every combination of two conditions is a statement that SQLite takes")
    func combinations() async throws {
        let store = try SQLiteLedgerStore(path: temporaryFile())
        for state in [nil] + SaleFilter.State.allCases.map(Optional.some) {
            for standing in [nil] + SaleStanding.allCases.map(Optional.some) {
                var filter = SaleFilter(bundleId: "com.example.shop")
                filter.state = state
                filter.standing = standing
                let found = try await store.read { [filter] ledger throws(LedgerError) in
                    try ledger.sales(matching: filter, LedgerPage())
                }
                #expect(found.isEmpty)
            }
        }
    }
}

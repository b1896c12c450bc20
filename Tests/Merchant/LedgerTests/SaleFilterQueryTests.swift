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

    @Test(
        "The plan names the index of the most selective condition",
        arguments: [
            Case(index: "sales_of_token") { $0.externalPurchaseId = "t" },
            Case(index: "sales_of_customer") { $0.customerId = "c" },
            Case(index: "sales_of_checkout") { $0.checkoutId = "k" },
            Case(index: "sales_flagged") { $0.flag = .noToken },
            Case(index: "sales_of_product") { $0.productId = "p" },
            Case(index: "sales_not_planned") { $0.state = .held },
            Case(index: "sales_not_planned") { $0.state = .void },
            Case(index: "sales_by_state") { $0.standing = .planned },
            Case(index: "sales_of_export") { $0.standing = .handedOver },
            Case(index: "sales_by_moment") { $0.from = Timestamp(milliseconds: 0) },
            Case(index: "sales_of_token") { filter in
                filter.until = Timestamp(milliseconds: 0)
                filter.externalPurchaseId = "t"
                filter.state = .planned
            },
        ]
    )
    func plan(_ example: Case) async throws {
        let store = try SQLiteLedgerStore(path: temporaryFile())
        var filter = SaleFilter(bundleId: "com.example.shop")
        example.change(&filter)
        let query = SaleFilterQuery(filter)
        let plan = try await store.pool.read { database in
            let arguments = StatementArguments((query.arguments + [.integer(0), .integer(10)]).map(\.databaseValue))
            return try Row.fetchAll(
                database,
                sql: "EXPLAIN QUERY PLAN \(query.sql(LedgerPage()))",
                arguments: arguments
            )
            .map { row -> String in row["detail"] }
        }
        #expect(plan.contains { $0.contains("sales USING INDEX \(example.index)") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN sales") }, "\(plan)")
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

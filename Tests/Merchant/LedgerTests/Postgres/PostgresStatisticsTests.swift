import ExternalPurchaseCore
import Ledger
import LedgerTesting
import Testing

@testable import LedgerPostgres

@Suite("Figures of tables that grow from nothing", .enabled(if: PostgresUnderTest.isThere))
struct PostgresStatisticsTests {
    /// The test's server has autovacuum, which none of these tables waits for.
    private static let tables = ["tokens", "checkouts", "audit_log", "deadlines"]

    /// Closures that store one token, and that store 64, as a large order or batch does.
    @Test("Without autovacuum a token is found by its id, not among all tokens of its app", arguments: [1, 64])
    func growth(tokensOfClosure size: Int) async throws {
        let settings = try PostgresUnderTest.settings()
        let store = try await PostgresLedgerStore(settings, dependencies: .fixed)
        let connection = try PostgresConnection(settings)
        for table in Self.tables { try connection.execute("ALTER TABLE \(table) SET (autovacuum_enabled = false)") }
        var figure: Int64 = -1
        // The server tells what changed once a second. Groups reach the number of changes in few commits.
        for group in 0..<32 {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for first in stride(from: group * 64, to: (group + 1) * 64, by: size) {
                    tasks.addTask {
                        try await store.write { ledger throws(LedgerError) in
                            for number in first..<first + size {
                                let token = try ledger.insert(LedgerRows.token(ExternalPurchaseId("SANDBOX_\(number)")))
                                try ledger.put(
                                    Checkout(
                                        checkoutId: CheckoutId("k\(number)"),
                                        bundleId: LedgerRows.shop,
                                        externalPurchaseId: token.token.externalPurchaseId
                                    )
                                )
                            }
                        }
                    }
                }
                try await tasks.waitForAll()
            }
            try await Task.sleep(for: .milliseconds(1_100))
            let found = try connection.query(
                "SELECT reltuples::bigint FROM pg_class WHERE oid = 'tokens'::regclass",
                []
            )
            figure = found.rows.first?.optionalInteger(at: 0) ?? -1
            if figure > 0 { break }
        }
        #expect(figure > 0)
        let plan = try connection.query(
            "EXPLAIN SELECT * FROM tokens WHERE bundle_id = '\(LedgerRows.shop.rawValue)' AND external_purchase_id = 'b'",
            []
        ).rows.map { $0.optionalText(at: 0) ?? "" }
        #expect(plan.contains { $0.contains("external_purchase_id = 'b'") && $0.contains("Index Cond") }, "\(plan)")
        try store.close()
    }
}

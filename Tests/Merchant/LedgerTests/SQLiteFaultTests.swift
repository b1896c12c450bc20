import Foundation
import GRDB
import Ledger
import LedgerTesting
import Synchronization
import Testing

@testable import LedgerSQLite

@Suite("SQLite failing at any row leaves the ledger as it was")
struct SQLiteFaultTests {
    /// Fails at one of the rows that are written, counted over all tables by triggers of the connection.
    private final class RowFault: Sendable {
        let left = Mutex(Int.max)

        func install(on store: SQLiteLedgerStore) async throws {
            let function = DatabaseFunction("row_fault", argumentCount: 0) { _ in
                let isDue = self.left.withLock { left in
                    left -= 1
                    return left < 0
                }
                if isDue { throw DatabaseError(resultCode: .SQLITE_IOERR, message: "a fault that was asked for") }
                return 0
            }
            try await store.pool.writeWithoutTransaction { database in
                database.add(function: function)
                let tables = try String.fetchAll(
                    database,
                    sql: "SELECT name FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'"
                )
                for table in tables where table != "migrations" {
                    for event in ["INSERT", "UPDATE"] {
                        try database.execute(
                            sql: """
                                CREATE TEMP TRIGGER fault_\(table)_\(event) AFTER \(event) ON main.\(table)
                                BEGIN SELECT row_fault(); END
                                """
                        )
                    }
                }
            }
        }
    }

    @Test("A whole story in one transaction, failing at each of its rows in turn")
    func rows() async throws {
        let store = try SQLiteLedgerStore(path: temporaryFile(), dependencies: .fixed)
        let fault = RowFault()
        try await fault.install(on: store)
        let before = try await store.contents()
        var rows = 0
        while rows < 500 {
            fault.left.withLock { $0 = rows }
            let error = await ledgerError { try await LedgerRows.fillAtOnce(store) }
            if error == nil { break }
            guard case .inaccessible = error else {
                Issue.record("\(String(describing: error)) at row \(rows)")
                break
            }
            #expect(try await store.contents() == before)
            rows += 1
        }
        #expect((50..<500).contains(rows))
        fault.left.withLock { $0 = .max }
        try await store.step { ledger throws in #expect(try ledger.verifyAudit().broken == nil) }
    }
}

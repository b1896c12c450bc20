import GRDB
import GRDBSQLite
package import Ledger

/// A ledger in a SQLite database in memory, for tests and simulations: the same SQL as in a file.
///
/// It has one connection, so that a read waits for the writes before it.
package final class MemoryLedgerStore: LedgerStore {
    private let queue: DatabaseQueue
    private let commits: WriteQueue
    private let dependencies: LedgerDependencies

    /// Creates an empty ledger.
    ///
    /// - Parameter dependencies: time and randomness of audit entries.
    package init(dependencies: LedgerDependencies = .live) throws(LedgerError) {
        self.dependencies = dependencies
        do {
            var configuration = Configuration()
            configuration.foreignKeysEnabled = true
            configuration.label = "ledger"
            queue = try DatabaseQueue(configuration: configuration)
            try queue.writeWithoutTransaction { database in
                // Each store prepares its statements anew, and GRDB notes for each column of each what it reads, which nothing
                // here asks for.
                sqlite3_set_authorizer(database.sqliteConnection, nil, nil)
                try migrateWithoutForeignKeys(database)
            }
        } catch {
            throw LedgerError(translating: error)
        }
        commits = SQLiteWriter.queue(
            of: queue,
            files: nil,
            dependencies: dependencies,
            limits: WriteQueue.Limits()
        )
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        do {
            let read = CancellableRead()
            return try await read {
                // GRDB's read makes the connection read-only meanwhile, by a pragma that expires every prepared statement. The
                // type of the closure's argument refuses changes, and nothing else runs on the one connection.
                try await queue.writeWithoutTransaction { [dependencies] in
                    try body(LedgerQueries(in: $0, of: read, dependencies: dependencies))
                }
            }
        } catch {
            throw LedgerError(translating: error)
        }
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await commits.write(body)
    }
}

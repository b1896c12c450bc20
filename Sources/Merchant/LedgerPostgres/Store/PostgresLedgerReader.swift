package import ExternalPurchaseCore
package import Ledger

/// Reads the ledger in a schema of a PostgreSQL database, also while servers write to it.
package final class PostgresLedgerReader: LedgerReader, LedgerCopySource {
    private let readers: PostgresReaders

    /// Opens an existing ledger without changing it.
    ///
    /// - Throws: ``LedgerError``, also for a ledger of an older version, which a server migrates when it starts.
    package init(_ settings: PostgresSettings) async throws(LedgerError) {
        readers = PostgresReaders(settings)
        try await readers.run { connection throws(LedgerError) in
            let applied = try appliedMigrations(connection)
            guard applied > 0 else {
                throw .inaccessible(
                    "the schema has no ledger; `external-purchase database migrate` or `serve` creates it"
                )
            }
            guard applied >= PostgresMigration.all.count else {
                throw .inaccessible(
                    "the ledger is of an older version; run `external-purchase database migrate`, or start `serve` on it"
                )
            }
        }
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await readers.read(dependencies: .live, body)
    }

    package func readTables<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection, [CopiedTable]) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await readers.run { connection throws(LedgerError) in
            try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            let value = try body(connection, copiedTables(of: connection))
            try connection.execute("COMMIT")
            return value
        }
    }

    /// Returns nothing: the server checks its files, with checksums where the cluster has them.
    package func fileFaults() async throws(LedgerError) -> [String] { [] }

    package func purgePlan(before cut: Timestamp) async throws(LedgerError) -> PurgePlan {
        try await readers.purgePlan(before: cut, dependencies: .live)
    }
}

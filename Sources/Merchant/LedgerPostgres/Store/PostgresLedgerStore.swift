#if PostgreSQL
package import ExternalPurchaseCore
package import Ledger
import LedgerSQL

/// A ledger in a schema of a PostgreSQL database; every commit is on the server's disk before the write returns.
///
/// Any number of processes may write: a transaction-level advisory lock of the schema orders their transactions, so
/// that closures run one at a time over all of them. Sequence numbers are therefore in the order of the commits, with
/// gaps where a transaction was rolled back.
///
/// A write whose connection is lost fails. When the connection is lost during the commit, the outcome is not known, and
/// the write fails as well: its closure is not run again, and callers repeat the request, which intake answers as it
/// answers any repeated one.
package final class PostgresLedgerStore: LedgerStore {
    private let readers: PostgresReaders
    private let writer: PostgresWriter

    /// Opens the ledger in the schema that is the first of the connection's `search_path`, and creates or migrates it.
    ///
    /// - Parameters:
    ///   - settings: the server, and the limits of its use.
    ///   - isServer: whether this process sends reports, which only one process of a ledger may do; another one is
    ///     refused while this store is open.
    ///   - dependencies: time and randomness of audit entries.
    /// - Throws: ``LedgerError``; ``LedgerError/inUse(path:)`` while another server has the ledger open.
    package init(
        _ settings: PostgresSettings,
        isServer: Bool = false,
        dependencies: LedgerDependencies = .live
    ) async throws(LedgerError) {
        readers = PostgresReaders(settings)
        writer = PostgresWriter(settings, isServer: isServer, dependencies: dependencies)
        self.dependencies = dependencies
        try await writer.open()
    }

    private let dependencies: LedgerDependencies

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await readers.run { [dependencies] connection throws(LedgerError) in
            try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            let value = try body(ledgerTransaction(on: connection, dependencies: dependencies))
            try connection.execute("COMMIT")
            return value
        }
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await writer.run(body)
    }

    /// Computes what a purge of everything completed before a moment would remove (OB-91); nothing is changed.
    package func purgePlan(before cut: Timestamp) async throws(LedgerError) -> PurgePlan {
        try await readers.run { [dependencies] connection throws(LedgerError) in
            // A temporary table has the rows that stay, so the transaction cannot be read-only.
            try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            let plan = try ledgerTransaction(on: connection, dependencies: dependencies).purgePlan(
                before: cut
            )
            try connection.execute("ROLLBACK")
            return plan
        }
    }

    /// Removes completed and reported rows older than a cut-off time.
    ///
    /// The deletion and its audit entry are one transaction (OB-91).
    ///
    /// - Parameters:
    ///   - cut: the cut-off time; the caller checks the minimum age of records.
    ///   - person: the person who requested the purge.
    /// - Returns: the removed rows; nothing is written when there is nothing to remove.
    package func purge(before cut: Timestamp, by person: String) async throws(LedgerError)
        -> PurgePlan
    {
        try await write { ledger throws(LedgerError) in
            let plan = try ledger.purgePlan(before: cut)
            if !plan.removals.isEmpty { try ledger.purge(plan, by: person) }
            return plan
        }
    }

    /// Closes the connections after the running writes; the store must not be used afterwards.
    package func close() {
        writer.close()
        readers.close()
    }
}
#endif

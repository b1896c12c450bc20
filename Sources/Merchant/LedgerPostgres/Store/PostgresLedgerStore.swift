package import ExternalPurchaseCore
package import Ledger

/// A ledger in a schema of a PostgreSQL database; every commit is on the server's disk before the write returns.
///
/// Any number of processes may write: a transaction-level advisory lock of the schema orders their transactions, so
/// that closures run one at a time over all of them. Sequence numbers are therefore in the order of the commits, with
/// gaps where a transaction was rolled back, and for numbers that were reserved in vain.
///
/// A write whose connection is lost fails. When the connection is lost during the commit, the outcome is not known, and
/// the write fails as well: its closure is not run again, and callers repeat the request, which intake answers as it
/// answers any repeated one.
package final class PostgresLedgerStore: DurableLedgerStore {
    private let readers: PostgresReaders
    let writer: PostgresWriter

    /// Opens the ledger in the schema that is the first of the connection's `search_path`, and creates or migrates it.
    ///
    /// - Parameters:
    ///   - settings: the server, and the limits of its use.
    ///   - access: what other processes may do while the store is open.
    ///   - limits: the limits of the groups that are committed together.
    ///   - migrates: whether the schema is created or brought up to date; otherwise it must be that of this version.
    ///   - dependencies: time and randomness of audit entries.
    /// - Throws: ``LedgerError``; ``LedgerError/inUse(path:)`` while another process excludes servers.
    package init(
        _ settings: PostgresSettings,
        for access: PostgresAccess = .edit,
        limits: WriteQueue.Limits = WriteQueue.Limits(duration: .milliseconds(200)),
        migrates: Bool = true,
        dependencies: LedgerDependencies = .live
    ) async throws(LedgerError) {
        readers = PostgresReaders(settings)
        writer = PostgresWriter(
            settings,
            for: access,
            limits: limits,
            migrates: migrates,
            statistics: PostgresStatistics(readers),
            dependencies: dependencies
        )
        self.dependencies = dependencies
        try await writer.open()
    }

    private let dependencies: LedgerDependencies

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await readers.read(dependencies: dependencies, body)
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await writer.run(expecting: nil, body)
    }

    package func write<Value: Sendable>(
        expecting rows: ExpectedRows?,
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await writer.run(expecting: rows, body)
    }

    package func note(_ head: AuditHead) { writer.note(head) }

    package func checkWritable() async throws(LedgerError) { try await writer.checkWritable() }

    /// The number of closures that wait for the writing connection.
    var waitingCount: Int { writer.waitingCount }

    /// The number of times that the writing connection waited for an answer.
    func roundTrips() async throws(LedgerError) -> Int { try await writer.roundTrips() }

    /// The number of groups of writes that were committed with answers read ahead.
    var speculatedGroups: Int { writer.experience.groups }

    package func purge(before cut: Timestamp, by person: String) async throws(LedgerError)
        -> PurgePlan
    {
        try await writer.runAlone { ledger throws(LedgerError) in
            let plan = try ledger.purgePlan(before: cut)
            if !plan.removals.isEmpty { try ledger.purge(plan, by: person) }
            return plan
        }
    }

    /// Closes the connections after the running writes; the store must not be used afterwards.
    package func close() throws(LedgerError) {
        writer.close()
        readers.close()
    }
}

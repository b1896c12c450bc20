package import Ledger

/// Opens ledgers in PostgreSQL; the functions throw where its client library is not installed.
package enum PostgresLedger {
    /// Why this machine opens no ledger in PostgreSQL; nil if it does.
    package static var refusal: String? {
        guard case .failure(.inaccessible(let reason)) = LibPQ.opened else { return nil }
        return reason
    }

    /// Opens the ledger in the schema that is the first of the connection's `search_path`.
    ///
    /// - Parameters:
    ///   - settings: the server, and the limits of its use.
    ///   - access: what other processes may do meanwhile.
    ///   - migrates: whether the schema is created or brought up to date; otherwise it must be that of this version.
    ///   - dependencies: time and randomness of audit entries.
    /// - Throws: ``LedgerError``; ``LedgerError/inUse(path:)`` while another process has the ledger open in a way that excludes this one.
    package static func open(
        _ settings: PostgresSettings,
        for access: PostgresAccess,
        migrates: Bool,
        dependencies: LedgerDependencies = .live
    ) async throws(LedgerError) -> any DurableLedgerStore {
        try await PostgresLedgerStore(
            settings,
            for: access,
            migrates: migrates,
            dependencies: dependencies
        )
    }

    /// Opens an existing ledger for reading.
    ///
    /// - Throws: ``LedgerError``, also for a ledger of an older version.
    package static func reader(
        _ settings: PostgresSettings
    ) async throws(LedgerError) -> any LedgerReader & LedgerCopySource {
        try await PostgresLedgerReader(settings)
    }

    /// Whether the schema has a ledger.
    package static func isThere(_ settings: PostgresSettings) async throws(LedgerError) -> Bool {
        try await PostgresReaders(settings).run { connection throws(LedgerError) in
            try appliedMigrations(connection) > 0
        }
    }

    /// The names of the migrations that the schema lacks; all of them for an empty schema.
    package static func missingMigrations(_ settings: PostgresSettings) async throws(LedgerError) -> [String] {
        try await PostgresReaders(settings).run { connection throws(LedgerError) in
            PostgresMigration.all.dropFirst(try appliedMigrations(connection)).map(\.id)
        }
    }

    /// Copies a ledger into an empty schema, or goes on with an unfinished copy.
    ///
    /// - Parameters:
    ///   - source: the ledger to copy, which a server may change meanwhile unless `finishing`.
    ///   - settings: the server, and the schema as the first one of the connection's `search_path`.
    ///   - finishing: whether the copy is compared with the source and becomes a ledger that a server opens.
    ///   - progress: called with the name of a step and its fraction, from 0 to 1.
    /// - Throws: ``LedgerError``; the copy is then unfinished, and the same call goes on with it.
    package static func copy(
        from source: some LedgerCopySource,
        to settings: PostgresSettings,
        finishing: Bool,
        progress: @escaping @Sendable (String, Double) -> Void
    ) async throws(LedgerError) -> LedgerCopySummary {
        try await source.readTables { connection, tables throws(LedgerError) in
            try PostgresCopyTarget(settings).run(from: connection, tables, finishing: finishing, progress: progress)
        }
    }
}

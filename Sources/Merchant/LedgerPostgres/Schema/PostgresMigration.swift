import Ledger

/// One step of the schema: SQL that never changes after its release.
struct PostgresMigration: Hashable, Sendable {
    let id: String
    let sql: String
    /// Whether a version without this migration can go on using the schema: the migration only adds tables, nullable
    /// columns and indexes, and what that version writes stays valid and complete.
    var onlyAdds = false

    /// All migrations in the order in which they are applied.
    ///
    /// The first release starts the history, as in the store of SQLite files.
    static let all: [PostgresMigration] = [
        .ledger, .roles, .lists, .webhooks, .userApps, .requests, .alertChannels, .pages,
    ]

    /// The number of migrations that a version must know to use the schema after the given ones.
    static func needed(after migrations: some Collection<PostgresMigration>) -> Int {
        migrations.count - migrations.reversed().prefix { $0.onlyAdds }.count
    }
}

/// Brings a schema up to date; two servers may do so at once.
///
/// A schema that a later version has migrated is used as it is, if that version's migrations only add.
///
/// - Throws: ``LedgerError/historyDiffers(_:)`` if its migrations differ from this version's, or a later version has
///   changed what this one uses;
///   ``LedgerError/inUse(path:)`` if a migration does more than add and another server has the schema open;
///   ``LedgerError/inaccessible(_:)`` for a schema that is missing or has tables of another program.
func migrate(
    _ connection: PostgresConnection,
    to migrations: [PostgresMigration] = PostgresMigration.all
) throws(LedgerError) {
    if try appliedMigrations(connection, of: migrations) >= migrations.count { return }
    // Another process may migrate for long.
    let limit = connection.answerTimeout
    connection.answerTimeout = nil
    defer { connection.answerTimeout = limit }
    try connection.execute(
        "BEGIN; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; \(PostgresLock.migration)"
    )
    // Another server may have migrated before this one got the lock.
    let applied = try appliedMigrations(connection, of: migrations)
    if applied > 0, migrations.dropFirst(applied).contains(where: { !$0.onlyAdds }) {
        // A server of the former version would go on writing what the new schema does not mean.
        guard try PostgresLock.excludesServers(connection) else { throw .inUse(path: "the ledger's schema") }
    }
    try applyMigrations(connection, migrations, after: applied)
    try connection.execute("COMMIT")
}

/// Applies the migrations that follow a number of applied ones, within the caller's transaction.
func applyMigrations(
    _ connection: PostgresConnection,
    _ migrations: [PostgresMigration] = PostgresMigration.all,
    after applied: Int
) throws(LedgerError) {
    for (index, migration) in migrations.enumerated().dropFirst(applied) {
        try connection.execute(migration.sql)
        _ = try connection.query(
            "INSERT INTO migrations (position, id, sql) VALUES ($1, $2, $3)",
            [.integer(Int64(index + 1)), .text(migration.id), .text(migration.sql)]
        )
        guard index > 0 else { continue }
        let needed = PostgresMigration.needed(after: migrations.prefix(index + 1))
        _ = try connection.query(
            "INSERT INTO schema_compatibility (position, needs) VALUES ($1, $2)",
            [.integer(Int64(index + 1)), .integer(Int64(needed))]
        )
    }
}

/// Returns the number of migrations that a schema has.
///
/// - Throws: ``LedgerError/historyDiffers(_:)`` if they are not a prefix of this version's;
///   ``LedgerError/inaccessible(_:)`` for a schema with tables of another program, and for an unfinished copy.
func appliedMigrations(
    _ connection: PostgresConnection,
    of migrations: [PostgresMigration] = PostgresMigration.all
) throws(LedgerError) -> Int {
    try connection.requireSchema()
    let tables = try connection.query(
        "SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema()",
        []
    ).rows.compactMap { $0.optionalText(at: 0) }
    guard !tables.contains(PostgresCopyTarget.marker) else {
        throw .inaccessible(
            "it is an unfinished copy; finish it with `external-purchase ledger copy --finish`, or drop its schema"
        )
    }
    guard tables.contains("migrations") else {
        if let foreign = tables.first {
            throw .inaccessible("the schema is another program's, with the table \(foreign)")
        }
        return 0
    }
    let applied = try connection.query("SELECT id, sql FROM migrations ORDER BY position", []).rows
        .map {
            PostgresMigration(id: $0.optionalText(at: 0) ?? "", sql: $0.optionalText(at: 1) ?? "")
        }
    let known = migrations.count
    if applied.count > known, try neededMigrations(connection, tables) > known {
        throw .historyDiffers(
            "it has the migration \(applied[known].id), which this version does not know; start the later version"
        )
    }
    for (index, done) in applied.prefix(known).enumerated() {
        guard done.id == migrations[index].id, done.sql == migrations[index].sql else {
            throw .historyDiffers("its migration \(done.id) is not that of this version")
        }
    }
    return applied.count
}

/// Returns the number of migrations that a version must know to use the schema.
private func neededMigrations(_ connection: PostgresConnection, _ tables: [String]) throws(LedgerError) -> Int {
    guard tables.contains("schema_compatibility") else { return .max }
    // Each version notes its own migrations; one that it did not note may have changed anything.
    let newest = try connection.query(
        "SELECT needs FROM schema_compatibility WHERE position = (SELECT max(position) FROM migrations)",
        []
    )
    return newest.rows.first?.optionalInteger(at: 0).map { Int(clamping: $0) } ?? .max
}

extension PostgresConnection {
    /// Checks that the connection has a schema that its role may use.
    func requireSchema() throws(LedgerError) {
        guard try text("SELECT current_schema()") != nil else {
            throw .inaccessible(
                "the schema of the connection's search_path does not exist, or its role may not use it"
            )
        }
    }

    /// The first column of the first row.
    func text(_ sql: String) throws(LedgerError) -> String? {
        try query(sql, []).rows.first?.optionalText(at: 0)
    }
}

import Ledger

/// A schema that receives the copy of another ledger.
///
/// It has the table ``marker`` until the copy is finished, so that no store opens it before. The triggers and the
/// references between tables are off meanwhile, because rows arrive in their final state and table by table.
final class PostgresCopyTarget {
    /// The table that an unfinished copy has; its rows are the references to add when it is finished.
    static let marker = "unfinished_copy"

    private let connection: PostgresConnection

    /// Prepares an empty schema, or goes on with an unfinished copy; excludes servers and other copies.
    ///
    /// - Throws: ``LedgerError/inaccessible(_:)`` for a schema that has tables already.
    init(_ settings: PostgresSettings) throws(LedgerError) {
        connection = try PostgresConnection(settings)
        try PostgresLock.take(.exclusive, on: connection)
        // A check of references may take longer than a statement of a server.
        connection.answerTimeout = nil
        try connection.execute("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")
        let tables = try connection.texts(
            "SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema()"
        )
        if tables.contains(Self.marker) { return }
        if tables.contains("migrations") {
            throw .inaccessible("the target is a ledger already; if a copy was finished there, it is complete")
        }
        if let table = tables.min() {
            throw .inaccessible("the target is not empty, it has the table \(table); name an empty schema")
        }
        try prepare()
    }

    private func prepare() throws(LedgerError) {
        try transaction { () throws(LedgerError) in
            try applyMigrations(connection, after: 0)
            try connection.execute(
                """
                CREATE TABLE \(Self.marker) AS SELECT conrelid::regclass::text AS table_name, conname::text AS name,
                    pg_get_constraintdef(oid) AS definition
                    FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
                """
            )
            for row in try connection.query("SELECT table_name, name FROM \(Self.marker)", []).rows {
                let (table, name) = (row.optionalText(at: 0) ?? "", row.optionalText(at: 1) ?? "")
                try connection.execute("ALTER TABLE \(table) DROP CONSTRAINT \"\(name)\"")
            }
            for table in try tables() { try connection.execute("ALTER TABLE \(table.name) DISABLE TRIGGER USER") }
        }
    }

    /// Makes the schema equal to one state of the source.
    func run(
        from source: any SQLConnection,
        _ sourceTables: [CopiedTable],
        finishing: Bool,
        progress: (String, Double) -> Void
    ) throws(LedgerError) -> LedgerCopySummary {
        let copy = try LedgerCopy(from: source, sourceTables, to: connection, tables())
        var summary = try copy.run(transaction: transaction) { progress("copying", $0) }
        guard finishing else { return summary }
        summary.head = try copy.verify { progress("comparing", $0) }
        try finish(sourceTables)
        summary.isFinished = true
        return summary
    }

    /// Restores what was off, sets the counters of row numbers and removes the marker, all or nothing.
    private func finish(_ sourceTables: [CopiedTable]) throws(LedgerError) {
        let tables = try tables()
        try transaction { () throws(LedgerError) in
            for row in try connection.query("SELECT table_name, name, definition FROM \(Self.marker)", []).rows {
                let texts = (0..<3).map { row.optionalText(at: $0) ?? "" }
                try connection.execute("ALTER TABLE \(texts[0]) ADD CONSTRAINT \"\(texts[1])\" \(texts[2])")
            }
            for table in tables { try connection.execute("ALTER TABLE \(table.name) ENABLE TRIGGER USER") }
            for counter in try counters() {
                let lastNumber = sourceTables.first { $0.name == counter.table }?.lastNumber ?? 0
                _ = try connection.query(
                    """
                    SELECT setval(pg_get_serial_sequence($1, $2), greatest(number, 1), number > 0)
                        FROM (SELECT greatest($3::bigint, coalesce(max(\(counter.column)), 0)) AS number
                            FROM \(counter.table)) AS newest
                    """,
                    [.text(counter.table), .text(counter.column), .integer(lastNumber)]
                )
            }
            try connection.execute("DROP TABLE \(Self.marker)")
        }
        // Without figures of the new tables the server would read some of them whole until it gathers them itself.
        for table in tables { try connection.execute("ANALYZE \(table.name)") }
    }

    private func counters() throws(LedgerError) -> [(table: String, column: String)] {
        try connection.query(
            """
            SELECT table_name::text, column_name::text FROM information_schema.columns
                WHERE table_schema = current_schema() AND is_identity = 'YES'
            """,
            []
        ).rows.map { ($0.optionalText(at: 0) ?? "", $0.optionalText(at: 1) ?? "") }
    }

    private func transaction(_ body: () throws(LedgerError) -> Void) throws(LedgerError) {
        connection.failure = nil
        defer { connection.endTransaction() }
        try connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
        try body()
        try connection.commit()
    }

    private func tables() throws(LedgerError) -> [CopiedTable] { try copiedTables(of: connection) }
}

/// Lists the tables of a ledger without that of its migrations.
func copiedTables(of connection: PostgresConnection) throws(LedgerError) -> [CopiedTable] {
    var tables: [CopiedTable] = []
    let names = try connection.texts(
        """
        SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema()
            AND table_name NOT IN
                ('migrations', 'schema_compatibility', 'leases', '\(PostgresCopyTarget.marker)') ORDER BY 1
        """
    )
    for name in names {
        let columns = try connection.query(
            """
            SELECT column_name::text FROM information_schema.columns WHERE table_schema = current_schema()
                AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position
            """,
            [.text(name)]
        ).rows.compactMap { $0.optionalText(at: 0) }
        let key = try connection.query(
            """
            SELECT k.column_name::text FROM information_schema.table_constraints AS c
                JOIN information_schema.key_column_usage AS k USING (constraint_schema, constraint_name, table_name)
                WHERE c.constraint_schema = current_schema() AND c.constraint_type = 'PRIMARY KEY' AND c.table_name = $1
                ORDER BY k.ordinal_position
            """,
            [.text(name)]
        ).rows.compactMap { $0.optionalText(at: 0) }
        tables.append(CopiedTable(name: name, columns: columns, key: key, lastNumber: nil))
    }
    return tables
}

extension PostgresConnection {
    /// The first column of every row.
    func texts(_ sql: String) throws(LedgerError) -> [String] {
        try query(sql, []).rows.compactMap { $0.optionalText(at: 0) }
    }
}

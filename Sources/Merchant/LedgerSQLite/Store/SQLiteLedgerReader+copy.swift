import GRDB
package import Ledger

extension SQLiteLedgerReader: LedgerCopySource {
    package func readTables<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection, [CopiedTable]) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        do {
            return try await queue.read { database in
                try body(SQLiteConnection(database: database), copiedTables(of: database))
            }
        } catch {
            throw LedgerError(translating: error)
        }
    }
}

/// Lists the tables of a ledger without those of its schema and of the leases, which belong to the servers of one ledger.
func copiedTables(of database: Database) throws -> [CopiedTable] {
    let names = try String.fetchAll(
        database,
        sql: """
            SELECT name FROM sqlite_schema
                WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT IN ('migrations', 'leases')
                ORDER BY name
            """
    )
    return try names.map { name in
        // Generated columns have a value of `hidden` above 0.
        let columns = try Row.fetchAll(
            database,
            sql: "SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid",
            arguments: [name]
        )
        let key = columns.filter { $0["pk"] > 0 }.sorted { ($0["pk"] as Int) < ($1["pk"] as Int) }
        return CopiedTable(
            name: name,
            columns: columns.map { $0["name"] },
            key: key.map { $0["name"] },
            lastNumber: try Int64.fetchOne(
                database,
                sql: "SELECT seq FROM sqlite_sequence WHERE name = ?",
                arguments: [name]
            )
        )
    }
}

import GRDB
package import Ledger

extension SQLiteLedgerStore {
    /// Creates a file with the ledger of another store.
    ///
    /// - Parameters:
    ///   - path: the path of the file, which must not exist.
    ///   - source: the other ledger, which servers may change meanwhile: the file has one state of it.
    /// - Throws: ``LedgerError``; the file is then incomplete, and the caller removes it.
    package static func create(at path: String, from source: some LedgerCopySource) async throws(LedgerError) {
        try SQLiteLedgerStore(path: path).close()
        try await source.readTables { connection, tables throws(LedgerError) in
            do {
                // Rows arrive in their final state and table by table.
                var configuration = Configuration()
                configuration.foreignKeysEnabled = false
                let queue = try DatabaseQueue(path: path, configuration: configuration)
                try queue.write { try fill($0, from: connection, tables) }
                try queue.close()
            } catch {
                throw LedgerError(translating: error)
            }
        }
    }

    /// Copies all rows without the triggers, which would refuse some.
    private static func fill(_ database: Database, from source: any SQLConnection, _ tables: [CopiedTable]) throws {
        let triggers = try Row.fetchAll(database, sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        for trigger in triggers { try database.execute(sql: "DROP TRIGGER \(trigger["name"] as String)") }
        let copy = try LedgerCopy(
            from: source,
            tables,
            to: SQLiteConnection(database: database),
            copiedTables(of: database)
        )
        _ = try copy.run(transaction: { body throws(LedgerError) in try body() }, progress: { _ in })
        for trigger in triggers { try database.execute(sql: trigger["sql"]) }
    }
}

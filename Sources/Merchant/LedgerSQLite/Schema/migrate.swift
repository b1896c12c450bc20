import Foundation
import GRDB
import Ledger

/// Migrates a database to the newest schema; throws if its applied migrations are not a prefix of this version's.
///
/// The text of each migration is stored beside its id, so that a later change of a migration is detected.
func migrate(_ database: Database, to migrations: [Migration] = Migration.all) throws {
    let applied = try appliedMigrations(database, of: migrations)
    try database.execute(
        sql: """
            CREATE TABLE IF NOT EXISTS migrations (
                position INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                sql TEXT NOT NULL
            ) STRICT
            """
    )
    for (index, migration) in migrations.enumerated().dropFirst(applied) {
        try database.execute(sql: migration.sql)
        try database.execute(
            sql: "INSERT INTO migrations (position, id, sql) VALUES (?, ?, ?)",
            arguments: [index + 1, migration.id, migration.sql]
        )
    }
}

/// Returns the number of migrations that a database has.
///
/// - Throws: ``LedgerError/historyDiffers(_:)`` if they are not a prefix of the given ones;
///   ``LedgerError/inaccessible(_:)`` for a database that another program made: it has tables, or other entries of a
///   schema, or a number by which its program knows it.
func appliedMigrations(_ database: Database, of migrations: [Migration]) throws -> Int {
    let columns = try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info('migrations') ORDER BY cid")
    let isOwn = columns == ["position", "id", "sql"]
    let applied =
        isOwn
        ? try Row.fetchAll(database, sql: "SELECT id, sql FROM migrations ORDER BY position")
            .map { Migration(id: $0["id"], sql: $0["sql"]) } : []
    if applied.isEmpty {
        // SQLite takes a file of one byte for an empty database; a header has a hundred.
        let path = try String.fetchOne(database, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'")
        if let path, let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int,
            (1..<100).contains(size)
        {
            throw LedgerError.notADatabase
        }
        let foreign = try String.fetchOne(
            database,
            sql: """
                SELECT type || ' ' || name FROM sqlite_schema
                WHERE name NOT LIKE 'sqlite_%' AND NOT (? AND name = 'migrations') ORDER BY type = 'table' DESC, name
                """,
            arguments: [isOwn]
        )
        if let foreign { throw LedgerError.inaccessible("it is another program's database, with the \(foreign)") }
        // A ledger has neither number; a program that has made no table yet has set one.
        for number in ["application_id", "user_version"] {
            let value = try Int64.fetchOne(database, sql: "PRAGMA \(number)") ?? 0
            guard value == 0 else {
                throw LedgerError.inaccessible("it is another program's database, with the \(number) \(value)")
            }
        }
        return 0
    }
    for (index, done) in applied.enumerated() {
        guard index < migrations.count else {
            throw LedgerError.historyDiffers("it has the migration \(done.id), which this version does not know")
        }
        guard done == migrations[index] else {
            throw LedgerError.historyDiffers("its migration \(done.id) is not \(migrations[index].id) of this version")
        }
    }
    return applied.count
}

/// Migrates with foreign keys disabled, as SQLite's documentation prescribes for recreated tables.
///
/// Foreign keys are checked before the commit. A ledger without a migration to apply is not checked: that reads every row, and
/// each start of a server or command would.
///
/// https://www.sqlite.org/lang_altertable.html#otheralter
func migrateWithoutForeignKeys(_ database: Database, to migrations: [Migration] = Migration.all) throws {
    if try appliedMigrations(database, of: migrations) < migrations.count {
        try database.execute(sql: "PRAGMA foreign_keys = OFF")
        try database.inTransaction(.immediate) {
            try migrate(database, to: migrations)
            try database.checkForeignKeys()
            return .commit
        }
    }
    try database.execute(sql: "PRAGMA foreign_keys = ON")
    guard try Bool.fetchOne(database, sql: "PRAGMA foreign_keys") == true else {
        throw LedgerError.inaccessible("SQLite did not take PRAGMA foreign_keys = ON")
    }
}

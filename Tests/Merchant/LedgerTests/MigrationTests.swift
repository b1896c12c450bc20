import ExternalPurchaseCore
import Foundation
import GRDB
import Ledger
import LedgerTesting
import Testing

@testable import LedgerSQLite

@Suite("A ledger gets the migrations that it lacks")
struct MigrationTests {
    /// Those of a later version: one adds a column, one recreates a table that others reference, as SQLite prescribes
    /// for a constraint that is relaxed.
    static let later =
        Migration.all + [
            Migration(
                id: "9998-adds",
                sql: """
                    ALTER TABLE tokens ADD COLUMN campaign TEXT NOT NULL DEFAULT 'none' CHECK (campaign <> '');
                    CREATE INDEX tokens_of_campaign ON tokens (bundle_id, campaign);
                    """
            ),
            Migration(
                id: "9999-recreates",
                sql: """
                    CREATE TABLE new_customers (
                        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                        bundle_id TEXT NOT NULL,
                        customer_id TEXT NOT NULL,
                        pseudonym TEXT NOT NULL UNIQUE,
                        first_seen INTEGER NOT NULL,
                        erased_at INTEGER,
                        UNIQUE (bundle_id, customer_id)
                    ) STRICT;
                    INSERT INTO new_customers SELECT sequence, bundle_id, customer_id, pseudonym, first_seen, erased_at
                        FROM customers;
                    DROP TABLE customers;
                    ALTER TABLE new_customers RENAME TO customers;
                    """
            ),
        ]

    /// A full ledger of this version, closed, and what is in it.
    static func filled() async throws -> (path: String, contents: LedgerContents) {
        let path = try temporaryFile()
        let store = try SQLiteLedgerStore(path: path, dependencies: FullLedger.dependencies)
        try await FullLedger.fill(store)
        let contents = try await store.contents()
        try store.close()
        return (path, contents)
    }

    /// Opens a ledger as the later version does, and gives its lock back.
    static func withLaterVersion(_ path: String, _ body: (SQLiteLedgerStore) async throws -> Void) async throws {
        let store = try SQLiteLedgerStore(path: path, dependencies: .fixed, migrations: later)
        try await body(store)
        try store.close()
    }

    private static func sqlite<Value>(_ path: String, _ body: (Database) throws -> Value) throws -> Value {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read(body)
    }

    @Test("Nothing is lost on the way to a later schema, and this version then refuses the ledger by the first name")
    func later() async throws {
        let (path, contents) = try await Self.filled()
        #expect(try LedgerSchema(ofDatabaseAt: path).missing == [])
        let before = try LedgerSchema(ofDatabaseAt: path, comparedWith: Self.later)
        #expect(before.applied == Migration.all.map(\.id) && before.missing == ["9998-adds", "9999-recreates"])
        try await Self.withLaterVersion(path) { store in
            #expect(try await store.contents() == contents)
            try await store.pool.writeWithoutTransaction { database in
                #expect(try Bool.fetchOne(database, sql: "PRAGMA foreign_keys") == true)
                #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
                try database.checkForeignKeys()
                #expect(try String.fetchAll(database, sql: "SELECT DISTINCT campaign FROM tokens") == ["none"])
            }
            try await store.step { ledger throws in #expect(try ledger.verifyAudit().broken == nil) }
        }
        #expect(try LedgerSchema(ofDatabaseAt: path, comparedWith: Self.later).missing == [])
        #expect(throws: LedgerError.historyDiffers("it has the migration 9998-adds, which this version does not know"))
        {
            try SQLiteLedgerStore(path: path)
        }
    }

    @Test("Everybody who may sign in when roles come is an administrator, and later users are what they are made")
    func roles() async throws {
        let path = try temporaryFile()
        let queue = try DatabaseQueue(path: path)
        try await queue.write { database in
            try migrate(database, to: [.ledger])
            try database.execute(
                sql: """
                    INSERT INTO users (name, password_hash, updated_at)
                    VALUES ('kim', 'a', 1), ('lee', 'b', 1), ('ann', NULL, 1)
                    """
            )
        }
        try queue.close()
        let store = try SQLiteLedgerStore(path: path, dependencies: .fixed)
        try await store.step { ledger throws in
            #expect(try ledger.users().map(\.role) == [.admin, .admin, .admin])
            _ = try ledger.setPassword("c", ofUser: "sam", by: "kim", at: LedgerRows.now)
            _ = try ledger.setPassword("d", ofUser: "lee", by: "kim", at: LedgerRows.now)
            #expect(try ledger.users().map(\.role) == [.admin, .admin, .admin, .viewer])
        }
    }

    @Test("Sales have the type of their newest version, also those that got it before there was a place for it")
    func types() async throws {
        let path = try temporaryFile()
        let queue = try DatabaseQueue(path: path)
        try await queue.write { database in
            try migrate(database, to: Array(Migration.all.prefix { $0.id < "0008" }))
            for id in ["kept", "retyped"] {
                try database.execute(
                    sql: """
                        INSERT INTO sales (bundle_id, sale_id, line_item_id, content, received_at, occurred_at, state,
                            hold_causes, review, dispatch, subscription_decision, origin, notes)
                        VALUES ('a', ?1, ?1, '{"type":"purchase"}', 1, 1, 'held', '[]', 'open', 'together', 'undecided',
                            'merchant', '[]')
                        """,
                    arguments: [id]
                )
                try database.execute(
                    sql: """
                        INSERT INTO sale_versions (bundle_id, sale_id, version, line_item_id, content, change, said_at)
                        VALUES ('a', ?1, 2, ?1, ?2, 'restated', 1)
                        """,
                    arguments: [id, id == "kept" ? #"{"type":"purchase"}"# : #"{"type":"refund"}"#]
                )
            }
        }
        try queue.close()
        try SQLiteLedgerStore(path: path, dependencies: .fixed).close()
        let types = try Self.sqlite(path) { database in
            try Row.fetchAll(database, sql: "SELECT sale_id, retyped FROM sales ORDER BY sale_id")
                .map { row -> [String?] in [row["sale_id"], row["retyped"]] }
        }
        #expect(types == [["kept", nil], ["retyped", "refund"]])
    }

    @Test("Migrations apply together or not at all: one that breaks a reference changes nothing")
    func broken() async throws {
        let (path, contents) = try await Self.filled()
        let breaks = Migration(
            id: "9999-breaks",
            sql: "DROP TRIGGER customers_are_deleted_by_a_purge; DELETE FROM customers;"
        )
        #expect(throws: LedgerError.self) {
            try SQLiteLedgerStore(
                path: path,
                dependencies: .fixed,
                migrations: Migration.all + [Self.later[Migration.all.count], breaks]
            )
        }
        #expect(
            try Self.sqlite(path) { try String.fetchAll($0, sql: "SELECT id FROM migrations") }
                == Migration.all.map(\.id)
        )
        let store = try SQLiteLedgerStore(path: path)
        #expect(try await store.contents() == contents)
    }

    @Test(
        "A ledger of this version opens without a look at its rows; the check of the file names what refers to nothing"
    )
    func opening() async throws {
        let (path, _) = try await Self.filled()
        let queue = try DatabaseQueue(path: path)
        try await queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA foreign_keys = OFF")
            try database.execute(sql: "DROP TRIGGER tokens_are_deleted_by_a_purge; DELETE FROM tokens")
        }
        try queue.close()
        try SQLiteLedgerStore(path: path).close()
        let faults = try await SQLiteLedgerReader(path: path).fileFaults(limit: 100)
        #expect(faults.contains("a row of reports refers to a missing row of tokens"), "\(faults)")
    }

    @Test("Every table refuses rows of other types, and every row its deletion")
    func strictness() async throws {
        let store = try SQLiteLedgerStore(path: temporaryFile())
        try await store.pool.read { database in
            let tables = try Row.fetchAll(
                database,
                sql: "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'"
            )
            #expect(tables.count == 40)
            for table in tables {
                let name: String = table["name"]
                #expect(table["strict"] == 1, "\(name)")
                let triggers = try Int.fetchOne(
                    database,
                    sql: "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? AND sql LIKE ?",
                    arguments: [name, "%BEFORE DELETE%"]
                )
                // Deadlines are derived, and vanish when their row is reported; so do requests of reports. Leases say who
                // works now, and deliveries to webhooks follow from the audit log.
                let passing = [
                    "migrations", "deadlines", "leases", "report_requests", "webhook_positions", "webhook_deliveries",
                    "webhook_attempts",
                ]
                #expect(passing.contains(name) || triggers == 1, "\(name)")
            }
        }
    }
}

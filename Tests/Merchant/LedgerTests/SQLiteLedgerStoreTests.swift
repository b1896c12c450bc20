import ExternalPurchaseCore
import Foundation
import GRDB
import Ledger
import Testing

@testable import LedgerSQLite

@Suite("A ledger in a SQLite file")
struct SQLiteLedgerStoreTests {
    @Test("Commits are on the disk before they are answered")
    func synchronous() async throws {
        let store = try SQLiteLedgerStore(path: temporaryFolder().appendingPathComponent("l.sqlite").path)
        #expect(try await store.synchronousLevel() == SQLiteLedgerStore.fullSynchronous)
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token()) }
        #expect(try await store.synchronousLevel() == SQLiteLedgerStore.fullSynchronous)
    }

    @Test("What was committed is there after closing and opening again")
    func reopening() async throws {
        let path = try temporaryFolder().appendingPathComponent("l.sqlite").path
        do {
            let store = try SQLiteLedgerStore(path: path)
            try await store.step { ledger throws in
                _ = try ledger.insert(LedgerRows.token())
                _ = try ledger.insert(LedgerRows.sale("s"))
                _ = try ledger.insert(LedgerRows.report(1, state: .sending), holding: ["s"])
            }
            try store.close()
        }
        let store = try SQLiteLedgerStore(path: path)
        try await store.step { ledger throws in
            #expect(try ledger.tokens(LedgerPage()).count == 1)
            #expect(
                try ledger.sale("s", of: LedgerRows.shop)?.requestIdentifier == LedgerRows.report(1).requestIdentifier
            )
            #expect(
                try ledger.reports(in: LedgerRows.scope, state: [.sending], limit: 1).map(\.body) == [
                    LedgerRows.report(1).body
                ]
            )
        }
    }

    @Test("A second server on the same file is refused until the first has gone")
    func secondOpener() throws {
        let path = try temporaryFolder().appendingPathComponent("l.sqlite").path
        var first: SQLiteLedgerStore? = try SQLiteLedgerStore(path: path)
        #expect(throws: LedgerError.inUse(path: path)) { try SQLiteLedgerStore(path: path) }
        try first?.close()
        first = nil
        _ = try SQLiteLedgerStore(path: path)
    }

    @Test("The files are readable by their owner only")
    func permissions() async throws {
        let folder = try temporaryFolder()
        let store = try SQLiteLedgerStore(path: folder.appendingPathComponent("l.sqlite").path)
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token()) }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.contains("l.sqlite-wal"))
        for file in files {
            let path = folder.appendingPathComponent(file).path
            let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(permissions == 0o600, "\(file)")
        }
    }

    @Test("A folder that is missing and a file that is no database are named causes")
    func unusableFiles() throws {
        let folder = try temporaryFolder()
        #expect {
            try SQLiteLedgerStore(path: folder.appendingPathComponent("missing/l.sqlite").path)
        } throws: { error in
            if case LedgerError.inaccessible = error { true } else { false }
        }
        let text = folder.appendingPathComponent("text.sqlite")
        try Data(repeating: 0x41, count: 4_096).write(to: text)
        #expect {
            try SQLiteLedgerStore(path: text.path)
        } throws: { error in
            error as? LedgerError == .notADatabase
                && "\(error)" == "the file is not a SQLite database"
        }
    }

    @Test("A full database is reported as full")
    func full() async throws {
        let path = try temporaryFolder().appendingPathComponent("l.sqlite").path
        let store = try SQLiteLedgerStore(path: path)
        try await store.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 200") }
        let error = await ledgerError {
            for number in 0..<2_000 {
                try await store.step { ledger throws in
                    _ = try ledger.insert(LedgerRows.token(ExternalPurchaseId("\(number)")))
                }
            }
        }
        #expect(error == .full)
    }

    @Test("A database that another program has locked is busy, and free again afterwards")
    func locked() async throws {
        let path = try temporaryFolder().appendingPathComponent("l.sqlite").path
        let store = try SQLiteLedgerStore(path: path, busyTimeout: 0.05)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let insert: @Sendable () async throws -> Void = {
            try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token()) }
        }
        #expect(await ledgerError(insert) == .busy)
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        #expect(await ledgerError(insert) == nil)
    }

    @Test(
        "A file whose migrations are not ours is refused",
        arguments: [
            "UPDATE migrations SET sql = sql || ' '", "UPDATE migrations SET id = 'other' WHERE position = 1",
            "INSERT INTO migrations SELECT 1 + max(position), '9999-of-a-later-version', '' FROM migrations",
        ]
    )
    func otherHistory(_ change: String) throws {
        let path = try temporaryFolder().appendingPathComponent("l.sqlite").path
        try SQLiteLedgerStore(path: path).close()
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: change) }
        try queue.close()
        #expect {
            try SQLiteLedgerStore(path: path)
        } throws: { error in
            if case LedgerError.historyDiffers = error { true } else { false }
        }
    }

    @Test(
        "The schema refuses what no ledger may hold",
        arguments: [
            "DELETE FROM tokens", "DELETE FROM sales", "DELETE FROM reports",
            "UPDATE tokens SET text = 'other'", "UPDATE tokens SET state = 'sure'",
            "UPDATE reports SET body = x'00'", "UPDATE reports SET state = 'lost'", "UPDATE reports SET attempts = -1",
            "UPDATE sales SET content = '{}'", "UPDATE sales SET external_purchase_id = NULL",
            "UPDATE sales SET hold_causes = '[\"no-tax\"]'", "UPDATE sales SET review = 'closed'",
            "UPDATE sales SET dispatch = 'apart'", "UPDATE sales SET subscription_decision = 'newSubscription'",
            "UPDATE sales SET origin = 'imported'", "UPDATE sales SET notes = '[\"void\"]'",
            "INSERT INTO checkouts (bundle_id, checkout_id, external_purchase_id) VALUES ('a', 'b', 'c')",
        ]
    )
    func schema(_ statement: String) async throws {
        let path = try temporaryFolder().appendingPathComponent("l.sqlite").path
        let store = try SQLiteLedgerStore(path: path)
        try await store.step { ledger throws in
            _ = try ledger.insert(LedgerRows.token())
            _ = try ledger.insert(LedgerRows.sale("s"))
            _ = try ledger.insert(LedgerRows.report(1), holding: ["s"])
        }
        try store.close()
        let queue = try DatabaseQueue(path: path)
        #expect {
            try queue.write { try $0.execute(sql: statement) }
        } throws: { error in
            LedgerError(translating: error).isConflict
        }
    }
}

import ExternalPurchaseCore
import Foundation
import GRDB
import Ledger
import Testing

@testable import LedgerSQLite

/// The ledger's files as other programs meet them: copied, linked, moved, removed.
@Suite("The files of a ledger")
struct LedgerFilesTests {
    private static func tokens(at path: String) throws -> Int {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration).read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM tokens") ?? -1
        }
    }

    @Test("After a clean close a copy of the file alone is the whole ledger, also after reads of the same process")
    func cleanClose() async throws {
        let folder = try temporaryFolder()
        let path = folder.appendingPathComponent("l.sqlite").path
        let store = try SQLiteLedgerStore(path: path)
        for number in 0..<20 {
            try await store.step { ledger throws in
                _ = try ledger.insert(LedgerRows.token(ExternalPurchaseId("\(number)")))
            }
            _ = try await store.read { ledger throws(LedgerError) in try ledger.tokens(LedgerPage()).count }
        }
        try store.close()
        let copy = folder.appendingPathComponent("copy.sqlite").path
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(try Self.tokens(at: copy) == 20)
    }

    @Test("A close that another program's old read holds up says so instead of leaving half a file behind")
    func heldUpClose() async throws {
        let folder = try temporaryFolder()
        let path = folder.appendingPathComponent("l.sqlite").path
        let store = try SQLiteLedgerStore(path: path, busyTimeout: 0.05)
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token()) }
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: path, configuration: configuration)
        try await reader.writeWithoutTransaction { database in
            try database.execute(sql: "BEGIN")
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM tokens")
        }
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token("later")) }
        #expect(throws: LedgerError.busy) { try store.close(patience: .milliseconds(100)) }
        try await reader.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    }

    @Test("A second server is refused under every name of the file", arguments: ["symbolic", "hard"])
    func links(_ kind: String) async throws {
        let folder = try temporaryFolder()
        let path = folder.appendingPathComponent("l.sqlite").path
        let other = folder.appendingPathComponent("elsewhere/same.sqlite").path
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("elsewhere"),
            withIntermediateDirectories: true
        )
        let store = try SQLiteLedgerStore(path: path)
        if kind == "hard" {
            try FileManager.default.linkItem(atPath: path, toPath: other)
        } else {
            try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: path)
        }
        #expect(throws: LedgerError.inUse(path: other)) { try SQLiteLedgerStore(path: other) }
        // The refusal must not have dropped the locks of the store that has the file.
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token()) }
        try store.close()
    }

    @Test(
        "A file that is removed or replaced under a running server stores nothing any more, until it is back",
        arguments: ["", "-wal", "-shm"],
        [false, true]
    )
    func removedFile(_ end: String, isReplaced: Bool) async throws {
        let folder = try temporaryFolder()
        let path = folder.appendingPathComponent("l.sqlite").path
        let store = try SQLiteLedgerStore(path: path)
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token("before")) }
        let away = folder.appendingPathComponent("away").path
        try FileManager.default.moveItem(atPath: path + end, toPath: away)
        if isReplaced { try FileManager.default.copyItem(atPath: away, toPath: path + end) }
        let refused = await ledgerError {
            try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token("lost")) }
        }
        #expect(refused?.description.contains("was removed or replaced") == true, "\(String(describing: refused))")
        #expect(await ledgerError { try await store.checkWritable() } == refused)
        if isReplaced { try FileManager.default.removeItem(atPath: path + end) }
        try FileManager.default.moveItem(atPath: away, toPath: path + end)
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token("after")) }
        let ids = try await store.step { ledger throws in
            try ledger.tokens(LedgerPage()).map(\.token.externalPurchaseId)
        }
        #expect(ids == ["before", "after"])
    }

    @Test("A close of a ledger whose file is gone does not pass for a clean one")
    func closeWithoutFile() async throws {
        let path = try temporaryFolder().appendingPathComponent("l.sqlite").path
        let store = try SQLiteLedgerStore(path: path)
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token()) }
        try FileManager.default.removeItem(atPath: path)
        #expect {
            try store.close()
        } throws: { error in
            if case LedgerError.inaccessible = error { true } else { false }
        }
    }

    @Test("The test of a write is a real commit, and leaves the audit log as it is")
    func writeTest() async throws {
        let path = try temporaryFolder().appendingPathComponent("l.sqlite").path
        let store = try SQLiteLedgerStore(path: path)
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token()) }
        func size() throws -> Int {
            try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
        }
        let (before, head) = (
            try size(), try await store.step { ledger throws in try ledger.lastAuditEntry()?.hash }
        )
        try await store.checkWritable()
        #expect(try size() > before)
        #expect(try await store.step { ledger throws in try ledger.lastAuditEntry()?.hash } == head)
        #expect(try #require(store.freeBytes) > 0)
    }
}

import ExternalPurchaseCore
import Foundation
import GRDB
import Ledger
import LedgerTesting
import Synchronization
import Testing

@testable import LedgerSQLite

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite("Backups of a ledger")
struct LedgerBackupTests {
    @Test("A copy that is made while a server writes is one consistent state in one private file, with an intact chain")
    func whileWriting() async throws {
        let folder = try temporaryFolder()
        let path = folder.appendingPathComponent("l.sqlite").path
        let store = try SQLiteLedgerStore(path: path)
        try await LedgerRows.fill(store)
        // Not a cancellation, which would reach into a step that is under way.
        let isEnough = Mutex(false)
        let writer = Task {
            var number = 0
            while !isEnough.withLock({ $0 }) {
                let id = ExternalPurchaseId("during-\(number)")
                try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token(id)) }
                number += 1
            }
            return number
        }
        let file = folder.appendingPathComponent("backup.sqlite").path
        // What a killed run left.
        let leftovers = ["\(file).part-1", "\(file).part-1-journal", "\(file).part-3-journal"]
        for leftover in leftovers { try Data("half".utf8).write(to: URL(filePath: leftover)) }
        // What somebody else gave a similar name, and what another process writes.
        let others = [
            "\(file).part", "\(file).part-x", "\(file).part-2", "\(file).part-2-journal", "\(file).part-x-journal",
        ]
        for other in others { try Data("other".utf8).write(to: URL(filePath: other)) }
        let otherWriter = open(others[2], O_RDONLY)
        #expect(flock(otherWriter, LOCK_EX) == 0)
        defer { close(otherWriter) }
        var last: Int64 = 0
        for _ in 0..<5 {
            let copy = try await LedgerBackup(of: path).write(to: file)
            let reader = try SQLiteLedgerReader(path: file)
            let verdict = try await reader.read { ledger throws(LedgerError) in try ledger.verifyAudit() }
            #expect(verdict.broken == nil)
            #expect(verdict.head == copy.head)
            #expect(try await reader.fileFaults() == [])
            let head = try #require(copy.head)
            #expect(head.sequence >= last)
            last = head.sequence
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(attributes[.size] as? Int == Int(copy.size))
        }
        isEnough.withLock { $0 = true }
        #expect(try await writer.value > 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("backup") }
        #expect(files.sorted() == ["backup.sqlite"] + others.map { URL(filePath: $0).lastPathComponent }.sorted())
        for other in others { #expect(try Data(contentsOf: URL(filePath: other)) == Data("other".utf8)) }
        // A server can go on with the copy.
        let restored = try SQLiteLedgerStore(path: file)
        try await restored.step { ledger throws in _ = try ledger.insert(LedgerRows.token("restored")) }
        try restored.close()
    }

    @Test(
        "A backup is never written over the ledger, under whatever name, nor over what is no backup",
        arguments: [
            "itself", "symbolic", "hard", "text", "log", "server", "foreign", "view", "numbered", "pipe", "another",
            "newer",
            "branch",
        ]
    )
    func refused(_ target: String) async throws {
        let folder = try temporaryFolder()
        let path = folder.appendingPathComponent("l.sqlite").path
        let store = try SQLiteLedgerStore(path: path)
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token()) }
        let other = folder.appendingPathComponent("other").path
        var running: SQLiteLedgerStore?
        switch target {
        case "symbolic": try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: path)
        case "hard": try FileManager.default.linkItem(atPath: path, toPath: other)
        case "text": try Data("apps: []".utf8).write(to: URL(filePath: other))
        case "log":
            _ = try await LedgerBackup(of: path).write(to: other)
            try Data("frames".utf8).write(to: URL(filePath: other + "-wal"))
        case "server": running = try SQLiteLedgerStore(path: other)
        case "foreign": try Self.sql(other, "CREATE TABLE t (a)")
        case "view": try Self.sql(other, "CREATE VIEW v AS SELECT 1")
        case "numbered": try Self.sql(other, "PRAGMA user_version = 3")
        case "pipe": try #require(mkfifo(other, 0o600) == 0)
        case "another":
            let another = try SQLiteLedgerStore(path: other)
            try await Self.note("another shop", in: another)
            try another.close()
        case "newer", "branch":
            try await Self.note("first", in: store)
            _ = try await LedgerBackup(of: path).write(to: other)
            let newer = try SQLiteLedgerStore(path: other)
            try await Self.note("second", in: newer)
            try newer.close()
            if target == "branch" {
                try await Self.note("another second", in: store)
                try await Self.note("third", in: store)
            }
        default: break
        }
        let file = target == "itself" ? path : other
        let before = target == "pipe" ? Data() : try Data(contentsOf: URL(filePath: file))
        let error = await ledgerError { _ = try await LedgerBackup(of: path).write(to: file) }
        #expect(error != nil)
        if target != "pipe" { #expect(try Data(contentsOf: URL(filePath: file)) == before) }
        for end in [".part-\(getpid())", "-shm", "-journal"] where target != "server" && file == other {
            #expect(!FileManager.default.fileExists(atPath: file + end))
        }
        try await store.step { ledger throws in _ = try ledger.insert(LedgerRows.token("after")) }
        try running?.close()
    }

    /// Adds an entry to the audit log.
    private static func note(_ text: String, in store: SQLiteLedgerStore) async throws {
        try await store.step { ledger throws in
            _ = try ledger.insert(LedgerRows.token(ExternalPurchaseId(text)))
        }
    }

    private static func sql(_ file: String, _ statement: String) throws {
        let queue = try DatabaseQueue(path: file)
        try queue.writeWithoutTransaction { try $0.execute(sql: statement) }
        try queue.close()
    }

    @Test(
        "What is no ledger is not copied, and the backup that is there stays",
        arguments: ["empty", "foreign", "view", "numbered", "header", "text", "newer version"]
    )
    func noLedger(_ source: String) async throws {
        let folder = try temporaryFolder()
        let (path, other) = (folder.appending(path: "l.sqlite").path, folder.appending(path: "other").path)
        let store = try SQLiteLedgerStore(path: path)
        try await LedgerRows.fill(store)
        let file = folder.appending(path: "backup.sqlite").path
        _ = try await LedgerBackup(of: path).write(to: file)
        let before = try Data(contentsOf: URL(filePath: file))
        switch source {
        case "empty": try Data().write(to: URL(filePath: other))
        case "foreign": try Self.sql(other, "CREATE TABLE t (a)")
        case "view": try Self.sql(other, "CREATE VIEW v AS SELECT 1")
        case "numbered": try Self.sql(other, "PRAGMA user_version = 3")
        case "header": try Self.sql(other, "CREATE TABLE t (a); DROP TABLE t")
        case "text": try Data("apps: []".utf8).write(to: URL(filePath: other))
        default:
            _ = try await LedgerBackup(of: path).write(to: other)
            try Self.sql(other, "INSERT INTO migrations VALUES (100, '0100-later', '')")
        }
        for target in [file, folder.appending(path: "new.sqlite").path] {
            let error = await ledgerError { _ = try await LedgerBackup(of: other).write(to: target) }
            let text = error?.description ?? ""
            #expect(text.contains(source == "newer version" ? "0100-later" : "\(other) is no ledger"), "\(text)")
        }
        #expect(try Data(contentsOf: URL(filePath: file)) == before)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix("backup") || $0.hasPrefix("new") }
        #expect(left == ["backup.sqlite"])
    }

    @Test(
        "An earlier backup of the ledger is replaced, also one that a server opened, of another version, or without content",
        arguments: ["backup", "opened", "older version", "newer version", "empty", "header"]
    )
    func replaced(_ target: String) async throws {
        let folder = try temporaryFolder()
        let path = folder.appending(path: "l.sqlite").path
        let store = try SQLiteLedgerStore(path: path)
        try await LedgerRows.fill(store)
        let file = folder.appending(path: "backup.sqlite").path
        switch target {
        case "empty": try Data().write(to: URL(filePath: file))
        case "header": try Self.sql(file, "CREATE TABLE t (a); DROP TABLE t")
        default: _ = try await LedgerBackup(of: path).write(to: file)
        }
        switch target {
        case "opened": try SQLiteLedgerStore(path: file).close()
        case "older version": try Self.sql(file, "UPDATE migrations SET id = '0000-older' WHERE position = 1")
        case "newer version": try Self.sql(file, "INSERT INTO migrations VALUES (100, '0100-later', '')")
        default: break
        }
        try await Self.note("later", in: store)
        let copy = try await LedgerBackup(of: path).write(to: file)
        let reader = try SQLiteLedgerReader(path: file)
        #expect(try await reader.read { ledger throws(LedgerError) in try ledger.auditHead() } == copy.head)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("backup") }
        #expect(left == ["backup.sqlite"])
    }

    @Test("A ledger of an older version can be saved before a newer one migrates it")
    func olderVersion() async throws {
        let (path, contents) = try await MigrationTests.filled()
        let copy = try await LedgerBackup(of: path).write(to: path + ".backup")
        try await MigrationTests.withLaterVersion(path) { newer in
            let head = try await newer.read { ledger throws(LedgerError) in try ledger.auditHead() }
            #expect(copy.head == head)
        }
        let former = try SQLiteLedgerStore(path: path + ".backup")
        #expect(try await former.contents() == contents)
    }

    @Test("A file that is cut off or damaged has faults")
    func faults() async throws {
        let folder = try temporaryFolder()
        let path = folder.appendingPathComponent("l.sqlite").path
        let store = try SQLiteLedgerStore(path: path)
        try await LedgerRows.fill(store)
        try store.close()
        #expect(try await SQLiteLedgerReader(path: path).fileFaults() == [])
        let bytes = try Data(contentsOf: URL(filePath: path))
        let cut = folder.appendingPathComponent("cut.sqlite")
        try bytes.prefix(bytes.count / 2).write(to: cut)
        let error = await ledgerError {
            let faults = try await SQLiteLedgerReader(path: cut.path).fileFaults()
            if !faults.isEmpty { throw LedgerError.corrupt(faults[0]) }
        }
        guard case .corrupt = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}

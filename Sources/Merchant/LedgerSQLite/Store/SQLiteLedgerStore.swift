import Dispatch
package import ExternalPurchaseCore
import GRDB
package import Ledger

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A ledger in one SQLite file: write-ahead log, and every commit on the disk before it is answered.
package final class SQLiteLedgerStore: LedgerStore {
    let pool: DatabasePool
    // Behind the pool, so that its file is closed after the pool's.
    private let traces: FileTraces
    private let lock: WriterLock
    private let files: DatabaseFiles
    private let dependencies: LedgerDependencies

    /// Opens the ledger of a file, which is made when it is missing, readable by its owner only.
    ///
    /// - Parameters:
    ///   - path: the database file; SQLite puts its own files beside it.
    ///   - busyTimeout: how long a statement waits for another connection, in seconds.
    ///   - surroundings: time and randomness of audit entries.
    /// - Throws: ``LedgerError``; ``LedgerError/inUse(path:)`` while another store has the file open.
    package init(
        path: String,
        busyTimeout: Double = 2,
        dependencies: LedgerDependencies = .live
    ) throws(LedgerError) {
        self.dependencies = dependencies
        lock = try WriterLock(ofDatabaseAt: path)
        do {
            var configuration = Configuration()
            configuration.foreignKeysEnabled = true
            configuration.busyMode = .timeout(busyTimeout)
            configuration.label = "ledger"
            // An erased customer's id must not stay behind in free space of the file (OB-92).
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA secure_delete = ON") }
            pool = try DatabasePool(path: path, configuration: configuration)
            // The pool lowers `synchronous` to NORMAL on its writer while it opens, which may lose the last commits
            // when the power fails; FULL must therefore be set afterwards, outside a transaction.
            let synchronous = try pool.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA synchronous = FULL")
                return try Int.fetchOne(database, sql: "PRAGMA synchronous")
            }
            guard synchronous == Self.fullSynchronous else {
                throw LedgerError.inaccessible("SQLite did not take PRAGMA synchronous = FULL")
            }
            try pool.writeWithoutTransaction { try migrateWithoutForeignKeys($0) }
            traces = try FileTraces(path: path)
            files = try DatabaseFiles(ofDatabaseAt: path, opened: lock.file)
        } catch {
            throw LedgerError(translating: error)
        }
    }

    /// What `PRAGMA synchronous` says for FULL.
    package static let fullSynchronous = 2

    /// What `PRAGMA synchronous` says on the writer, for the test of durability.
    package func synchronousLevel() async throws(LedgerError) -> Int? {
        do {
            return try await pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        } catch {
            throw LedgerError(translating: error)
        }
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        do {
            return try await pool.read { [dependencies] in
                try body(SQLiteTransaction(database: $0, dependencies: dependencies))
            }
        } catch {
            throw LedgerError(translating: error)
        }
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        do {
            let value = try await pool.write { [dependencies, files] in
                let value = try body(SQLiteTransaction(database: $0, dependencies: dependencies))
                try files.check()
                return value
            }
            // A file that went away between that look and the commit took the commit with it.
            try files.check()
            return value
        } catch {
            throw LedgerError(translating: error)
        }
    }

    /// Commits the database's own version number, which nothing reads, as it is: a page goes to the disk, and the
    /// ledger says the same as before.
    package func checkWritable() async throws(LedgerError) {
        do {
            try await pool.write { [files] database in
                let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
                try database.execute(sql: "PRAGMA user_version = \(version)")
                try files.check()
            }
        } catch {
            throw LedgerError(translating: error)
        }
    }

    package var freeBytes: Int64? { files.freeBytes }

    package func removeTraces(of text: String) async throws(LedgerError) {
        do {
            try await emptyWriteAheadLog()
            // Pages that SQLite balanced may hold copies of rows between their cells, which nothing overwrites.
            guard try await isInFile(text) else { return }
            try await giveSpaceBack()
        } catch {
            throw LedgerError(translating: error)
        }
    }

    /// Removes what ended and was transmitted before a moment, in one transaction with its entry in the audit log
    /// (OB-91); then gives the file's free space back.
    ///
    /// - Parameters:
    ///   - cut: how young records may be is the caller's to check.
    ///   - person: who asked for it.
    /// - Returns: what was removed; nothing is written when nothing is to go.
    package func purge(before cut: Timestamp, by person: String) async throws(LedgerError) -> PurgePlan {
        do {
            let plan = try await pool.writeWithoutTransaction { [dependencies] database in
                // A reference is searched from its other end for every row that goes; one look at the end finds as much.
                try database.execute(sql: "PRAGMA foreign_keys = OFF")
                defer { try? database.execute(sql: "PRAGMA foreign_keys = ON") }
                var plan = PurgePlan(cut: cut, removals: [])
                try database.inTransaction(.immediate) {
                    let ledger = SQLiteTransaction(database: database, dependencies: dependencies)
                    plan = try ledger.purgePlan(before: cut)
                    if plan.removals.isEmpty { return .rollback }
                    try ledger.purge(plan, by: person)
                    try database.checkForeignKeys()
                    return .commit
                }
                return plan
            }
            if !plan.removals.isEmpty { try await giveSpaceBack() }
            return plan
        } catch {
            throw LedgerError(translating: error)
        }
    }

    /// Rewrites the file without free space.
    private func giveSpaceBack() async throws {
        try await pool.writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
        try await emptyWriteAheadLog()
    }

    private func emptyWriteAheadLog() async throws {
        try await pool.barrierWriteWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    }

    /// Reads the whole file away from the database's queue and from Swift's threads.
    private func isInFile(_ text: String) async throws -> Bool {
        try await withCheckedThrowingContinuation { [traces] continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try traces.hold(text) }) }
        }
    }

    /// Brings everything into the database file and closes it; the store is not used afterwards.
    ///
    /// After the return a copy of the file alone is the whole ledger.
    ///
    /// - Parameter patience: how long another process that reads may keep the write-ahead log in use.
    /// - Throws: ``LedgerError/busy`` when it kept it longer: the file is closed, and whole only with its `-wal`.
    ///   ``LedgerError/inaccessible(_:)`` when another file has taken its place.
    package func close(patience: Duration = .seconds(3)) throws(LedgerError) {
        let isWhole: Bool
        do {
            // The pool closes its writer first and its readers, which may not write, last: nothing would be brought in.
            isWhole = try emptyWriteAheadLog(patience: patience)
            try pool.close()
        } catch {
            throw LedgerError(translating: error)
        }
        if !isWhole { throw .busy }
        try files.checkDatabase()
    }

    /// - Returns: false when another process still reads what stands in the log only.
    private func emptyWriteAheadLog(patience: Duration) throws -> Bool {
        let end = ContinuousClock.now.advanced(by: patience)
        while true {
            do {
                try pool.barrierWriteWithoutTransaction { _ = try $0.checkpoint(.truncate) }
                return true
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                // A reader of the newest state keeps the log from being emptied, not from being brought in.
                let frames = try pool.writeWithoutTransaction { try $0.checkpoint(.passive) }
                if frames.walFrameCount == frames.checkpointedFrameCount { return true }
                if ContinuousClock.now >= end { return false }
            }
        }
    }
}

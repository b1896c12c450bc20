import Dispatch
package import ExternalPurchaseCore
import GRDB
package import Ledger

/// A ledger in one SQLite file in WAL mode; every commit is on disk before the write returns.
package final class SQLiteLedgerStore: DurableLedgerStore {
    let pool: DatabasePool
    // Declared after the pool, so that its file is closed after the pool's.
    private let traces: FileTraces
    private let lock: FileLock
    private let files: DatabaseFiles
    let commits: WriteQueue
    private let dependencies: LedgerDependencies

    /// Opens the ledger of a file, which is created if it is missing, readable by its owner only.
    ///
    /// - Parameters:
    ///   - path: the database file; SQLite puts its own files beside it.
    ///   - busyTimeout: the time a statement waits for another connection, in seconds.
    ///   - dependencies: time and randomness of audit entries.
    /// - Throws: ``LedgerError``; ``LedgerError/inUse(path:)`` while another store has the file open.
    package convenience init(
        path: String,
        busyTimeout: Double = 2,
        dependencies: LedgerDependencies = .live
    ) throws(LedgerError) {
        try self.init(path: path, busyTimeout: busyTimeout, limits: WriteQueue.Limits(), dependencies: dependencies)
    }

    init(
        path: String,
        busyTimeout: Double = 2,
        limits: WriteQueue.Limits = WriteQueue.Limits(),
        dependencies: LedgerDependencies,
        migrations: [Migration] = Migration.all
    ) throws(LedgerError) {
        self.dependencies = dependencies
        lock = try FileLock(path: path)
        // Before the file changes in any way: another program's file may have been named.
        _ = try LedgerSchema(ofDatabaseAt: path, comparedWith: migrations)
        try lock.makePrivate(path: path)
        do {
            var configuration = Configuration()
            configuration.foreignKeysEnabled = true
            configuration.busyMode = .timeout(busyTimeout)
            configuration.label = "ledger"
            // An erased customer's id must not remain in free space of the file (OB-92).
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA secure_delete = ON") }
            pool = try DatabasePool(path: path, configuration: configuration)
            // While opening, the pool sets `synchronous` to NORMAL on its writer, which can lose the last commits on a
            // power failure. FULL must therefore be set afterwards, outside a transaction.
            let synchronous = try pool.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA synchronous = FULL")
                return try Int.fetchOne(database, sql: "PRAGMA synchronous")
            }
            guard synchronous == Self.fullSynchronous else {
                throw LedgerError.inaccessible("SQLite did not take PRAGMA synchronous = FULL")
            }
            try pool.writeWithoutTransaction { try migrateWithoutForeignKeys($0, to: migrations) }
            try pool.writeWithoutTransaction { try Self.prepareForGroups($0) }
            traces = try FileTraces(path: path)
            files = try DatabaseFiles(ofDatabaseAt: path, opened: lock.file)
            commits = SQLiteWriter.queue(
                of: pool,
                files: files,
                dependencies: dependencies,
                limits: limits
            )
        } catch {
            throw LedgerError(translating: error)
        }
    }

    /// Sets what the writer needs for groups of some hundred closures.
    ///
    /// A group changes more pages than SQLite's cache of 2 MB has, which would be written twice. The undo of a savepoint
    /// is kept in memory and not in a file that is created for each group. The write-ahead log is folded in every 16 MB
    /// and not every 4 MB, because most pages of a group change again in the next one.
    private static func prepareForGroups(_ database: Database) throws {
        try database.execute(sql: "PRAGMA cache_size = -32000")
        try database.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
        try database.execute(sql: "PRAGMA temp_store = MEMORY")
    }

    /// Runs a closure whose temporary tables can be as large as the ledger, so that they are files.
    private static func withTemporaryFiles<Value>(_ database: Database, _ body: () throws -> Value) throws -> Value {
        try database.execute(sql: "PRAGMA temp_store = FILE")
        defer { try? database.execute(sql: "PRAGMA temp_store = MEMORY") }
        return try body()
    }

    /// The value of `PRAGMA synchronous` for FULL.
    package static let fullSynchronous = 2

    /// The value of `PRAGMA synchronous` on the writer, for the test of durability.
    package func synchronousLevel() async throws(LedgerError) -> Int? {
        do {
            return try await pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        } catch {
            throw LedgerError(translating: error)
        }
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        do {
            let read = CancellableRead()
            return try await read {
                try await pool.read { [dependencies] in
                    try body(LedgerQueries(in: $0, of: read, dependencies: dependencies))
                }
            }
        } catch {
            throw LedgerError(translating: error)
        }
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await commits.write(body)
    }

    /// Commits the unchanged user version of the database, which is otherwise unused.
    ///
    /// This writes a page to disk without changing the ledger.
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
            // Pages that SQLite rebalanced can contain copies of rows between their cells, which are never overwritten.
            guard try await isInFile(text) else { return }
            try await giveSpaceBack()
        } catch {
            throw LedgerError(translating: error)
        }
    }

    /// Removes completed and reported rows older than a cut-off time, then releases the file's free space.
    ///
    /// The deletion and its audit entry are one transaction (OB-91).
    ///
    /// - Parameters:
    ///   - cut: the cut-off time; the caller checks the minimum age of records.
    ///   - person: the person who requested the purge.
    /// - Returns: the removed rows; nothing is written when there is nothing to remove.
    package func purge(before cut: Timestamp, by person: String) async throws(LedgerError) -> PurgePlan {
        do {
            let plan = try await pool.writeWithoutTransaction { [dependencies] database in
                // With foreign keys, SQLite would check the references to every deleted row; one check at the end is
                // enough.
                try database.execute(sql: "PRAGMA foreign_keys = OFF")
                defer { try? database.execute(sql: "PRAGMA foreign_keys = ON") }
                var plan = PurgePlan(cut: cut, removals: [])
                try Self.withTemporaryFiles(database) {
                    try database.inTransaction(.immediate) {
                        let ledger = LedgerTransaction(in: database, dependencies: dependencies)
                        plan = try ledger.purgePlan(before: cut)
                        if plan.removals.isEmpty { return .rollback }
                        try ledger.purge(plan, by: person)
                        try ledger.writeCollectedRows()
                        try database.checkForeignKeys()
                        return .commit
                    }
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
        try await pool.writeWithoutTransaction { database in
            try Self.withTemporaryFiles(database) { try database.execute(sql: "VACUUM") }
        }
        try await emptyWriteAheadLog()
    }

    private func emptyWriteAheadLog() async throws {
        try await pool.barrierWriteWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    }

    /// Searches the complete file outside the database's queue and Swift's thread pool.
    private func isInFile(_ text: String) async throws -> Bool {
        try await withCheckedThrowingContinuation { [traces] continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try traces.hold(text) }) }
        }
    }

    package func close() throws(LedgerError) { try close(patience: .seconds(3)) }

    /// Moves the write-ahead log into the database file and closes the file; the store must not be used afterwards.
    ///
    /// After this function returns, a copy of the file alone is a complete ledger.
    ///
    /// - Parameter patience: the maximum time to wait for another process that reads the write-ahead log.
    /// - Throws: ``LedgerError/busy`` after that time: the file is closed, and is complete only with its `-wal` file.
    ///   ``LedgerError/inaccessible(_:)`` when another file has replaced it.
    func close(patience: Duration) throws(LedgerError) {
        let isWhole: Bool
        do {
            // The pool closes its writer first and its read-only readers last, so closing alone would not empty the
            // log.
            isWhole = try emptyWriteAheadLog(patience: patience)
            try pool.close()
        } catch {
            throw LedgerError(translating: error)
        }
        if !isWhole { throw .busy }
        try files.checkDatabase()
    }

    /// - Returns: false when another process still reads content that is only in the log.
    private func emptyWriteAheadLog(patience: Duration) throws -> Bool {
        let end = ContinuousClock.now + patience
        while true {
            do {
                try pool.barrierWriteWithoutTransaction { _ = try $0.checkpoint(.truncate) }
                return true
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                // A reader of the newest state prevents truncating the log, but not copying it into the database.
                let frames = try pool.writeWithoutTransaction { try $0.checkpoint(.passive) }
                if frames.walFrameCount == frames.checkpointedFrameCount { return true }
                if ContinuousClock.now >= end { return false }
            }
        }
    }
}

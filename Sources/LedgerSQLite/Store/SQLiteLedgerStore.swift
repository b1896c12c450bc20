import Dispatch
package import ExternalPurchaseCore
import GRDB
package import Ledger

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A ledger in one SQLite file: write-ahead log, and every commit on the disk before it is answered.
package final class SQLiteLedgerStore: LedgerStore {
    let pool: DatabasePool
    // Behind the pool, so that its file is closed after the pool's.
    private let traces: FileTraces
    private let lock: WriterLock
    private let surroundings: LedgerSurroundings

    /// Opens the ledger of a file, which is made when it is missing, readable by its owner only.
    ///
    /// - Parameters:
    ///   - path: the database file; a lock file and SQLite's own files are put beside it.
    ///   - busyTimeout: how long a statement waits for another connection, in seconds.
    ///   - surroundings: time and randomness of audit entries.
    /// - Throws: ``LedgerError``; ``LedgerError/inUse(path:)`` while another store has the file open.
    package init(
        path: String,
        busyTimeout: Double = 2,
        surroundings: LedgerSurroundings = .live
    ) throws(LedgerError) {
        self.surroundings = surroundings
        lock = try WriterLock(besideDatabaseAt: path)
        try Self.makePrivate(path)
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
        _ body: @escaping @Sendable (any LedgerReading) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        do {
            return try await pool.read { [surroundings] in
                try body(SQLiteTransaction(database: $0, surroundings: surroundings))
            }
        } catch {
            throw LedgerError(translating: error)
        }
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        do {
            return try await pool.write { [surroundings] in
                try body(SQLiteTransaction(database: $0, surroundings: surroundings))
            }
        } catch {
            throw LedgerError(translating: error)
        }
    }

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
            let plan = try await pool.writeWithoutTransaction { [surroundings] database in
                // A reference is searched from its other end for every row that goes; one look at the end finds as much.
                try database.execute(sql: "PRAGMA foreign_keys = OFF")
                defer { try? database.execute(sql: "PRAGMA foreign_keys = ON") }
                var plan = PurgePlan(cut: cut, removals: [])
                try database.inTransaction(.immediate) {
                    let ledger = SQLiteTransaction(database: database, surroundings: surroundings)
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

    /// Closes the file; the store is not used afterwards.
    package func close() throws(LedgerError) {
        do {
            try pool.close()
        } catch {
            throw LedgerError(translating: error)
        }
    }

    /// Makes the file before SQLite does: the write-ahead log takes over its permissions.
    private static func makePrivate(_ path: String) throws(LedgerError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .inaccessible("\(path): \(String(cString: strerror(errno)))") }
        defer { _ = Self.closeDescriptor(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else {
            throw .inaccessible("\(path): \(String(cString: strerror(errno)))")
        }
    }

    /// The C function, which the method of the same name hides.
    private static let closeDescriptor: @Sendable (Int32) -> Int32 = { descriptor in
        #if canImport(Glibc)
        Glibc.close(descriptor)
        #elseif canImport(Musl)
        Musl.close(descriptor)
        #else
        Darwin.close(descriptor)
        #endif
    }
}

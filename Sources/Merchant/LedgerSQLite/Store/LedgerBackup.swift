import ExternalPurchaseCore
import GRDB
package import Ledger

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Copies a ledger into a single file, even while a server writes to it.
package struct LedgerBackup: Sendable {
    /// The properties of a finished copy.
    package struct Copy: Hashable, Sendable {
        /// The newest entry of the copy's audit log; nil for an empty log.
        ///
        /// It should be noted in another place than the copy, because a chain cannot prove that its end was not cut
        /// off.
        package let head: AuditHead?
        /// The size of the file in bytes.
        package let size: Int64
    }

    private let source: String

    /// - Parameter source: the database file, possibly of an older version, so that it can be copied before its
    ///   migration.
    package init(of source: String) {
        self.source = source
    }

    /// The number of pages between two calls of `progress`: 4 MiB with the default page size.
    private static let pagesPerStep: CInt = 1_024

    /// Writes one consistent state into a file without a write-ahead log, readable by its owner only.
    ///
    /// The file is checked and synced to disk before it gets its name and replaces an existing backup. Only what is in
    /// the ledger may be replaced: the audit log must continue that of the existing backup, whose last entry it has.
    ///
    /// - Parameters:
    ///   - path: the file to write, which has the name of a ``ExternalPurchaseCore/PartialFile`` until it is complete.
    ///   - progress: called with the copied fraction, from 0 to 1.
    /// - Throws: ``LedgerError``, also for a source without a ledger, and for a file at `path` that is no ledger, or that
    ///   has entries which the source lacks; `path` is then unchanged.
    package func write(
        to path: String,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(LedgerError) -> Copy {
        // The lock is held until the new file has the name, so that no server opens the old one.
        let (lock, replaced) = try replacedLedger(at: path)
        guard let unfinished = PartialFile(of: path) else { throw Self.failure(path) }
        do {
            let head = try await copy(to: unfinished.path, replacing: replaced.map { (path, $0) }, progress)
            let size = try Self.finish(unfinished.path, as: path)
            withExtendedLifetime((lock, unfinished)) {}
            return Copy(head: head, size: size)
        } catch {
            unfinished.remove()
            throw LedgerError(translating: error)
        }
    }

    /// The audit log of an existing backup.
    private struct ReplacedLog: Sendable {
        var first: Data
        var head: AuditHead
    }

    /// Locks the existing backup and reads its audit log; nil for an empty one.
    ///
    /// - Throws: an error when the file is in use or no ledger, of whatever version.
    private func replacedLedger(at path: String) throws(LedgerError) -> (lock: FileLock?, log: ReplacedLog?) {
        guard let file = FileIdentity(path: path) else { return (nil, nil) }
        guard file != FileIdentity(path: source) else { throw .inaccessible("\(path) is the ledger itself") }
        if FileLock.isHeldHere(file) { throw .inUse(path: path) }
        // Opening a named pipe would wait for its writer, and a device would be replaced by a file.
        guard NamedFile.refusalOfRepeatedReading(path: path) == nil else { throw Self.noBackup(path, "no file") }
        // SQLite would apply these files to the new file.
        for end in ["-wal", "-journal"] where FileIdentity(path: path + end) != nil {
            throw .inaccessible("\(path)\(end) belongs to the file that is there; name another file")
        }
        let lock = try FileLock(path: path)
        // SQLite creates these files to read a ledger of a stopped server, and would apply them to the new file.
        let created = Self.namesOfLog(of: path).filter { FileIdentity(path: $0) == nil }
        defer { for name in created { unlink(name) } }
        do {
            let queue = try Self.reading(path)
            let log = try queue.read { database -> ReplacedLog? in
                do {
                    guard try Self.isLedger(database) else { return nil }
                } catch let error as LedgerError {
                    let columns =
                        "SELECT count(*) FROM pragma_table_info('audit_log') WHERE name IN ('sequence', 'hash')"
                    guard case .historyDiffers = error, try Int.fetchOne(database, sql: columns) == 2 else {
                        throw error
                    }
                }
                guard let head = try Self.head(of: database),
                    let first = try Data.fetchOne(database, sql: "SELECT hash FROM audit_log ORDER BY sequence LIMIT 1")
                else { return nil }
                return ReplacedLog(first: first, head: head)
            }
            try queue.close()
            return (lock, log)
        } catch {
            switch LedgerError(translating: error) {
            case .notADatabase: throw Self.noBackup(path, "no SQLite database")
            case .inaccessible(let detail): throw Self.noBackup(path, detail)
            case let error: throw Self.noBackup(path, error.description)
            }
        }
    }

    /// The names of a database's write-ahead log and its index, beside the target of a symbolic link.
    private static func namesOfLog(of path: String) -> [String] {
        guard let resolved = realpath(path, nil) else { return [] }
        defer { free(resolved) }
        return ["-wal", "-shm"].map { String(cString: resolved) + $0 }
    }

    private static func noBackup(_ path: String, _ reason: String) -> LedgerError {
        let what = reason.hasPrefix("it is ") ? String(reason.dropFirst("it is ".count)) : reason
        return .inaccessible("\(path) is there and is no backup but \(what); name another file")
    }

    private static func reading(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(2)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Returns whether a database has a ledger; false for one without content.
    ///
    /// - Throws: ``LedgerError/inaccessible(_:)`` for another program's database; ``LedgerError/historyDiffers(_:)`` for
    ///   a ledger of another version.
    private static func isLedger(_ database: Database) throws(LedgerError) -> Bool {
        do {
            return try appliedMigrations(database, of: Migration.all) > 0
        } catch {
            throw LedgerError(translating: error)
        }
    }

    private func copy(
        to path: String,
        replacing replaced: (path: String, log: ReplacedLog)?,
        _ progress: @escaping @Sendable (Double) -> Void
    ) async throws -> AuditHead? {
        guard FileIdentity(path: source) != nil else { throw LedgerError.inaccessible("there is no such file") }
        let from = try Self.opened(source)
        let into = try DatabaseQueue(path: path)
        let head = try await from.read { [source] database in
            // The first query determines the copied state, regardless of later commits.
            try Self.checkSource(database, source)
            if let (path, log) = replaced { try Self.check(database, continues: log, of: path) }
            let head = try Self.head(of: database)
            try into.writeWithoutTransaction { copy in
                try database.backup(to: copy, pagesPerStep: Self.pagesPerStep) { done in
                    if done.totalPageCount > 0 {
                        progress(Double(done.completedPageCount) / Double(done.totalPageCount))
                    }
                }
                // A copy in WAL mode would be opened with a log of its own.
                try copy.execute(sql: "PRAGMA journal_mode = DELETE")
                let faults = try String.fetchAll(copy, sql: "PRAGMA quick_check(3)")
                guard faults == ["ok"] else {
                    throw LedgerError.corrupt("the copy has faults: \(faults.joined(separator: "; "))")
                }
            }
            return head
        }
        try into.close()
        try from.close()
        return head
    }

    private static func opened(_ source: String) throws -> DatabaseQueue {
        do {
            return try reading(source)
        } catch {
            guard case .notADatabase = LedgerError(translating: error) else { throw error }
            throw noLedger(source, "it is no SQLite database")
        }
    }

    private static func checkSource(_ database: Database, _ path: String) throws(LedgerError) {
        do throws(LedgerError) {
            guard try isLedger(database) else { throw .inaccessible("it has no content") }
        } catch {
            guard case .inaccessible(let detail) = error else { throw error }
            throw noLedger(path, detail)
        }
    }

    private static func noLedger(_ path: String, _ reason: String) -> LedgerError {
        .inaccessible("\(path) is no ledger: \(reason); name the ledger's file")
    }

    /// Checks that nothing is lost with an existing backup: the ledger has the last entry of its audit log, and with it
    /// all entries before.
    private static func check(_ database: Database, continues log: ReplacedLog, of path: String) throws {
        func hash(_ sequence: Int64) throws -> Data? {
            try Data.fetchOne(database, sql: "SELECT hash FROM audit_log WHERE sequence = ?", arguments: [sequence])
        }
        guard try hash(log.head.sequence) != Data(log.head.hash) else { return }
        let first = try Data.fetchOne(database, sql: "SELECT hash FROM audit_log ORDER BY sequence LIMIT 1")
        throw LedgerError.inaccessible(
            first == log.first
                ? "\(path) has entries of the audit log, up to \(log.head.sequence), that the ledger lacks, as after a "
                    + "restore of an older copy; name another file, or move that one away first"
                : "\(path) is a backup of another ledger; name another file, or move that one away first"
        )
    }

    private static func head(of database: Database) throws -> AuditHead? {
        guard try database.tableExists("audit_log") else { return nil }
        // Another file than a ledger may have other types, which the driver does not convert.
        return try Row.fetchOne(
            database,
            sql: """
                SELECT sequence, hash FROM audit_log WHERE typeof(sequence) = 'integer' AND typeof(hash) = 'blob'
                    ORDER BY sequence DESC LIMIT 1
                """
        )
        .map { AuditHead(sequence: $0["sequence"], hash: [UInt8]($0["hash"] as Data)) }
    }

    /// Syncs the file to disk, renames it, and syncs the new name.
    ///
    /// - Returns: the size of the file in bytes.
    private static func finish(_ unfinished: String, as path: String) throws(LedgerError) -> Int64 {
        var size: off_t = 0
        try synchronize(unfinished) { size = lseek($0, 0, SEEK_END) }
        guard rename(unfinished, path) == 0 else { throw failure(path) }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        try synchronize(folder)
        return Int64(size)
    }

    private static func synchronize(_ path: String, _ look: (Int32) -> Void = { _ in }) throws(LedgerError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(path) }
        look(descriptor)
    }

    private static func failure(_ path: String) -> LedgerError {
        let reason = errno
        return reason == ENOSPC ? .full : .inaccessible("\(path): \(String(cString: strerror(reason)))")
    }
}

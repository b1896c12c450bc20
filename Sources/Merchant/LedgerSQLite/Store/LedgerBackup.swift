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
    /// The file is checked and synced to disk before it gets its name and replaces an existing backup.
    ///
    /// - Parameters:
    ///   - path: the file to write; `path.part` is used until it is complete, and removed first if a killed run left
    ///     it.
    ///   - progress: called with the copied fraction, from 0 to 1.
    /// - Throws: ``LedgerError``; `path` is then unchanged.
    package func write(
        to path: String,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(LedgerError) -> Copy {
        // The lock is held until the new file has the name, so that no server opens the old one.
        let replaced = try replacedLedger(at: path)
        let unfinished = path + ".part"
        unlink(unfinished)
        let descriptor = open(unfinished, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(unfinished) }
        close(descriptor)
        do {
            let head = try await copy(to: unfinished, progress)
            let size = try Self.finish(unfinished, as: path)
            withExtendedLifetime(replaced) {}
            return Copy(head: head, size: size)
        } catch {
            for end in ["", "-journal", "-wal", "-shm"] { unlink(unfinished + end) }
            throw LedgerError(translating: error)
        }
    }

    /// Locks the existing backup.
    ///
    /// - Throws: an error when the file is in use or not a backup.
    private func replacedLedger(at path: String) throws(LedgerError) -> FileLock? {
        guard let file = FileIdentity(path: path) else { return nil }
        guard file != FileIdentity(path: source) else { throw .inaccessible("\(path) is the ledger itself") }
        if FileLock.isHeldHere(file) { throw .inUse(path: path) }
        guard Self.isDatabaseOrEmpty(path) else {
            throw .inaccessible("\(path) is there and is no backup; name another file")
        }
        // SQLite would apply these files to the new file.
        for end in ["-wal", "-journal"] where FileIdentity(path: path + end) != nil {
            throw .inaccessible("\(path)\(end) belongs to the file that is there; name another file")
        }
        return try FileLock(path: path)
    }

    private static func isDatabaseOrEmpty(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var beginning = [UInt8](repeating: 0, count: 16)
        let count = read(descriptor, &beginning, beginning.count)
        return count == 0 || count == 16 && beginning == Array("SQLite format 3\0".utf8)
    }

    private func copy(to path: String, _ progress: @escaping @Sendable (Double) -> Void) async throws -> AuditHead? {
        guard FileIdentity(path: source) != nil else { throw LedgerError.inaccessible("there is no such file") }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(2)
        let from = try DatabaseQueue(path: source, configuration: configuration)
        let into = try DatabaseQueue(path: path)
        let head = try await from.read { database in
            // The first query determines the copied state, regardless of later commits.
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

    private static func head(of database: Database) throws -> AuditHead? {
        guard try database.tableExists("audit_log") else { return nil }
        return try Row.fetchOne(database, sql: "SELECT sequence, hash FROM audit_log ORDER BY sequence DESC LIMIT 1")
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

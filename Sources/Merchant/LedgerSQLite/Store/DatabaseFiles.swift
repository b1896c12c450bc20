import Ledger

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The files of an open ledger, which must stay in their places.
///
/// What is committed to a file that was removed or replaced is gone with the process, although every write succeeds.
struct DatabaseFiles: Sendable {
    private let files: [(path: String, file: FileIdentity)]
    private let folder: String

    /// Notes the files of a database that is open, with its write-ahead log.
    ///
    /// - Parameters:
    ///   - path: the path that the database was opened with.
    ///   - database: the file that is open.
    /// - Throws: ``LedgerError/inaccessible(_:)`` when the path leads to another file already.
    init(ofDatabaseAt path: String, opened database: FileIdentity) throws(LedgerError) {
        // SQLite puts the write-ahead log beside the file that a symbolic link leads to.
        guard let resolved = realpath(path, nil) else {
            throw .inaccessible("\(path): \(String(cString: strerror(errno)))")
        }
        defer { free(resolved) }
        let real = String(cString: resolved)
        folder = String(real[..<(real.lastIndex(of: "/") ?? real.startIndex)]) + "/"
        var files = [(path: path, file: database)]
        for other in [real + "-wal", real + "-shm"] {
            if let file = FileIdentity(path: other) { files.append((other, file)) }
        }
        self.files = files
        try check()
    }

    /// Makes sure that every path still leads to the file that is open; costs three calls of `stat`.
    ///
    /// - Throws: ``LedgerError/inaccessible(_:)`` naming the file that is not in its place.
    func check() throws(LedgerError) { try check(files) }

    /// Makes sure of the database file alone: what stood in the write-ahead log is in it.
    func checkDatabase() throws(LedgerError) { try check(files.prefix(1)) }

    private func check(_ files: some Sequence<(path: String, file: FileIdentity)>) throws(LedgerError) {
        for (path, file) in files where FileIdentity(path: path) != file {
            throw .inaccessible(
                "\(path) was removed or replaced while the ledger is open: stop the server, put the file back, start again"
            )
        }
    }

    /// The space that is free for this user where the database is, in bytes; nil where the system does not say.
    var freeBytes: Int64? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        let bytes = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return bytes.overflow ? .max : Int64(clamping: bytes.partialValue)
    }
}

import Ledger

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The files of an open ledger, which must not be removed or replaced.
///
/// Writes to a removed file succeed, but their data are lost when the process ends.
struct DatabaseFiles: Sendable {
    private let files: [(path: String, file: FileIdentity)]
    private let folder: String

    /// Records the files of an open database, with its write-ahead log.
    ///
    /// - Parameters:
    ///   - path: the path with which the database was opened.
    ///   - database: the open file.
    /// - Throws: ``LedgerError/inaccessible(_:)`` when the path already names another file.
    init(ofDatabaseAt path: String, opened database: FileIdentity) throws(LedgerError) {
        // SQLite puts the write-ahead log beside the target of a symbolic link.
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

    /// Checks that every path still names the open file, with three calls of `stat`.
    ///
    /// - Throws: ``LedgerError/inaccessible(_:)`` naming the file that was removed or replaced.
    func check() throws(LedgerError) { try check(files) }

    /// Checks only the database file, after the content of the write-ahead log was moved into it.
    func checkDatabase() throws(LedgerError) { try check(files.prefix(1)) }

    private func check(_ files: some Sequence<(path: String, file: FileIdentity)>) throws(LedgerError) {
        for (path, file) in files where FileIdentity(path: path) != file {
            throw .inaccessible(
                "\(path) was removed or replaced while the ledger is open: stop the server, put the file back, start again"
            )
        }
    }

    /// The space available to this user on the database's volume, in bytes; nil if the system does not report it.
    var freeBytes: Int64? { Self.freeBytes(in: folder) }

    static func freeBytes(in folder: String) -> Int64? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        let bytes = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return bytes.overflow ? .max : Int64(clamping: bytes.partialValue)
    }
}

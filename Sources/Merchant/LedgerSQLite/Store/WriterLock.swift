import Ledger
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The right to be the one server that writes to a ledger: an exclusive lock on the database file itself, so that it is
/// the same lock under every name of the file (symbolic and hard links).
///
/// It is a lock of the open file description (`F_OFD_SETLK`) on one byte far beyond any database: SQLite's own locks are
/// the process's, on other bytes, and neither sees the other. The kernel gives it back when the process ends, however
/// it ends.
///
/// The descriptor stays open until the object goes, and the object must go after the database's connections: closing
/// any descriptor of a file drops the locks that SQLite holds on it in this process
/// (https://www.sqlite.org/howtocorrupt.html, section 2.2).
final class WriterLock: Sendable {
    /// The file that is locked.
    let file: FileIdentity
    private let descriptor: Int32

    /// The files that stores of this process have locked: looked up before a descriptor is opened, because closing a
    /// second one would drop SQLite's locks of the first store.
    private static let held = Mutex<Set<FileIdentity>>([])

    /// SQLite's databases end at 2^48 bytes; its locks are at 2^30.
    private static let lockedByte: off_t = 1 << 62

    /// Takes the lock of a database file, which is made when it is missing, readable by its owner only: the write-ahead
    /// log takes over its permissions.
    ///
    /// - Throws: ``LedgerError/inUse(path:)`` when another process, or another store of this one, has it.
    init(ofDatabaseAt path: String) throws(LedgerError) {
        (descriptor, file) = try Self.held.withLock { held throws(LedgerError) in
            if let known = FileIdentity(path: path), held.contains(known) { throw .inUse(path: path) }
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0, let file = FileIdentity(descriptor: descriptor) else {
                throw .inaccessible("\(path): \(String(cString: strerror(errno)))")
            }
            do throws(LedgerError) {
                try Self.lock(descriptor, path)
                guard fchmod(descriptor, 0o600) == 0 else {
                    throw .inaccessible("\(path): \(String(cString: strerror(errno)))")
                }
            } catch {
                close(descriptor)
                throw error
            }
            held.insert(file)
            return (descriptor, file)
        }
    }

    /// True when a store of this process has the file open.
    static func isHeldHere(_ file: FileIdentity) -> Bool {
        held.withLock { $0.contains(file) }
    }

    deinit {
        Self.held.withLock { held in
            close(descriptor)
            held.remove(file)
        }
    }

    private static func lock(_ descriptor: Int32, _ path: String) throws(LedgerError) {
        // <fcntl.h> shows the name to C only with _GNU_SOURCE.
        #if canImport(Darwin)
        let setLock: Int32 = 90
        #else
        let setLock: Int32 = 37
        #endif
        var wanted = flock()
        wanted.l_type = Int16(F_WRLCK)
        wanted.l_whence = Int16(SEEK_SET)
        wanted.l_start = lockedByte
        wanted.l_len = 1
        guard fcntl(descriptor, setLock, &wanted) == 0 else {
            let reason = errno
            if reason == EAGAIN || reason == EACCES { throw .inUse(path: path) }
            throw .inaccessible("\(path): cannot be locked: \(String(cString: strerror(reason)))")
        }
    }
}

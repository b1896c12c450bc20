package import Ledger
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An exclusive lock on a file, such as the database file, by which only one server writes to a ledger.
///
/// Because the file is locked and not its path, the lock holds for every name of the file (symbolic and hard links). It
/// is a lock of the open file description (`F_OFD_SETLK`) on one byte far beyond the end of any database. SQLite's own
/// locks belong to the process and are on other bytes, so the two do not conflict. The kernel releases the lock when
/// the process ends for any reason.
///
/// The descriptor stays open until the object is released. The object must be released after the database's
/// connections, because closing any descriptor of a file releases the locks that SQLite holds on it in this process
/// (https://www.sqlite.org/howtocorrupt.html, section 2.2).
package final class FileLock: Sendable {
    /// The locked file.
    let file: FileIdentity
    private let descriptor: Int32

    /// The files locked by stores of this process.
    ///
    /// They are checked before a descriptor is opened, because closing a second one would release SQLite's locks of the
    /// first store.
    private static let held = Mutex<Set<FileIdentity>>([])

    /// SQLite's databases end at 2^48 bytes; its locks are at 2^30.
    private static let lockedByte: off_t = 1 << 62

    /// Locks a file, which is created if it is missing, readable by its owner only.
    ///
    /// A file that exists stays as it is: it may be another one than was meant.
    ///
    /// - Throws: ``LedgerError/inUse(path:)`` when another process, or another store of this one, holds the lock.
    package init(path: String) throws(LedgerError) {
        (descriptor, file) = try Self.held.withLock { held throws(LedgerError) in
            if let known = FileIdentity(path: path), held.contains(known) { throw .inUse(path: path) }
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0, let file = FileIdentity(descriptor: descriptor) else {
                throw .inaccessible("\(path): \(String(cString: strerror(errno)))")
            }
            do throws(LedgerError) {
                try Self.lock(descriptor, path)
            } catch {
                close(descriptor)
                throw error
            }
            held.insert(file)
            return (descriptor, file)
        }
    }

    /// Whether a store of this or another process holds the lock of a file.
    ///
    /// Asks without taking the lock, so that a store that is opened meanwhile is not refused.
    ///
    /// - Throws: ``LedgerError/inaccessible(_:)`` for a file that cannot be read.
    package static func isHeld(path: String) throws(LedgerError) -> Bool {
        try held.withLock { held throws(LedgerError) in
            if let known = FileIdentity(path: path), held.contains(known) { return true }
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .inaccessible("\(path): \(String(cString: strerror(errno)))") }
            defer { close(descriptor) }
            #if canImport(Darwin)
            let getLock: Int32 = 92
            #else
            let getLock: Int32 = 36
            #endif
            var asked = wholeLock
            guard fcntl(descriptor, getLock, &asked) == 0 else {
                throw .inaccessible("\(path): cannot be asked for its lock: \(String(cString: strerror(errno)))")
            }
            return asked.l_type != Int16(F_UNLCK)
        }
    }

    /// Makes the file, and those that SQLite has beside it, readable by its owner only; for a file that is known to be a
    /// ledger.
    ///
    /// SQLite gives files that it creates later the permissions of the database.
    ///
    /// - Throws: ``LedgerError/inaccessible(_:)`` for a file of another user.
    func makePrivate(path: String) throws(LedgerError) {
        guard fchmod(descriptor, 0o600) == 0 else {
            throw .inaccessible("\(path): \(String(cString: strerror(errno)))")
        }
        // Beside the target of a symbolic link; files that are missing are created later.
        guard let resolved = realpath(path, nil) else { return }
        defer { free(resolved) }
        for ending in ["-wal", "-shm", "-journal"] { chmod(String(cString: resolved) + ending, 0o600) }
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

    private static var wholeLock: flock {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = lockedByte
        lock.l_len = 1
        return lock
    }

    private static func lock(_ descriptor: Int32, _ path: String) throws(LedgerError) {
        // <fcntl.h> defines the name in C only with _GNU_SOURCE.
        #if canImport(Darwin)
        let setLock: Int32 = 90
        #else
        let setLock: Int32 = 37
        #endif
        var wanted = wholeLock
        guard fcntl(descriptor, setLock, &wanted) == 0 else {
            let reason = errno
            if reason == EAGAIN || reason == EACCES { throw .inUse(path: path) }
            throw .inaccessible("\(path): cannot be locked: \(String(cString: strerror(reason)))")
        }
    }
}

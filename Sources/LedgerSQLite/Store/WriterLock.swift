import Ledger

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The right to be the one server that writes to a ledger: an exclusive lock on a file beside it.
///
/// The kernel gives the lock back when the process ends, however it ends; the file stays and means nothing.
final class WriterLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock.
    ///
    /// - Throws: ``LedgerError/inUse(path:)`` when another process, or another store of this one, has it.
    init(besideDatabaseAt path: String) throws(LedgerError) {
        let lockPath = path + ".lock"
        descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .inaccessible("\(lockPath): \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            close(descriptor)
            if reason == EWOULDBLOCK { throw .inUse(path: path) }
            throw .inaccessible("\(lockPath): \(String(cString: strerror(reason)))")
        }
    }

    deinit {
        close(descriptor)
    }
}

import ExternalPurchaseCore
import Ledger

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that only its owner may read and that has no name any more, so that it ends with its last reference.
///
/// It lies in the folder for temporary files, which `TMPDIR` names.
final class TemporaryFile: Sendable {
    private let descriptor: CInt

    /// Creates an empty file with mode 0600.
    ///
    /// - Throws: ``LedgerError/inaccessible(_:)`` with the folder.
    init(in folder: String = FileManager.default.temporaryDirectory.path) throws(LedgerError) {
        var name = Array("\(folder)/external-purchase-export.XXXXXX".utf8CString)
        descriptor = mkstemp(&name)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw .inaccessible("no temporary file can be made in \(folder): \(reason)")
        }
        unlink(name)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    /// Appends bytes.
    ///
    /// - Throws: ``LedgerError/full`` if no space is left.
    func append(_ bytes: [UInt8]) throws(LedgerError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure() }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads the bytes of a range that were written before.
    func read(_ range: Range<Int>) throws(LedgerError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                pread(
                    descriptor,
                    buffer.baseAddress?.advanced(by: done),
                    buffer.count - done,
                    off_t(range.lowerBound + done)
                )
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure() }
            done += count
        }
        return bytes
    }

    private static func failure() -> LedgerError {
        errno == ENOSPC || errno == EDQUOT
            ? .full : .inaccessible("a temporary file failed: \(String(cString: strerror(errno)))")
    }
}

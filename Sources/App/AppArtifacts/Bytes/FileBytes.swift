import AppConfiguration

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A regular file that is read from disk in pieces.
final class FileBytes: RandomAccessBytes {
    let path: String
    let count: Int
    private let descriptor: Int32

    /// Opens a file.
    ///
    /// - Parameter path: the file; symbolic links are followed.
    /// - Throws: an error when the file does not exist, cannot be opened, or is a folder or a device.
    init(path: String) throws(ConfigurationReadError) {
        // O_NONBLOCK, because opening a named pipe would otherwise block until there is a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            throw ConfigurationReadError(
                cause: code == ENOENT || code == ENOTDIR ? .missing : .unreadable,
                file: path,
                reason: String(cString: strerror(code))
            )
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let count = Int(exactly: status.st_size)
        else {
            close(descriptor)
            throw ConfigurationReadError(cause: .unreadable, file: path, reason: "it is not a regular file")
        }
        self.path = path
        self.count = count
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    func bytes(at offset: Int, count: Int) throws(ConfigurationReadError) -> [UInt8] {
        guard holds(count, at: offset) else { throw fault("it is cut off") }
        var code: Int32 = 0
        let piece = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = buffer.baseAddress.map { $0 + filled }
                let received = pread(descriptor, rest, count - filled, off_t(offset + filled))
                if received > 0 {
                    filled += received
                } else if received == 0 {
                    return
                } else if errno != EINTR {
                    code = errno
                    return
                }
            }
        }
        guard code == 0 else {
            throw ConfigurationReadError(cause: .unreadable, file: path, reason: String(cString: strerror(code)))
        }
        guard piece.count == count else { throw fault("it became shorter while it was read") }
        return piece
    }
}

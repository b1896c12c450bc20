import AppConfiguration
import ExternalPurchaseCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An open file of the file system.
///
/// It is closed with its last reference.
final class SystemFile: RandomAccessBytes {
    /// The path for messages.
    let path: String
    /// The size in bytes when it was opened; 0 for a pipe.
    let count: Int
    private let descriptor: CInt
    /// False for a pipe, a device or a folder.
    let isRegular: Bool

    /// Takes ownership of a descriptor that must refer to a regular file.
    init(regular descriptor: CInt, path: String) throws(ConfigurationReadError) {
        self.descriptor = descriptor
        self.path = path
        let status = try Self.status(descriptor, path: path)
        isRegular = status.st_mode & S_IFMT == S_IFREG
        count = isRegular ? Int(status.st_size) : 0
        guard isRegular else {
            throw ConfigurationReadError(cause: .unreadable, file: path, reason: "it is not a regular file")
        }
    }

    /// Opens a path that a person named.
    ///
    /// It may be a pipe such as `<(command)`.
    ///
    /// - Throws: an error also for a named pipe of the file system and for a device, which are not opened.
    init(named path: String) throws(ConfigurationReadError) {
        if let reason = NamedFile.refusal(path: path) {
            throw ConfigurationReadError(cause: .unreadable, file: path, reason: reason)
        }
        let opened = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { throw Self.refusal(errno, path: path) }
        descriptor = opened
        self.path = path
        let status = try Self.status(opened, path: path)
        isRegular = status.st_mode & S_IFMT == S_IFREG
        count = isRegular ? Int(status.st_size) : 0
    }

    deinit {
        close(descriptor)
    }

    /// Reads the complete content.
    ///
    /// - Throws: `tooLarge` when there are more bytes than the limit.
    func read(limit: Int) throws(ConfigurationReadError) -> [UInt8] {
        // A file may have grown since it was opened. One byte over the limit detects it.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(count, limit) + 1)
        while bytes.count <= limit {
            let want = bytes.isEmpty && isRegular ? min(count, limit) + 1 : min(64 * 1024, limit + 1 - bytes.count)
            let chunk = try nextBytes(want)
            if chunk.isEmpty { return bytes }
            if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
            if isRegular, bytes.count < want, bytes.count == count { return bytes }
        }
        throw ConfigurationReadError(
            cause: .tooLarge,
            file: path,
            reason: "it has more than \(limit / 1_048_576) MiB"
        )
    }

    func bytes(at offset: Int, count: Int) throws(ConfigurationReadError) -> [UInt8] {
        guard holds(count, at: offset) else { throw fault("it is cut off") }
        var failure: CInt = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<count]
                )
                let got = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                guard got > 0 else { return }
                filled += got
            }
        }
        guard failure == 0 else { throw Self.refusal(failure, path: path) }
        guard bytes.count == count else { throw fault("it became shorter while it was read") }
        return bytes
    }

    /// Returns the next bytes of a file or pipe; none at the end.
    private func nextBytes(_ count: Int) throws(ConfigurationReadError) -> [UInt8] {
        var failure: CInt = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while true {
                #if canImport(Darwin)
                let got = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
                #elseif canImport(Glibc)
                let got = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                #else
                let got = Musl.read(descriptor, buffer.baseAddress, buffer.count)
                #endif
                if got >= 0 {
                    filled = got
                    return
                }
                if errno == EINTR { continue }
                if errno == EAGAIN, Self.waits(for: descriptor) { continue }
                failure = errno
                return
            }
        }
        guard failure == 0 else { throw Self.refusal(failure, path: path) }
        return bytes
    }

    /// Waits for the writer of a pipe.
    ///
    /// False after ten seconds without data.
    private static func waits(for descriptor: CInt) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 10_000) > 0
    }

    private static func status(_ descriptor: CInt, path: String) throws(ConfigurationReadError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw refusal(errno, path: path) }
        return status
    }

    /// Returns the error for an error code of the system.
    static func refusal(_ code: CInt, path: String) -> ConfigurationReadError {
        ConfigurationReadError(
            cause: code == ENOENT || code == ENOTDIR ? .missing : .unreadable,
            file: path,
            reason: String(cString: strerror(code))
        )
    }
}

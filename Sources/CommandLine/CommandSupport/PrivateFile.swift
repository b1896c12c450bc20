import ExternalPurchaseCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Files that hold keys and secrets, which nobody but their owner needs to read.
package enum PrivateFile {
    /// Reads all of it, and warns when others than its owner may read it too.
    ///
    /// - Parameters:
    ///   - path: a file, or `-` for standard input.
    ///   - warn: takes the warning; standard error by default.
    /// - Returns: the bytes.
    /// - Throws: what is wrong with the file, exit code 2.
    package static func read(
        _ path: String,
        warn: (String) -> Void = StandardStreams.error
    ) throws(CommandFailure) -> [UInt8] {
        let bytes = try InputFile.read(path)
        if path != "-", let mode = NamedFile.permissionsIfReadableByOthers(path: path) {
            warn("warning: \(path.printable): others than its owner may read it (mode \(mode)); chmod 600 it")
        }
        return bytes
    }

    /// Writes the file whole or not at all, readable by its owner only from its first moment on.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - path: the file; an existing one is replaced.
    /// - Throws: that it cannot be written, exit code 2.
    package static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .input("\(path): cannot be written: \(String(cString: strerror(errno)))") }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { writeBytes(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        let isWhole = rest.isEmpty && fsync(descriptor) == 0
        close(descriptor)
        guard isWhole, rename(temporary, path) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(temporary)
            throw .input("\(path): cannot be written: \(reason)")
        }
    }

    private static func writeBytes(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Glibc)
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #else
        Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}

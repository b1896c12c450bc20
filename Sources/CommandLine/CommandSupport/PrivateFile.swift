import ExternalPurchaseCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Reads and writes files with keys and secrets, which should be readable by their owner only.
package enum PrivateFile {
    /// Reads a file, and warns when users other than its owner can read it.
    ///
    /// - Parameters:
    ///   - path: a file, or `-` for standard input.
    ///   - warn: receives the warning; writes to standard error by default.
    /// - Returns: the bytes.
    /// - Throws: the problem with the file, exit code 2; a text that may be the secret itself is not part of the message.
    package static func read(
        _ path: String,
        warn: (String) -> Void = StandardStreams.error
    ) throws(CommandFailure) -> [UInt8] {
        let bytes = try InputFile.read(path, name: path == "-" ? nil : NamedFile.shown(secretFile: path))
        if path != "-" { warnIfReadableByOthers(path, warn: warn) }
        return InputFile.withoutMark(bytes)
    }

    /// Warns when users other than its owner can read a file.
    package static func warnIfReadableByOthers(_ path: String, warn: (String) -> Void = StandardStreams.error) {
        guard let mode = NamedFile.permissionsIfReadableByOthers(path: path) else { return }
        warn("warning: \(path.printable): others than its owner may read it (mode \(mode)); chmod 600 it")
    }

    /// Writes a file atomically; it is created with read permission for its owner only.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - path: the file; an existing one of the same kind is replaced.
    ///   - option: the option that names the file, for messages.
    /// - Throws: an error when the file cannot be written, exit code 2.
    package static func write(
        _ bytes: [UInt8],
        to path: String,
        option: String? = nil
    ) throws(CommandFailure) {
        var left: [UInt8]? = bytes
        try write(to: path, option: option) { () throws(CommandFailure) in left.take() }
    }

    /// Writes a file block by block; see ``write(_:to:option:)``.
    ///
    /// - Parameter next: returns the next bytes; nil at the end.
    /// - Throws: an error when the file cannot be written, exit code 2, and any of `next`; the file is then as before.
    package static func write(
        to path: String,
        option: String? = nil,
        blocks next: () throws(CommandFailure) -> [UInt8]?
    ) throws(CommandFailure) {
        let name = (option.map { "\($0) " } ?? "") + path
        var block = try next()
        try FileKind.check(replacing: path, with: block.flatMap { FileKind(of: $0) } ?? .text, name: name)
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .input("\(name): cannot be written: \(String(cString: strerror(errno)))") }
        var isWhole = true
        do throws(CommandFailure) {
            while isWhole, let bytes = block {
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes { writeBytes(descriptor, $0) }
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { break }
                    rest = rest.dropFirst(count)
                }
                isWhole = rest.isEmpty
                block = try next()
            }
        } catch {
            close(descriptor)
            unlink(temporary)
            throw error
        }
        if isWhole { isWhole = fsync(descriptor) == 0 }
        let reason = String(cString: strerror(errno))
        close(descriptor)
        guard isWhole, rename(temporary, path) == 0 else {
            let found = isWhole ? String(cString: strerror(errno)) : reason
            unlink(temporary)
            throw .input("\(name): cannot be written: \(found)")
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

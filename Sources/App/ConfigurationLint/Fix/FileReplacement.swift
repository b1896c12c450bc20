#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Why the content of a file was not replaced.
///
/// The file is unchanged.
package struct FileReplacementError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The steps that can fail.
    enum Step: String, Hashable, Sendable {
        /// The file does not exist, or a link has no target.
        case find
        /// The path is not a file, or this user must not write it.
        case refuse
        /// The new content could not be written to a file beside the old one.
        case write
        /// The new file could not replace the old one.
        case rename
    }

    /// The step that failed.
    let step: Step
    /// The path as the caller gave it.
    package let file: String
    /// The system's description of the error.
    package let reason: String

    /// The error with a remedy, in a format that editors recognise.
    package var description: String {
        let hint =
            switch step {
            case .find: "Check the path."
            case .refuse: "Give a file that this user may write."
            case .write, .rename: "Check the permissions of its folder and the free space."
            }
        return "\(file): error: \(file) cannot be written and is unchanged: \(reason). \(hint)"
    }
}

/// Replaces the content of a file atomically.
///
/// The content is written to a new file beside the old one. The new file gets the permissions of the old one and, if
/// the system allows it, its owner and group, and then replaces it. If the path is a symbolic link, its target is
/// replaced. Other hard links keep the old content.
///
/// - Parameters:
///   - path: the file, which must exist.
///   - bytes: the new content.
/// - Throws: ``FileReplacementError``. The file then has its old content.
package func replaceFile(at path: String, with bytes: [UInt8]) throws(FileReplacementError) {
    func failure(_ step: FileReplacementError.Step, _ reason: String? = nil) -> FileReplacementError {
        FileReplacementError(step: step, file: path, reason: reason ?? String(cString: strerror(errno)))
    }
    guard let resolved = realpath(path, nil) else { throw failure(.find) }
    defer { free(resolved) }
    let target = String(cString: resolved)
    var status = stat()
    guard stat(target, &status) == 0 else { throw failure(.find) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw failure(.refuse, "it is not a regular file") }
    guard access(target, W_OK) == 0 else { throw failure(.refuse) }

    let folder = target.lastIndex(of: "/").map { target[...$0] } ?? ""
    var name = Array("\(folder).external-purchase.XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw failure(.write) }
    var failed: FileReplacementError?
    if !writeAll(bytes, to: descriptor) { failed = failure(.write) }
    // A process may be unable to keep the owner of another user's file. The file then belongs to the current user.
    if failed == nil { _ = fchown(descriptor, status.st_uid, status.st_gid) }
    if failed == nil, fchmod(descriptor, status.st_mode & 0o7777) != 0 { failed = failure(.write) }
    if failed == nil, fsync(descriptor) != 0 { failed = failure(.write) }
    if close(descriptor) != 0, failed == nil { failed = failure(.write) }
    if failed == nil, rename(name, target) != 0 { failed = failure(.rename) }
    if let failed {
        unlink(name)
        throw failed
    }
}

private func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { buffer in
        var written = 0
        while written < buffer.count {
            let count = write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }
}

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A file that has a temporary name until it is complete: its path, `.part-` and the number of the process.
///
/// It is locked while it is written, so that what a killed process left is told from what another one writes.
package final class PartialFile: Sendable {
    /// The temporary path.
    package let path: String
    private let descriptor: Int32

    /// Creates the file, readable by its owner only, and removes what killed processes left of it.
    ///
    /// - Parameter final: the path of the complete file.
    /// - Returns: nil if it cannot be created; `errno` then has the reason.
    package init?(of final: String) {
        path = Self.path(of: final)
        Self.removeLeftovers(of: final)
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The temporary path of a file that this process writes.
    package static func path(of final: String) -> String { "\(final).part-\(getpid())" }

    /// Removes the file, and those that SQLite keeps beside a database.
    package func remove() { Self.remove(path) }

    /// Removes a file, and those that SQLite keeps beside a database.
    package static func remove(_ path: String) { for end in [""] + ends { unlink(path + end) } }

    private static let ends = ["-journal", "-wal", "-shm"]

    private static func removeLeftovers(of final: String) {
        let slash = final.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(final[...$0]) } ?? "./"
        let start = (slash.map { String(final[final.utf8.index(after: $0)...]) } ?? final) + ".part-"
        guard let entries = opendir(folder) else { return }
        defer { closedir(entries) }
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            let base =
                ends.first { name.utf8.suffix($0.utf8.count).elementsEqual($0.utf8) }
                .map { String(name.dropLast($0.count)) } ?? name
            let end = base.utf8.dropFirst(start.utf8.count)
            guard name.utf8.starts(with: start.utf8), !end.isEmpty, end.allSatisfy(\.isDigit) else { continue }
            let leftover = open(folder + base, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
            // A file beside a database that is gone; SQLite creates the database first.
            guard leftover >= 0 else {
                if base != name, errno == ENOENT { unlink(folder + name) }
                continue
            }
            defer { close(leftover) }
            if flock(leftover, LOCK_EX | LOCK_NB) == 0 { remove(folder + base) }
        }
    }
}

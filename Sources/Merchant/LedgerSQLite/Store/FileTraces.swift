import Ledger
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Searches for a text in the raw bytes of the database file.
///
/// The file stays open until the object is released, because closing any descriptor of a file releases the locks that
/// SQLite holds on it in this process (https://www.sqlite.org/howtocorrupt.html, section 2.2).
final class FileTraces: Sendable {
    private let descriptor: Int32
    private static let chunk = 1 << 20

    init(path: String) throws(LedgerError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .inaccessible("\(path): \(String(cString: strerror(errno)))") }
    }

    deinit {
        close(descriptor)
    }

    /// Whether the file contains the text or, for a long text, either half of it; SQLite may store a value in two
    /// parts.
    func hold(_ text: String) throws(LedgerError) -> Bool {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { return false }
        guard bytes.count > 64 else { return try hold(bytes) }
        let middle = bytes.count / 2
        if try hold(Array(bytes[..<middle])) { return true }
        return try hold(Array(bytes[middle...]))
    }

    private func hold(_ wanted: [UInt8]) throws(LedgerError) -> Bool {
        var buffer = [UInt8](repeating: 0, count: Self.chunk + wanted.count)
        var offset: off_t = 0
        while true {
            let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, offset) }
            guard count >= 0 else { throw .inaccessible(String(cString: strerror(errno))) }
            if Self.contains(wanted, in: buffer, count: count) { return true }
            if count < buffer.count { return false }
            offset += off_t(Self.chunk)
        }
    }

    private static func contains(_ wanted: [UInt8], in buffer: [UInt8], count: Int) -> Bool {
        guard let first = wanted.first else { return false }
        return buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return false }
            var place = 0
            while place + wanted.count <= count {
                let left = count - wanted.count + 1 - place
                guard let found = memchr(base + place, Int32(first), left) else { return false }
                place = base.distance(to: UnsafeRawPointer(found))
                if memcmp(base + place, wanted, wanted.count) == 0 { return true }
                place += 1
            }
            return false
        }
    }
}

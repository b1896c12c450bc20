#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file next to the database for visits that cannot be stored in the ledger.
///
/// Each visit is one line, which is synced to disk before the customer is redirected. Recording a visit twice is
/// harmless because the ledger stores each token once (TK-67).
package actor LandingSpool {
    private let path: String
    /// The largest size of the file in bytes, so that visits cannot fill the disk.
    private let maximumBytes: Int

    /// Creates a spool for a file, which is created when the first visit is added.
    package init(path: String, maximumBytes: Int = 64 << 20) {
        self.path = path
        self.maximumBytes = maximumBytes
    }

    /// Adds a visit.
    ///
    /// - Returns: false if the visit could not be written and synced.
    func append(_ visit: LandingVisit) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let line = visit.line
        let size = lseek(descriptor, 0, SEEK_END)
        guard size >= 0, Int(size) + line.count <= maximumBytes else { return false }
        return write(line, to: descriptor) && fsync(descriptor) == 0
    }

    /// The visits in the file.
    struct Waiting: Sendable {
        let visits: [LandingVisit]
        /// The end of each visit's line in the file.
        fileprivate let ends: [Int]
        fileprivate let byteCount: Int
    }

    /// Reads the waiting visits in order of arrival.
    func waiting() -> Waiting {
        let content = content() ?? []
        var visits: [LandingVisit] = []
        var ends: [Int] = []
        for line in content.split(separator: UInt8(ascii: "\n")) {
            guard let visit = LandingVisit(line: Array(line)) else { continue }
            visits.append(visit)
            ends.append(line.endIndex)
        }
        return Waiting(visits: visits, ends: ends, byteCount: content.count)
    }

    /// Removes the first visits after they were recorded; visits added since are not affected.
    ///
    /// - Parameters:
    ///   - count: the number of recorded visits; if it covers all visits, unreadable lines are removed too.
    ///   - waiting: the visits that were read.
    func remove(_ count: Int, of waiting: Waiting) {
        let bytes = count == waiting.visits.count ? waiting.byteCount : count > 0 ? waiting.ends[count - 1] : 0
        if bytes > 0 { drop(bytes) }
    }

    private func content() -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count <= 0 { return count == 0 ? content : nil }
            content += buffer[0..<count]
        }
    }

    /// Removes the first bytes: writes the rest to a new file and renames it over the old one.
    private func drop(_ count: Int) {
        guard let content = content() else { return }
        let rest = Array(content.dropFirst(count))
        if rest.isEmpty {
            unlink(path)
            return
        }
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let isWritten = write(rest, to: descriptor) && fsync(descriptor) == 0
        close(descriptor)
        if isWritten { rename(temporary, path) }
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Self.writeBytes(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Calls the C function, which is hidden by the method of the same name.
    private static func writeBytes(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, start, count)
        #elseif canImport(Musl)
        Musl.write(descriptor, start, count)
        #else
        Darwin.write(descriptor, start, count)
        #endif
    }
}

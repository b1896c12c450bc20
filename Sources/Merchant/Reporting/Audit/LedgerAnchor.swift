package import Ledger
package import Logging
import ServiceLifecycle

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Maintains a file outside the ledger that holds the newest head of the audit log, such as `120:9f86d0…` (OB-93).
///
/// A hash chain alone does not show that its last entries are missing; a comparison with this file does. The file is
/// never ahead of the ledger because heads are read from committed entries.
package actor LedgerAnchor: Service {
    /// The path of the anchor file for a ledger.
    package static func path(ofLedgerAt path: String) -> String { path + ".anchor" }

    private let path: String
    private let store: any LedgerStore
    private let dependencies: ReportingDependencies
    private let logger: Logger
    private var written: AuditHead?
    private var isFailing = false
    private var isContradicted = false

    /// The time between two updates of the file.
    private static let every = Duration.seconds(5)

    /// Creates an anchor.
    ///
    /// - Parameters:
    ///   - path: the path of the anchor file.
    ///   - store: the ledger.
    ///   - dependencies: used for waiting.
    ///   - logger: receives write errors.
    package init(path: String, store: any LedgerStore, dependencies: ReportingDependencies, logger: Logger) {
        self.path = path
        self.store = store
        self.dependencies = dependencies
        self.logger = logger
    }

    /// Updates the file until shutdown.
    package func run() async {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                await update()
                try? await dependencies.sleep(Self.every)
            }
        }
    }

    /// Writes the newest head if it differs from the last written one; a failure is logged once and retried.
    ///
    /// The file keeps a head that the ledger no longer contains, so that the next start refuses the ledger: a database
    /// server may come back with an older copy while this server runs.
    package func update() async {
        do {
            let noted = written
            let (entry, contradiction) = try await store.read { ledger throws(LedgerError) in
                (
                    try ledger.lastAuditEntry(),
                    try noted.flatMap { noted throws(LedgerError) in
                        try ledger.contradiction(of: noted)
                    }
                )
            }
            if let contradiction {
                if !isContradicted { logger.critical("the ledger lacks stored entries: \(contradiction)") }
                isContradicted = true
                return
            }
            guard let entry, written?.sequence != entry.sequence else { return }
            let head = AuditHead(sequence: entry.sequence, hash: entry.hash)
            try Self.write(head, to: path)
            written = head
            store.note(head)
            isFailing = false
        } catch {
            if !isFailing { logger.error("the anchor cannot be written", metadata: ["error": "\(error)"]) }
            isFailing = true
        }
    }

    /// Reads the head in an anchor file.
    ///
    /// - Returns: nil if the file does not exist.
    /// - Throws: ``UnreadableAnchor`` if the file cannot be read or contains no head.
    package static func read(_ path: String) throws(UnreadableAnchor) -> AuditHead? {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw UnreadableAnchor(description: "\(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = readBytes(descriptor, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).prefix { $0 != "\n" }
        guard let head = AuditHead(text: String(text)) else {
            throw UnreadableAnchor(description: "\(path): holds no head such as 120:9f86d0…")
        }
        return head
    }

    /// Replaces the file atomically.
    static func write(_ head: AuditHead, to path: String) throws(LedgerError) {
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .inaccessible("\(temporary): \(String(cString: strerror(errno)))") }
        let line = Array((head.text + "\n").utf8)
        let isWritten = writeBytes(descriptor, line, line.count) == line.count && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten, rename(temporary, path) == 0 else {
            let reason = errno
            unlink(temporary)
            throw .inaccessible("\(path): \(String(cString: strerror(reason)))")
        }
    }
}

/// The error for an anchor file that cannot be used.
package struct UnreadableAnchor: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file and the reason.
    package let description: String
}

// Declared outside the actor, because its methods hide the C functions of the same name.

private func readBytes(_ descriptor: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, start, count)
}

private func writeBytes(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, start, count)
}

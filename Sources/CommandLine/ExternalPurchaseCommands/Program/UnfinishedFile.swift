import CommandSupport
import Foundation
import UnixSignals

/// A file with a temporary name until it is complete, so that an incomplete file is never mistaken for a complete one.
struct UnfinishedFile {
    /// The final path.
    let path: String
    /// The temporary path.
    let temporary: String

    /// Creates the temporary file, readable by its owner only; a leftover of a killed run is removed first.
    ///
    /// - Parameters:
    ///   - path: the final path; an existing file of the same kind is replaced.
    ///   - kind: the kind of what is written.
    ///   - option: the option that names the file, for messages.
    /// - Throws: ``CommandFailure``, exit code 2.
    init(_ path: String, _ kind: FileKind, option: String) throws(CommandFailure) {
        try FileKind.check(replacing: path, with: kind, name: "\(option) \(path)")
        self.path = path
        temporary = Self.temporary(of: path)
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .input("\(option) \(path): cannot be written") }
        close(descriptor)
    }

    static func temporary(of path: String) -> String { path + ".part" }

    /// Renames the file to its final path; returns false on failure.
    func finish() -> Bool { rename(temporary, path) == 0 }

    func discard() { unlink(temporary) }

    /// Runs a command that SIGINT and SIGTERM end at once; the given files are then removed.
    static func whileRemoving<Value: Sendable>(
        _ files: [String],
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                for await signal in signals {
                    for file in files { unlink(file) }
                    exit(128 + signal.rawValue)
                }
                return nil
            }
            defer { group.cancelAll() }
            while let value = try await group.next() {
                if let value { return value }
            }
            throw CancellationError()
        }
    }
}

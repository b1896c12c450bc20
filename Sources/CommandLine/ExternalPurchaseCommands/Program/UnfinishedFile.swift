import CommandSupport
import ExternalPurchaseCore
import Foundation
import UnixSignals

/// A file with a temporary name until it is complete, so that an incomplete file is never mistaken for a complete one.
struct UnfinishedFile {
    /// The final path.
    let path: String
    /// The file under its temporary name.
    private let partial: PartialFile
    /// The temporary path.
    var temporary: String { partial.path }

    /// Creates the temporary file, readable by its owner only; what killed runs left is removed first.
    ///
    /// - Parameters:
    ///   - path: the final path; an existing file of the same kind is replaced.
    ///   - kind: the kind of what is written.
    ///   - option: the option that names the file, for messages.
    /// - Throws: ``CommandFailure``, exit code 2.
    init(_ path: String, _ kind: FileKind, option: String) throws(CommandFailure) {
        try FileKind.check(replacing: path, with: kind, name: "\(option) \(path)")
        guard let partial = PartialFile(of: path) else { throw .input("\(option) \(path): cannot be written") }
        self.path = path
        self.partial = partial
    }

    /// Renames the file to its final path; returns false on failure.
    func finish() -> Bool { rename(temporary, path) == 0 }

    func discard() { partial.remove() }

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
                    for file in files { PartialFile.remove(file) }
                    Program.end(128 + signal.rawValue)
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

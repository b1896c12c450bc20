/// The operations on files that the outbox uses, each of which can fail or be the last one of the process.
///
/// Paths are relative to the folder of the outbox.
protocol OutboxFileSystem: Sendable {
    /// Creates a folder with mode 0700 and its parents, durably; nothing happens if it exists.
    func createFolder(_ path: String) throws(StorageFailure)
    /// The names of the files in a folder, in any order.
    func names(in folder: String) throws(StorageFailure) -> [String]
    func read(_ path: String) throws(StorageFailure) -> [UInt8]
    /// Creates or replaces a file with mode 0600. Its content may be lost in a power failure until ``synchronize(_:)``.
    func write(_ bytes: [UInt8], to path: String) throws(StorageFailure)
    /// Makes the content of a file durable.
    func synchronize(_ path: String) throws(StorageFailure)
    /// Makes the names in a folder durable.
    func synchronizeFolder(_ path: String) throws(StorageFailure)
    /// Replaces the destination atomically.
    func rename(_ path: String, to destination: String) throws(StorageFailure)
    func remove(_ path: String) throws(StorageFailure)
}

extension OutboxFileSystem {
    /// Replaces a file durably: the old or the new content is there at every moment, also after a power failure.
    func replace(_ path: String, with bytes: [UInt8]) throws(StorageFailure) {
        let temporary = path + OutboxFolder.temporarySuffix
        try write(bytes, to: temporary)
        try synchronize(temporary)
        try rename(temporary, to: path)
        try synchronizeFolder(path.split(separator: "/").dropLast().joined(separator: "/"))
    }
}

/// An operation on the files of the outbox that failed.
public struct StorageFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operation.
    public enum Operation: String, Hashable, Sendable {
        /// A folder could not be created.
        case createFolder
        /// A folder could not be listed.
        case list
        /// A file could not be read.
        case read
        /// A file could not be written.
        case write
        /// A file or folder could not be made durable.
        case synchronize
        /// A file could not be renamed.
        case rename
        /// A file could not be removed.
        case remove
    }

    /// The operation.
    public let operation: Operation
    /// The system's number of the error (`errno`).
    public let code: Int32
    /// The system's description of the error.
    public let reason: String

    init(_ operation: Operation, code: Int32, reason: String) {
        self.operation = operation
        self.code = code
        self.reason = reason
    }

    /// The operation and the system's description.
    public var description: String { "\(operation.rawValue): \(reason) (\(code))" }
}

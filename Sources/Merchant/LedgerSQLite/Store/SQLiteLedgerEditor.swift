import ExternalPurchaseCore
import GRDB
package import Ledger

/// Writes small changes, such as a revoked key, to a ledger that a running server has open.
///
/// The server's lock (``FileLock``) excludes a second server, which would send reports twice. A change of this store
/// is one transaction of SQLite, which serialises it with those of the server; the server sees it at its next read.
package final class SQLiteLedgerEditor: Sendable {
    private let queue: DatabaseQueue
    private let dependencies: LedgerDependencies

    /// Opens an existing ledger of this version's schema; it is neither created nor migrated.
    ///
    /// - Parameters:
    ///   - path: the database file.
    ///   - busyTimeout: the time a statement waits for the server, in seconds.
    ///   - dependencies: time of audit entries.
    package init(
        path: String,
        busyTimeout: Double = 5,
        dependencies: LedgerDependencies = .live
    ) throws(LedgerError) {
        self.dependencies = dependencies
        guard FileManager.default.fileExists(atPath: path) else { throw .inaccessible("there is no such file") }
        do {
            var configuration = Configuration()
            configuration.foreignKeysEnabled = true
            configuration.busyMode = .timeout(busyTimeout)
            configuration.prepareDatabase {
                try $0.execute(sql: "PRAGMA secure_delete = ON")
                try $0.execute(sql: "PRAGMA synchronous = FULL")
            }
            queue = try DatabaseQueue(path: path, configuration: configuration)
            let known = try queue.read { database in
                try String.fetchAll(database, sql: "SELECT id FROM migrations ORDER BY position")
            }
            guard known == Migration.all.map(\.id) else {
                throw LedgerError.inaccessible("a server of another version has it; stop it first")
            }
        } catch {
            throw LedgerError(translating: error)
        }
    }

    /// Commits the changes of a closure durably before returning; rolls them back when the closure throws.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        do {
            return try await queue.write { [dependencies] in
                let ledger = LedgerTransaction(in: $0, dependencies: dependencies)
                let value = try body(ledger)
                try ledger.writeCollectedRows()
                return value
            }
        } catch {
            throw LedgerError(translating: error)
        }
    }

    /// Begins a change and ends it without one, to check whether a change could be stored.
    package func checkWritable() async throws(LedgerError) {
        try await write { _ throws(LedgerError) in }
    }

    /// The space available to this user in a folder, in bytes; nil if the system does not report it.
    package static func freeBytes(inFolder folder: String) -> Int64? { DatabaseFiles.freeBytes(in: folder) }

    /// Closes the file.
    package func close() throws(LedgerError) {
        do {
            try queue.close()
        } catch {
            throw LedgerError(translating: error)
        }
    }
}

package import ExternalPurchaseCore
import GRDB
package import Ledger

/// Reads the ledger of a SQLite file, even while a server writes to it.
package final class SQLiteLedgerReader: LedgerReader {
    let queue: DatabaseQueue
    // Declared after the queue, so that its file is closed after the queue's.
    private let lock: FileLock?

    /// Opens an existing ledger without changing it.
    ///
    /// - Parameters:
    ///   - path: the database file.
    ///   - excludesServers: whether no server may have the file open meanwhile.
    /// - Throws: ``LedgerError``, also for a file of an older version, which a server migrates when it starts;
    ///   ``LedgerError/inUse(path:)`` while a server has the file open and `excludesServers` is true.
    package init(path: String, excludesServers: Bool = false) throws(LedgerError) {
        guard FileManager.default.fileExists(atPath: path) else {
            throw .inaccessible("there is no such file")
        }
        lock = try excludesServers ? FileLock(path: path) : nil
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(2)
            queue = try DatabaseQueue(path: path, configuration: configuration)
            let known = try queue.read { try appliedMigrations($0, of: Migration.all) }
            guard known == Migration.all.count else {
                throw LedgerError.inaccessible(
                    "the ledger is of an older version; run `external-purchase database migrate`, or start `serve` on it"
                )
            }
        } catch let error as LedgerError {
            throw error
        } catch {
            throw LedgerError(translating: error)
        }
    }

    /// Runs a closure on one consistent state.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        do {
            let read = CancellableRead()
            return try await read {
                try await queue.read { try body(LedgerQueries(in: $0, of: read, dependencies: .live)) }
            }
        } catch {
            throw LedgerError(translating: error)
        }
    }

    package func fileFaults() async throws(LedgerError) -> [String] { try await fileFaults(limit: 5) }

    /// The errors that SQLite finds in the file, references to missing rows included, at most `limit`; empty for an intact file.
    ///
    /// Reads every page. A truncated file is detected if lost pages are in use; rows missing because the file is an
    /// older copy are not.
    func fileFaults(limit: Int) async throws(LedgerError) -> [String] {
        do {
            return try await queue.read { database in
                let said = try String.fetchAll(database, sql: "PRAGMA quick_check(\(limit))")
                guard said == ["ok"] else { return said }
                let dangling = try database.foreignKeyViolations()
                return try Array(dangling.prefix(limit)).map { violation in
                    "a row of \(violation.originTable) refers to a missing row of \(violation.destinationTable)"
                }
            }
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            return [error.message ?? error.resultCode.description]
        } catch {
            throw LedgerError(translating: error)
        }
    }

    /// Computes what a purge of everything completed before a moment would remove (OB-91); the file is not changed.
    package func purgePlan(before cut: Timestamp) async throws(LedgerError) -> PurgePlan {
        do {
            // A temporary table of this connection contains the rows that stay.
            return try await queue.writeWithoutTransaction { database in
                var plan = PurgePlan(cut: cut, removals: [])
                try database.inTransaction(.deferred) {
                    plan = try LedgerTransaction(in: database, dependencies: .live).purgePlan(before: cut)
                    return .rollback
                }
                return plan
            }
        } catch {
            throw LedgerError(translating: error)
        }
    }
}

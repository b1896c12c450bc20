import ExternalPurchaseCore
import GRDB
package import Ledger

/// The schema of a SQLite file, compared with that of this version.
package struct LedgerSchema: Hashable, Sendable {
    /// The names of the migrations that the file has.
    package let applied: [String]
    /// The names of the migrations that the file lacks, in the order in which they are applied.
    package let missing: [String]

    /// Reads the schema of a file without changing it; a file that does not exist lacks every migration.
    ///
    /// - Parameter path: the database file.
    /// - Throws: ``LedgerError``; ``LedgerError/historyDiffers(_:)`` for a ledger of a newer version.
    package init(ofDatabaseAt path: String) throws(LedgerError) {
        try self.init(ofDatabaseAt: path, comparedWith: Migration.all)
    }

    init(ofDatabaseAt path: String, comparedWith migrations: [Migration]) throws(LedgerError) {
        let all = migrations.map(\.id)
        guard FileManager.default.fileExists(atPath: path) else {
            (applied, missing) = ([], all)
            return
        }
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(2)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let count = try queue.read { try appliedMigrations($0, of: migrations) }
            try queue.close()
            (applied, missing) = (Array(all.prefix(count)), Array(all.dropFirst(count)))
        } catch {
            throw LedgerError(translating: error)
        }
    }
}

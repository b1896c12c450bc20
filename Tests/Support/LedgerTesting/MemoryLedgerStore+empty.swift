package import Ledger
package import LedgerSQLite

extension MemoryLedgerStore {
    /// An empty ledger, also for a default argument; a test that cannot have one ends.
    ///
    /// - Parameter dependencies: time and randomness of audit entries.
    package static func empty(_ dependencies: LedgerDependencies = .live) -> MemoryLedgerStore {
        do {
            return try MemoryLedgerStore(dependencies: dependencies)
        } catch {
            fatalError("no ledger in memory: \(error)")
        }
    }
}

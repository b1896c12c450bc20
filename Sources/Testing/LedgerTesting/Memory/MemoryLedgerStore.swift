package import Ledger
import Synchronization

/// A ledger that lives as long as the process, for tests and simulations.
package final class MemoryLedgerStore: LedgerStore {
    private let state = Mutex(MemoryLedger())
    private let dependencies: LedgerDependencies

    package init(dependencies: LedgerDependencies = .live) {
        self.dependencies = dependencies
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        let transaction = MemoryTransaction(state.withLock { $0 }, dependencies)
        return try body(transaction)
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        // The lock is held for the whole closure: transactions follow one another as in a database.
        let result: Result<Value, LedgerError> = state.withLock { state in
            let transaction = MemoryTransaction(state, dependencies)
            // Given up here, the transaction's copy is the only one and is changed in place.
            state = MemoryLedger()
            defer { state = transaction.ledger }
            do throws(LedgerError) {
                return .success(try body(transaction))
            } catch {
                transaction.rollBack()
                return .failure(error)
            }
        }
        return try result.get()
    }
}

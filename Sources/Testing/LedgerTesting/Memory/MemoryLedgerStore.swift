package import Ledger
import Synchronization

/// A ledger in memory, for tests and simulations.
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
        // The lock is held during the complete closure, so that transactions are serialised as in a database.
        let result: Result<Value, LedgerError> = state.withLock { state in
            let transaction = MemoryTransaction(state, dependencies)
            // The state is released here, so that the transaction has the only copy and changes it in place.
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

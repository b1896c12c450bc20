import Ledger
import Synchronization

/// A store whose writes fail by plan: before the commit, or after it, as when the machine stops at that moment.
final class FailingLedgerStore: LedgerStore {
    enum Moment: Sendable, CaseIterable {
        case beforeCommit
        case afterCommit
    }

    private let store: any LedgerStore
    private let plan = Mutex((writes: 0, failing: nil as (write: Int, moment: Moment)?))

    init(_ store: any LedgerStore) {
        self.store = store
    }

    /// Writes so far.
    var writes: Int { plan.withLock(\.writes) }

    /// Lets one of the next writes fail, counted from 0.
    func fail(write: Int, _ moment: Moment) {
        plan.withLock { $0 = (0, (write, moment)) }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await store.read(body)
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        let moment = plan.withLock { plan in
            defer { plan.writes += 1 }
            return plan.failing?.write == plan.writes ? plan.failing?.moment : nil
        }
        if moment == .beforeCommit { throw .full }
        let value = try await store.write(body)
        if moment == .afterCommit { throw .busy }
        return value
    }
}

import ExternalPurchaseCore
package import Ledger
import Synchronization

/// A store in front of another one that fails where it is told to: at one step of a transaction, at the commit, or
/// after it, as when the machine stops at that moment.
package final class FaultyLedgerStore: LedgerStore {
    /// Where a write fails.
    package enum Fault: Hashable, Sendable {
        /// At one of its steps, counted from 0: a question, a change, or an entry of the audit log.
        case step(Int)
        /// After every step, with nothing committed.
        case commit
        /// After the commit, so that the caller does not learn of it.
        case answer
    }

    private let base: any LedgerStore
    private let plan = Mutex((fault: Fault?.none, hasFailed: false))
    private let rows = Atomic(0)

    package init(_ base: any LedgerStore) {
        self.base = base
    }

    /// Lets the next write fail; nil lets it through.
    package func failNextWrite(at fault: Fault?) {
        plan.withLock { $0 = (fault, false) }
    }

    /// True when the fault that was asked for last has happened: a write may have fewer steps.
    package var hasFailed: Bool { plan.withLock(\.hasFailed) }

    /// How many tokens, sales, versions and reports the lists of all writes so far held: what a transaction costs beside
    /// its single rows.
    package var rowsListed: Int { rows.load(ordering: .relaxed) }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await base.read(body)
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        let fault = plan.withLock { plan in
            defer { plan.fault = nil }
            return plan.fault
        }
        let value = try await base.write { ledger throws(LedgerError) in
            var failingStep: Int?
            if case .step(let step) = fault { failingStep = step }
            let value = try body(
                FaultyTransaction(ledger, failingAt: failingStep, self.note) { count in
                    self.rows.add(count, ordering: .relaxed)
                }
            )
            if fault == .commit { throw self.note() }
            return value
        }
        if fault == .answer { throw note() }
        return value
    }

    package func removeTraces(of text: String) async throws(LedgerError) {
        try await base.removeTraces(of: text)
    }

    private func note() -> LedgerError {
        plan.withLock { $0.hasFailed = true }
        return .failed("a fault that was asked for")
    }
}

/// A transaction that counts its steps and the rows of its lists.
final class FaultyTransaction: LedgerTransaction {
    let base: any LedgerTransaction
    private let failingStep: Int?
    private let fail: () -> LedgerError
    private let count: (Int) -> Void
    private var steps = 0

    init(
        _ base: any LedgerTransaction,
        failingAt step: Int?,
        _ fail: @escaping () -> LedgerError,
        count: @escaping (Int) -> Void
    ) {
        self.base = base
        failingStep = step
        self.fail = fail
        self.count = count
    }

    /// Counts the rows of a list.
    func note<Row>(_ rows: [Row]) -> [Row] {
        count(rows.count)
        return rows
    }

    var dependencies: LedgerDependencies { base.dependencies }

    func step() throws(LedgerError) {
        defer { steps += 1 }
        if steps == failingStep { throw fail() }
    }

    func apply(_ change: AuditedChange) throws(LedgerError) -> Int64 {
        try step()
        return try base.apply(change)
    }

    func append(_ entry: AuditEntry) throws(LedgerError) {
        try step()
        try base.append(entry)
    }
}

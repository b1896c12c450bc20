package import Ledger
import Synchronization

/// Wraps a store and injects failures according to a plan.
///
/// A transaction can fail before it begins, at one of its steps, at the commit, or after it, as in a crash.
package final class FaultyLedgerStore: LedgerStore {
    private let base: any LedgerStore
    private let plan: any LedgerFaultPlan
    private let writeCounter = Atomic(0)
    private let faultCounter = Atomic(0)
    private let rows = Atomic(0)
    private let everything = Atomic(0)
    private let stepCounter = Atomic(0)

    package init(_ base: any LedgerStore, _ plan: any LedgerFaultPlan) {
        self.base = base
        self.plan = plan
    }

    /// The number of requested writes.
    package var writes: Int { writeCounter.load(ordering: .relaxed) }

    /// The number of injected faults; a write may end before the step at which it should fail.
    package var faults: Int { faultCounter.load(ordering: .relaxed) }

    /// The total number of tokens, sales, versions and reports in the lists that all writes have read.
    ///
    /// It measures the cost of a transaction besides its single rows.
    package var rowsListed: Int { rows.load(ordering: .relaxed) }

    /// The total number of queries, and of rows in all their lists, that all writes have read.
    ///
    /// It measures the cost of a computation that runs in a write.
    package var work: Int { everything.load(ordering: .relaxed) }
    /// The total number of queries and changes of all writes.
    package var steps: Int { stepCounter.load(ordering: .relaxed) }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        switch plan.nextRead() {
        case nil: return try await base.read(body)
        case .error(let error): throw note(error)
        case .endless:
            return try await base.read { ledger throws(LedgerError) in
                while true { _ = try ledger.lastAuditEntry() }
            }
        }
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        writeCounter.add(1, ordering: .relaxed)
        let fault = plan.nextWrite()
        if let fault, fault.point == .start { throw note(fault.error) }
        let value = try await base.write { ledger throws(LedgerError) in
            let value = try body(FaultyTransaction(ledger, fault, of: self))
            if let fault, fault.point == .commit { throw self.note(fault.error) }
            return value
        }
        if let fault, fault.point == .answer { throw note(fault.error) }
        if let error = plan.nextAnswer() { throw note(error) }
        return value
    }

    package func removeTraces(of text: String) async throws(LedgerError) {
        try await base.removeTraces(of: text)
    }

    fileprivate func note(_ error: LedgerError) -> LedgerError {
        faultCounter.add(1, ordering: .relaxed)
        return error
    }

    fileprivate func count(_ listed: Int) {
        rows.add(listed, ordering: .relaxed)
    }

    fileprivate func countWork(_ number: Int) {
        everything.add(number, ordering: .relaxed)
    }
    fileprivate func countStep() { stepCounter.add(1, ordering: .relaxed) }
}

/// A transaction that counts its steps and the rows of its lists.
final class FaultyTransaction: LedgerTransaction {
    let base: any LedgerTransaction
    private let fault: LedgerFault?
    private let store: FaultyLedgerStore
    private var steps = 0

    init(_ base: any LedgerTransaction, _ fault: LedgerFault?, of store: FaultyLedgerStore) {
        self.base = base
        self.fault = fault
        self.store = store
    }

    /// Counts the rows of a list and returns them.
    func note<Row>(_ rows: [Row]) -> [Row] {
        store.count(rows.count)
        return read(rows)
    }

    /// Counts the rows of a list as work only, and returns them.
    func read<Row>(_ rows: [Row]) -> [Row] {
        count(rows.count)
        return rows
    }

    /// Counts rows as work only.
    func count(_ rows: Int) { store.countWork(rows) }

    var dependencies: LedgerDependencies { base.dependencies }

    func step() throws(LedgerError) {
        store.countStep()
        defer { steps += 1 }
        store.countWork(1)
        if let fault, fault.point == .step(steps) { throw store.note(fault.error) }
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

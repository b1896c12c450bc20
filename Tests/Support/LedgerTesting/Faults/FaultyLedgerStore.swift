import ExternalPurchaseCore
package import Ledger
import Synchronization

/// Wraps a store and injects failures according to a plan.
///
/// A transaction can fail before it begins, before or after one of its statements, at the commit, or after it, as in a crash.
package final class FaultyLedgerStore: LedgerStore {
    private let base: any LedgerStore
    private let plan: any LedgerFaultPlan
    private let writeCounter = Atomic(0)
    private let faultCounter = Atomic(0)
    private let statementCounter = Atomic(0)
    private let rowCounter = Atomic(0)

    package init(_ base: any LedgerStore, _ plan: any LedgerFaultPlan) {
        self.base = base
        self.plan = plan
    }

    /// The number of requested writes.
    package var writes: Int { writeCounter.load(ordering: .relaxed) }

    /// The number of injected faults; a write may end before the step at which it should fail.
    package var faults: Int { faultCounter.load(ordering: .relaxed) }

    /// The total number of statements of all writes.
    package var statements: Int { statementCounter.load(ordering: .relaxed) }

    /// The total number of rows that all writes have read.
    package var rows: Int { rowCounter.load(ordering: .relaxed) }

    /// The total number of statements and of rows, which measures the cost of a computation that runs in a write.
    package var work: Int { statements + rows }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
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
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        writeCounter.add(1, ordering: .relaxed)
        let fault = plan.nextWrite()
        if let fault, fault.point == .start { throw note(fault.error) }
        let value = try await base.write { ledger throws(LedgerError) in
            let faulty = ledger.on { FaultyConnection($0, fault, of: self) }
            let value = try body(faulty)
            try faulty.writeCollectedRows()
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

    fileprivate func countStatement() { statementCounter.add(1, ordering: .relaxed) }

    fileprivate func countRows(_ number: Int) { rowCounter.add(number, ordering: .relaxed) }
}

/// A connection that counts statements and rows, and fails before or after one of its statements.
private final class FaultyConnection: SQLConnection {
    private let base: any SQLConnection
    private let fault: LedgerFault?
    private let store: FaultyLedgerStore
    private var number = 0

    init(_ base: any SQLConnection, _ fault: LedgerFault?, of store: FaultyLedgerStore) {
        self.base = base
        self.fault = fault
        self.store = store
    }

    private func statement<Value>(_ body: () throws(LedgerError) -> Value) throws(LedgerError) -> Value {
        let number = number
        self.number += 1
        store.countStatement()
        if let fault, fault.point == .statement(number) { throw store.note(fault.error) }
        let value = try body()
        if let fault, fault.point == .afterStatement(number) { throw store.note(fault.error) }
        return value
    }

    func each(
        _ sql: String,
        _ arguments: SQLArguments,
        _ body: (any SQLRow) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        try statement { () throws(LedgerError) in
            try base.each(sql, arguments) { row throws(LedgerError) in
                store.countRows(1)
                try body(row)
            }
        }
    }

    func scan(
        _ sql: String,
        _ arguments: SQLArguments,
        _ body: (any SQLRow) throws(LedgerError) -> Bool
    ) throws(LedgerError) {
        try statement { () throws(LedgerError) in
            try base.scan(sql, arguments) { row throws(LedgerError) in
                store.countRows(1)
                return try body(row)
            }
        }
    }

    func rows(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> [any SQLRow] {
        try statement { () throws(LedgerError) in
            let rows = try base.rows(sql, arguments)
            store.countRows(rows.count)
            return rows
        }
    }

    var answersTogether: Bool { base.answersTogether }

    func rows(
        ofEach queries: [(sql: String, arguments: [SQLArguments])]
    ) throws(LedgerError) -> [[[any SQLRow]]] {
        var answers: [[[any SQLRow]]] = []
        for query in queries {
            if query.arguments.isEmpty {
                answers.append([])
                continue
            }
            answers += try statement { () throws(LedgerError) in try base.rows(ofEach: [query]) }
            store.countRows(answers.last?.reduce(0) { $0 + $1.count } ?? 0)
        }
        return answers
    }

    func each(
        _ sql: String,
        withEach arguments: [SQLArguments],
        _ body: (Int, any SQLRow) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        try statement { () throws(LedgerError) in
            try base.each(sql, withEach: arguments) { place, row throws(LedgerError) in
                store.countRows(1)
                try body(place, row)
            }
        }
    }

    func run(_ sql: String, _ arguments: SQLArguments) throws(LedgerError) -> Int {
        try statement { () throws(LedgerError) in try base.run(sql, arguments) }
    }

    func perform(_ sql: String, withEach arguments: [SQLArguments]) throws(LedgerError) {
        try statement { () throws(LedgerError) in try base.perform(sql, withEach: arguments) }
    }

    func insert(_ sql: String, _ arguments: SQLArguments, returning column: String) throws(LedgerError) -> Int64 {
        try statement { () throws(LedgerError) in try base.insert(sql, arguments, returning: column) }
    }

    func reserveNumbers(_ count: Int, of table: String, _ column: String) throws(LedgerError) -> [Int64] {
        try base.reserveNumbers(count, of: table, column)
    }

    func serverTime() throws(LedgerError) -> Timestamp? { try base.serverTime() }
}

package import Ledger

/// A ledger store that recomputes changed deadlines with every commit, those of a group of closures together.
///
/// ``recalculate(limit:)`` computes deadlines of earlier rules, and those of a ledger that has none yet.
package struct DeadlineMaintainingStore: LedgerStore {
    private let base: any LedgerStore
    let calculator: DeadlineCalculator
    private let dependencies: ReportingDependencies
    /// Whether this server decides by which rules deadlines are computed.
    ///
    /// Servers with different rules would otherwise compute each other's deadlines again and again (SA-79).
    private let decidesOnRules: @Sendable () -> Bool
    /// What every write proves first; nil for a server that has the ledger alone, and for work without a lease.
    private var claim: LeaseClaim?

    /// Creates a store on top of another one.
    package init(
        _ base: any LedgerStore,
        calculator: DeadlineCalculator,
        dependencies: ReportingDependencies,
        decidesOnRules: @escaping @Sendable () -> Bool = { true }
    ) {
        self.base = base
        self.calculator = calculator
        self.dependencies = dependencies
        self.decidesOnRules = decidesOnRules
    }

    /// Returns the store for work under a lease: a write fails if another server holds it (SA-76).
    func under(_ claim: LeaseClaim?) -> Self {
        var store = self
        store.claim = claim
        return store
    }

    package var isShared: Bool { base.isShared }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await base.read(body)
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await write(expecting: nil, body)
    }

    package func write<Value: Sendable>(
        expecting rows: ExpectedRows?,
        _ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await base.write(expecting: rows) { [self] ledger throws(LedgerError) in
            if let claim { try ledger.require(claim) }
            ledger.computeDeadlines { [self] ledger throws(LedgerError) in try computeChangedDeadlines(in: ledger) }
            return try body(ledger)
        }
    }

    package func removeTraces(of text: String) async throws(LedgerError) { try await base.removeTraces(of: text) }

    package func note(_ head: AuditHead) { base.note(head) }

    package func checkWritable() async throws(LedgerError) { try await base.checkWritable() }

    package var freeBytes: Int64? { base.freeBytes }

    /// Computes deadlines of rows that changed, that have none, or whose deadline was computed with other rules.
    ///
    /// - Parameter limit: the largest number of rows per commit.
    /// - Returns: true if there may be more rows.
    package func recalculate(limit: Int) async throws(LedgerError) -> Bool {
        let version = calculator.version
        let isUpToDate = try await base.read { ledger throws(LedgerError) in
            guard let rules = try ledger.deadlineRules(), rules.version == version else { return false }
            let changed = try ledger.changedDeadlines(limit: 1)
            let outdated = try ledger.deadlines(ofRulesBefore: rules.id, limit: 1)
            return changed.isEmpty && outdated.isEmpty
        }
        if isUpToDate { return false }
        return try await base.write { [self] ledger throws(LedgerError) in
            if let claim { try ledger.require(claim) }
            let rules = try currentRules(in: ledger)
            let changed = try ledger.changedDeadlines(limit: limit)
            let outdated = try ledger.deadlines(ofRulesBefore: rules.id, limit: limit - changed.count)
            try compute(changed + outdated, rules, in: ledger)
            return changed.count + outdated.count == limit
        }
    }

    /// The largest number of deadlines that one commit computes; a later commit or the sender computes the others.
    private static let mostOfACommit = 2_000

    private func computeChangedDeadlines(in ledger: LedgerTransaction) throws(LedgerError) {
        // The elected server computes what this one leaves marked.
        if !decidesOnRules() {
            guard try ledger.deadlineRules()?.version == calculator.version else { return }
        }
        let page = 500
        for _ in 0..<Self.mostOfACommit / page {
            let changed = try ledger.changedDeadlines(limit: page)
            if changed.isEmpty { return }
            try compute(changed, try currentRules(in: ledger), in: ledger)
            if changed.count < page { return }
        }
    }

    private func compute(
        _ rows: [(subject: StoredDeadline.Subject, row: OpenRow?)],
        _ rules: StoredDeadlineRules,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        var deadlines: [StoredDeadline.Subject: StoredDeadline?] = [:]
        for (subject, row) in rows { deadlines[subject] = .some(row.flatMap(calculator.deadline)) }
        try ledger.setDeadlines(deadlines, by: rules.id)
    }

    private func currentRules(in ledger: LedgerTransaction) throws(LedgerError) -> StoredDeadlineRules {
        if let rules = try ledger.deadlineRules(), rules.version == calculator.version { return rules }
        return try ledger.adoptDeadlineRules(calculator.version, at: dependencies.now())
    }
}

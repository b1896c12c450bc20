import ExternalPurchaseCore
import Ledger
import ReportPlanning

/// Scans unreported tokens and sales for alerts.
///
/// The scan takes time proportional to their number, so metrics reuse its result.
actor DeadlineScanner {
    /// What was seen.
    struct Seen: Sendable {
        var look: DueLook
        /// Steps that were not told before, the first of them; empty when nobody asked.
        var new: [DueLook.Passed] = []
        /// True when more are new than are kept.
        var hasMore = false
        /// Everything past a step that was told, as ``DueLook/Passed/mark``.
        var told: Set<Int> = []
        var takenAt = ContinuousClock.now
        var took = Duration.zero
    }

    private let store: any LedgerStore
    private nonisolated let due: LedgerDue
    private let dependencies: ReportingDependencies
    private var last: Seen?
    private var running: Task<Result<Seen, LedgerError>, Never>?

    init(store: any LedgerStore, due: LedgerDue, dependencies: ReportingDependencies) {
        self.store = store
        self.due = due
        self.dependencies = dependencies
    }

    nonisolated var rules: DueRules { due.rules }

    /// Looks now, for steps that were not told.
    ///
    /// - Parameters:
    ///   - known: what is surely told; spares the question to the ledger.
    ///   - limit: most steps that are kept.
    ///   - isTold: false leaves a step out, by the clock of the look.
    func look(
        known: Set<Int>,
        limit: Int,
        isTold: @escaping @Sendable (DueLook.Passed, Timestamp) -> Bool
    ) async throws(LedgerError) -> Seen {
        try await take { ledger, passed, seen throws(LedgerError) in
            let mark = passed.mark
            if known.contains(mark) {
                seen.told.insert(mark)
            } else if isTold(passed, seen.look.now) {
                let id = AlertEvent.id(of: passed.subject, passed.step)
                if try !ledger.alertsTold(among: [id]).isEmpty {
                    seen.told.insert(mark)
                } else if seen.new.count < limit {
                    seen.new.append(passed)
                } else {
                    seen.hasMore = true
                }
            }
        }
    }

    /// What was seen last, or a new look when that is older than allowed and than twenty times what it took.
    func recent(within age: Duration) async throws(LedgerError) -> Seen {
        if let last, last.takenAt.duration(to: .now) <= max(age, last.took * 20) { return last }
        // A caller that asks while a scan runs gets its result.
        if let running { return try await running.value.get() }
        return try await take { _, _, _ in }
    }

    private func take(
        _ body: @escaping @Sendable (any LedgerQueries, DueLook.Passed, inout Seen) throws(LedgerError) -> Void
    ) async throws(LedgerError) -> Seen {
        let (store, due, now) = (store, due, dependencies.now())
        let task = Task<Result<Seen, LedgerError>, Never> {
            let begin = ContinuousClock.now
            do throws(LedgerError) {
                return .success(
                    try await store.read { ledger throws(LedgerError) in
                        var seen = Seen(look: DueLook(settings: due.rules.settings, now: now))
                        try due.eachOpen(at: now, in: ledger) { subject, moment throws(LedgerError) in
                            if let passed = seen.look.look(at: subject, due: moment) {
                                try body(ledger, passed, &seen)
                            }
                        }
                        seen.takenAt = .now
                        seen.took = begin.duration(to: seen.takenAt)
                        return seen
                    }
                )
            } catch {
                return .failure(error)
            }
        }
        running = task
        let result = await task.value
        running = nil
        if case .success(let seen) = result { last = seen }
        return try result.get()
    }
}

extension DueLook.Passed {
    /// Subject and step as one number, the same as long as the process lives.
    var mark: Int {
        var hasher = Hasher()
        hasher.combine(subject.bundleId)
        hasher.combine(subject.isToken)
        switch subject {
        case .token(let token): hasher.combine(token.id)
        case .lineItem(let item): hasher.combine(item.id)
        }
        hasher.combine(step)
        return hasher.finalize()
    }
}

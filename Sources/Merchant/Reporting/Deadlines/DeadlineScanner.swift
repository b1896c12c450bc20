import ExternalPurchaseCore
import Ledger

/// Finds unreported tokens and sales that have passed a step towards their deadline (OB-51).
///
/// Only rows that have passed a step are read.
struct DeadlineScanner: Sendable {
    /// A subject that has passed a step.
    struct Passed: Sendable {
        let subject: DeadlineSubject
        /// The most urgent step passed; never `open` or `unconfirmed`.
        let step: DeadlineState
        let at: Timestamp
        /// A hash of subject and step, stable within the process.
        let mark: Int
    }

    /// The result of a scan.
    struct Scan: Sendable {
        let now: Timestamp
        /// The passed steps without an alert, up to the limit.
        var new: [Passed] = []
        /// True if there are more than the limit.
        var hasMore = false
        /// The marks of all passed steps that have an alert.
        var alerted: Set<Int> = []
        var duration = Duration.zero
    }

    let store: any LedgerStore
    let calculator: DeadlineCalculator
    let dependencies: ReportingDependencies

    /// Scans for passed steps without an alert.
    ///
    /// - Parameters:
    ///   - known: marks that have an alert; the ledger is not queried for them.
    ///   - limit: the largest number of steps in the result.
    ///   - isIncluded: returns false for a step to skip.
    func scan(
        known: Set<Int>,
        limit: Int,
        where isIncluded: @escaping @Sendable (Passed, Timestamp) -> Bool
    ) async throws(LedgerError) -> Scan {
        let (calculator, now, begin) = (calculator, dependencies.now(), ContinuousClock.now)
        let states = DeadlineClassifier(at: now, warnDays: calculator.rules.settings.warnDays)
        return try await store.read { ledger throws(LedgerError) in
            var scan = Scan(now: now)
            var candidates: [Candidate] = []
            func add(_ subject: StoredDeadline.Subject, dueAt: Timestamp) {
                guard let (step, at) = states.passedStep(of: dueAt) else { return }
                let candidate = Candidate(subject: subject, step: step, at: at)
                if known.contains(candidate.mark) {
                    scan.alerted.insert(candidate.mark)
                } else {
                    candidates.append(candidate)
                }
            }
            let rules = try ledger.deadlineRules().flatMap { $0.version == calculator.version ? $0.id : nil }
            if let rules {
                try ledger.eachDeadline(before: states.firstOpen, by: rules) { listed throws(LedgerError) in
                    if let dueAt = listed.position.dueAt { add(listed.position.subject, dueAt: dueAt) }
                }
            }
            try ledger.eachOutdatedDeadline(notBy: rules) { subject, row throws(LedgerError) in
                guard let deadline = row.flatMap(calculator.deadline), !deadline.isUnconfirmed,
                    let dueAt = deadline.dueAt
                else { return }
                add(subject, dueAt: dueAt)
            }
            let blockedApps = try calculator.classifier.blockedApps(in: ledger)
            candidates.sort { $0.subject < $1.subject }
            for page in candidates.pages(of: 500) where !scan.hasMore {
                let rows = try ledger.openRows(of: page.map(\.subject))
                let passed = page.compactMap { candidate in
                    rows[candidate.subject]
                        .flatMap { calculator.subject(of: $0, blockedApps: blockedApps, at: now) }
                        .map { Passed(subject: $0, step: candidate.step, at: candidate.at, mark: candidate.mark) }
                }
                .filter { isIncluded($0, now) }
                let ids = passed.map { AlertEvent.id(of: $0.subject, $0.step) }
                let alerted = try ledger.recordedAlerts(among: ids)
                for (step, id) in zip(passed, ids) {
                    if alerted.contains(id) {
                        scan.alerted.insert(step.mark)
                    } else if scan.new.count < limit {
                        scan.new.append(step)
                    } else {
                        scan.hasMore = true
                    }
                }
            }
            scan.duration = begin.duration(to: .now)
            return scan
        }
    }

    private struct Candidate {
        let subject: StoredDeadline.Subject
        let step: DeadlineState
        let at: Timestamp

        var mark: Int {
            var hasher = Hasher()
            hasher.combine(subject)
            hasher.combine(step)
            return hasher.finalize()
        }
    }
}

extension Array {
    /// Splits the array into slices of a size.
    fileprivate func pages(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}

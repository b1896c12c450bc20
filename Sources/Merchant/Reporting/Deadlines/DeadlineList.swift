package import ExternalPurchaseCore
package import Ledger

/// A page of the due list, sorted by urgency, with the counts of all matching entries (OB-51).
package struct DeadlinePage: Sendable {
    package let classifier: DeadlineClassifier
    package let settings: DeadlineSettings
    /// The counts of everything that matches the filter.
    package let counts: DeadlineCounts
    /// The number of entries that match filter and bound, regardless of the limit.
    package let matching: Int
    package let entries: [(position: DeadlinePosition, entry: DeadlineEntry)]
    /// True if more entries follow.
    package let isCut: Bool

    /// Returns the page with other counts.
    func counting(_ counts: DeadlineCounts) -> DeadlinePage {
        DeadlinePage(
            classifier: classifier,
            settings: settings,
            counts: counts,
            matching: counts.total,
            entries: entries,
            isCut: isCut
        )
    }

    /// Returns the page of two filters of which no entry matches both.
    func merged(with other: DeadlinePage, limit: Int) -> DeadlinePage {
        let all = (entries + other.entries).sorted { $0.position < $1.position }
        return DeadlinePage(
            classifier: classifier,
            settings: settings,
            counts: counts.adding(other.counts),
            matching: matching + other.matching,
            entries: Array(all.prefix(limit)),
            isCut: isCut || other.isCut || all.count > limit
        )
    }
}

extension DeadlineCalculator {
    /// Reads a page of the due list.
    ///
    /// Apart from the counts, time and memory grow with the limit only. Deadlines that were computed with other rules
    /// are recomputed during the read.
    ///
    /// - Parameters:
    ///   - filter: the entries to count and list.
    ///   - limit: the largest number of entries.
    ///   - position: the last entry of the previous page; nil starts at the first entry.
    ///   - bound: if set, lists only entries that are late at that time when nothing is sent before it.
    ///   - counting: whether all entries are counted.
    ///   - now: the current time.
    ///   - ledger: the ledger.
    package func page(
        matching filter: ListFilter = ListFilter(),
        limit: Int,
        after position: DeadlinePosition? = nil,
        lateBy bound: Timestamp? = nil,
        counting: Bool = true,
        at now: Timestamp,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> DeadlinePage {
        let states = DeadlineClassifier(at: now, warnDays: rules.settings.warnDays)
        let (blockedApps, limit) = (try classifier.blockedApps(in: ledger), max(0, limit))
        var query = self.query(at: now, blockedApps: blockedApps)
        query.restrict(to: filter, states)
        let listed = bound.map(query.late) ?? query
        let stored = try ledger.deadlineRules().flatMap { $0.version == version ? $0.id : nil }
        var groups: [DeadlineGroup: Int] = [:]
        var (matching, page): (Int, [DeadlinePosition]) = (0, [])
        if let stored {
            if counting {
                groups = try ledger.deadlineCounts(matching: query, by: stored, boundaries: states.boundaries)
            }
            matching = groups.values.reduce(0, +)
            if bound != nil {
                matching = try ledger.deadlineCounts(matching: listed, by: stored, boundaries: [])
                    .values.reduce(0, +)
            }
            page = try ledger.deadlines(matching: listed, by: stored, after: position, limit: limit + 1)
                .map(\.position)
        }
        var computed: [DeadlinePosition] = []
        try ledger.eachOutdatedDeadline(notBy: stored) { _, row throws(LedgerError) in
            guard let row, let deadline = deadline(of: row) else { return }
            if query.matches(deadline, of: row) {
                groups[DeadlineGroup(of: deadline, in: query, boundaries: states.boundaries), default: 0] += 1
            }
            guard listed.matches(deadline, of: row) else { return }
            matching += 1
            let place = listed.position(of: deadline)
            if position.map({ $0 < place }) ?? true { computed.append(place) }
        }
        if !computed.isEmpty { page = Array((page + computed).sorted().prefix(limit + 1)) }
        let rows = try ledger.openRows(of: page.prefix(limit).map(\.subject))
        let entries = page.prefix(limit).compactMap { position in
            rows[position.subject].flatMap { subject(of: $0, blockedApps: blockedApps, at: now) }
                .map { (position, $0.entry(by: rules)) }
        }
        return DeadlinePage(
            classifier: states,
            settings: rules.settings,
            counts: DeadlineCounts(groups, states),
            matching: matching,
            entries: entries,
            isCut: page.count > limit
        )
    }

    /// The query of all deadlines; a sale that arrived while the clock was ahead has waited long enough (SA-75).
    func query(at now: Timestamp, blockedApps: [BundleId: String]) -> DeadlineQuery {
        DeadlineQuery(
            at: now,
            blockedApps: Set(blockedApps.keys),
            reviewAheadFrom: now.firstAhead + classifier.tokenWait
        )
    }

    /// Counts the rows by group.
    func counts(
        at now: Timestamp,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> (groups: [DeadlineGroup: Int], states: DeadlineClassifier) {
        let states = DeadlineClassifier(at: now, warnDays: rules.settings.warnDays)
        let query = self.query(at: now, blockedApps: try classifier.blockedApps(in: ledger))
        let stored = try ledger.deadlineRules().flatMap { $0.version == version ? $0.id : nil }
        var groups: [DeadlineGroup: Int] = [:]
        if let stored {
            groups = try ledger.deadlineCounts(matching: query, by: stored, boundaries: states.boundaries)
        }
        try ledger.eachOutdatedDeadline(notBy: stored) { _, row throws(LedgerError) in
            guard let deadline = row.flatMap(deadline) else { return }
            groups[DeadlineGroup(of: deadline, in: query, boundaries: states.boundaries), default: 0] += 1
        }
        return (groups, states)
    }

    /// Says for each app that the configuration lacks what of it is not reported; nothing where every app is known.
    package func unknownApps(
        at now: Timestamp,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> [(app: BundleId, detail: String)] {
        guard try !classifier.unknownApps(in: ledger).isEmpty else { return [] }
        return classifier.unknownApps(in: try counts(at: now, in: ledger).groups)
    }

    /// Reads all unreported tokens and sales of an app into memory, the tokens first, each sorted as in the due list.
    func subjects(
        of bundleId: BundleId,
        at now: Timestamp,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> [DeadlineSubject] {
        let blockedApps = try classifier.blockedApps(in: ledger)
        let query = self.query(at: now, blockedApps: blockedApps)
        var found: [(position: DeadlinePosition, subject: DeadlineSubject)] = []
        func add(_ row: OpenRow) {
            guard let deadline = deadline(of: row),
                let subject = subject(of: row, blockedApps: blockedApps, at: now)
            else { return }
            found.append((query.position(of: deadline), subject))
        }
        try ledger.eachOpenToken(of: bundleId) { token throws(LedgerError) in add(.token(token)) }
        try ledger.eachOpenSale(of: bundleId) { sale throws(LedgerError) in add(.sale(sale)) }
        let subjects = found.sorted { $0.position < $1.position }.map(\.subject)
        return subjects.filter(\.isToken) + subjects.filter { !$0.isToken }
    }
}

/// The counts of all open deadlines by group.
struct OpenDeadlines: Sendable {
    let groups: [DeadlineGroup: Int]
    let states: DeadlineClassifier

    /// The largest number of deadlines that are counted for each page.
    private static let few = 10_000

    /// Returns the counts of a ledger, which are reused where there are many.
    static func reused(
        _ calculator: DeadlineCalculator,
        in store: any LedgerStore,
        at now: @escaping @Sendable () -> Timestamp
    ) -> ReusedFigures<OpenDeadlines> {
        ReusedFigures(
            lifetime: { open, took in open.groups.values.reduce(0, +) > few ? took * 20 : .zero }
        ) { () throws(LedgerError) in
            let now = now()
            return try await store.read { ledger throws(LedgerError) in
                let (groups, states) = try calculator.counts(at: now, in: ledger)
                return OpenDeadlines(groups: groups, states: states)
            }
        }
    }
}

extension DeadlineCounts {
    init(_ groups: [DeadlineGroup: Int], _ states: DeadlineClassifier) {
        self.init()
        for (group, count) in groups { add(count, states.state(of: group), needsReview: group.needsReview) }
    }
}

extension DeadlineClassifier {
    /// The state of the deadlines in a group; nil if the group has no deadline.
    func state(of group: DeadlineGroup) -> DeadlineState? {
        group.isUnconfirmed ? .unconfirmed : group.bucket.map(state(ofBucket:))
    }
}

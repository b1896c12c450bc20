import ExternalPurchaseCore
import Ledger

/// A stored deadline, or a marker that one must be computed.
struct MemoryDeadline: Sendable {
    /// Nil before it is computed for the first time.
    var deadline: StoredDeadline?
    /// The id of the rules that computed it; 0 after a change of its row.
    var rules: Int64
}

// Deadlines in plain collections: every query scans all of them.
extension MemoryTransaction {
    typealias Subject = StoredDeadline.Subject

    // MARK: Lists and counts

    func deadlines(
        matching query: DeadlineQuery,
        by rules: Int64,
        after position: DeadlinePosition?,
        limit: Int
    ) throws(LedgerError) -> [ListedDeadline] {
        let found = try matching(query, by: rules).map { deadline in
            ListedDeadline(
                position: query.position(of: deadline),
                bundleId: deadline.bundleId,
                isUnconfirmed: deadline.isUnconfirmed
            )
        }
        let behind = found.filter { entry in position.map { $0 < entry.position } ?? true }
        return Array(behind.sorted { $0.position < $1.position }.prefix(max(0, limit)))
    }

    func deadlineCounts(
        matching query: DeadlineQuery,
        by rules: Int64,
        boundaries: [Timestamp]
    ) throws(LedgerError) -> [DeadlineGroup: Int] {
        var counts: [DeadlineGroup: Int] = [:]
        for deadline in try matching(query, by: rules) {
            counts[DeadlineGroup(of: deadline, in: query, boundaries: boundaries), default: 0] += 1
        }
        return counts
    }

    func eachDeadline(
        before moment: Timestamp,
        by rules: Int64,
        _ body: (ListedDeadline) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        let query = DeadlineQuery(at: moment, refusedKeys: [])
        for deadline in current(rules) where !deadline.isUnconfirmed {
            guard let dueAt = deadline.dueAt, dueAt < moment else { continue }
            try body(
                ListedDeadline(
                    position: query.position(of: deadline),
                    bundleId: deadline.bundleId,
                    isUnconfirmed: false
                )
            )
        }
    }

    private func current(_ rules: Int64) -> [StoredDeadline] {
        ledger.deadlines.values.filter { $0.rules == rules }.compactMap(\.deadline)
    }

    private func matching(_ query: DeadlineQuery, by rules: Int64) throws(LedgerError) -> [StoredDeadline] {
        let deadlines = current(rules)
        let rows = try openRows(of: deadlines.map(\.subject))
        return deadlines.filter { deadline in rows[deadline.subject].map { query.matches(deadline, of: $0) } ?? false }
    }

    // MARK: Queues

    func tokensToAnswer(
        in scope: ReportingScope,
        until moment: Timestamp,
        after position: SendPosition?,
        limit: Int
    ) -> [(position: SendPosition, token: ExternalPurchaseId)] {
        queue(of: scope, lineItems: false).filter { place in
            place.sendAt <= moment && position.map { $0 < place } ?? true
        }
        .prefix(max(0, limit)).map { place in
            (place, ledger.tokens[Int(place.sequence) - 1].token.externalPurchaseId)
        }
    }

    func nextTokenToAnswer(in scope: ReportingScope, after position: SendPosition?) -> Timestamp? {
        queue(of: scope, lineItems: false).first { place in position.map { $0 < place } ?? true }?.sendAt
    }

    func tokensWithSalesToSend(
        in scope: ReportingScope,
        until moment: Timestamp,
        limit: Int
    ) -> [ExternalPurchaseId] {
        var found: [ExternalPurchaseId] = []
        for place in queue(of: scope, lineItems: true) where place.sendAt <= moment && found.count < limit {
            let token = ledger.sales[Int(place.sequence) - 1].attribution.externalPurchaseId
            if let token, !found.contains(token) { found.append(token) }
        }
        return found
    }

    func nextSaleToSend(in scope: ReportingScope, after moment: Timestamp) -> Timestamp? {
        queue(of: scope, lineItems: true).first { $0.sendAt > moment }?.sendAt
    }

    private func queue(of scope: ReportingScope, lineItems: Bool) -> [SendPosition] {
        ledger.deadlines.values.compactMap { stored in
            guard let deadline = stored.deadline, let sendAt = deadline.sendAt,
                deadline.subject.isLineItem == lineItems, deadline.bundleId == scope.bundleId,
                deadline.environment == scope.environment
            else { return nil }
            return SendPosition(sendAt: sendAt, sequence: deadline.subject.sequence)
        }
        .sorted()
    }

    func appsWithRefusedKey() -> Set<BundleId> {
        Set(ledger.review.filter { $0.kind == .keyRefused && $0.resolution == nil }.map(\.bundleId))
    }

    // MARK: Computation

    func deadlineRules() -> StoredDeadlineRules? { ledger.deadlineRules.last }

    func adoptDeadlineRules(_ version: String, at moment: Timestamp) -> StoredDeadlineRules {
        let rules = StoredDeadlineRules(id: Int64(ledger.deadlineRules.count + 1), version: version)
        append(rules, to: \.deadlineRules)
        return rules
    }

    func changedDeadlines(limit: Int) throws(LedgerError) -> [(subject: StoredDeadline.Subject, row: OpenRow?)] {
        try withRows(ledger.changedDeadlines.keys.sorted().prefix(max(0, limit)))
    }

    func deadlines(
        ofRulesBefore rules: Int64,
        limit: Int
    ) throws(LedgerError) -> [(subject: StoredDeadline.Subject, row: OpenRow?)] {
        let earlier = ledger.deadlines.filter { $0.value.rules < rules && $0.value.rules != 0 }
        return try withRows(earlier.keys.sorted().prefix(max(0, limit)))
    }

    func eachOutdatedDeadline(
        notBy rules: Int64?,
        _ body: (StoredDeadline.Subject, OpenRow?) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        let outdated = ledger.deadlines.filter { stored in rules.map { stored.value.rules < $0 } ?? true }
        for (subject, row) in try withRows(outdated.keys.sorted()) { try body(subject, row) }
    }

    private func withRows(
        _ subjects: some Sequence<Subject>
    ) throws(LedgerError) -> [(subject: StoredDeadline.Subject, row: OpenRow?)] {
        let open = try openRows(of: Array(subjects))
        return subjects.map { ($0, open[$0]) }
    }

    func openRows(of subjects: [Subject]) throws(LedgerError) -> [Subject: OpenRow] {
        var rows: [Subject: OpenRow] = [:]
        for subject in subjects {
            let place = Int(subject.sequence) - 1
            if subject.isLineItem {
                if let sale = openSale(at: place) { rows[subject] = .sale(sale) }
            } else if let token = openToken(at: place) {
                rows[subject] = .token(token)
            }
        }
        return rows
    }

    func setDeadline(_ deadline: StoredDeadline?, of subject: Subject, by rules: Int64) {
        set(\.deadlines, subject, deadline.map { MemoryDeadline(deadline: $0, rules: rules) })
        set(\.changedDeadlines, subject, nil)
    }

    func outdateDeadlines(of scope: DeadlineScope) {
        switch scope {
        case .token(let id, let bundleId): outdate(token: id, bundleId)
        case .newToken(let sequence):
            outdate(Subject(isLineItem: false, sequence: sequence), isOpen: true)
        case .tokenWithSales(let id, let bundleId):
            outdate(token: id, bundleId)
            for place in ledger.salePlacesByToken[AppKey(bundleId, id)] ?? [] { outdate(sale: place) }
        case .sale(let id, let bundleId):
            if let place = ledger.salePlaces[AppKey(bundleId, id)] { outdate(sale: place, mayOpen: true) }
        case .tokenOfSale(let id, let bundleId, let unaffected):
            let place = ledger.salePlaces[AppKey(bundleId, id)]
            let token = place.flatMap { ledger.sales[$0].attribution.externalPurchaseId }
            if let token, token != unaffected { outdate(token: token, bundleId) }
        case .tokenOfNewSale(let id, let bundleId):
            guard let place = ledger.salePlaces[AppKey(bundleId, id)],
                let token = ledger.sales[place].attribution.externalPurchaseId
            else { return }
            let country = ledger.sales[place].sale.purchase?.taxCountry
            let isKnown = (ledger.salePlacesByToken[AppKey(bundleId, token)] ?? []).reversed().contains { other in
                other != place && ledger.sales[other].sale.purchase?.taxCountry == country
            }
            if !isKnown { outdate(token: token, bundleId) }
        case .report(let id, let scope):
            let key = ScopeKey(scope, id)
            for place in ledger.salePlacesByReport[key] ?? [] { outdate(sale: place) }
            if let place = ledger.reportPlaces[key] {
                outdate(token: ledger.reports[place].externalPurchaseId, scope.bundleId)
            }
        case .export(let id, let bundleId):
            for place in ledger.sales.indices
            where ledger.sales[place].exportId == id && ledger.sales[place].sale.bundleId == bundleId {
                outdate(sale: place, mayOpen: true)
            }
        }
    }

    private func outdate(token id: ExternalPurchaseId, _ bundleId: BundleId) {
        guard let place = ledger.tokenPlaces[AppKey(bundleId, id)] else { return }
        outdate(Subject(isLineItem: false, sequence: Int64(place + 1)), isOpen: ledger.tokens[place].reportedAt == nil)
    }

    private func outdate(sale place: Int, mayOpen: Bool = false) {
        outdate(
            Subject(isLineItem: true, sequence: Int64(place + 1)),
            isOpen: mayOpen || ledger.sales[place].attribution.state != .recorded && ledger.sales[place].exportId == nil
        )
    }

    private func outdate(_ subject: Subject, isOpen: Bool) {
        var stored = ledger.deadlines[subject]
        if stored == nil, !isOpen { return }
        if stored?.rules == 0 { return }
        stored = stored ?? MemoryDeadline(deadline: nil, rules: 0)
        stored?.rules = 0
        set(\.deadlines, subject, stored)
        set(\.changedDeadlines, subject, true)
    }
}

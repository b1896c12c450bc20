package import ExternalPurchaseCore
package import Ledger

extension LedgerQueries {
    /// Compares every stored deadline with the one computed from its row.
    ///
    /// Deadlines that are marked as outdated are skipped.
    ///
    /// - Parameters:
    ///   - version: the version of the rules; nothing is compared when the stored deadlines follow others.
    ///   - now: the current time.
    ///   - deadline: computes the deadline of a row; nil if the row is not due.
    /// - Returns: the differences in words; empty if there are none.
    package func deadlineDifferences(
        version: String,
        at now: Timestamp,
        computing deadline: (OpenRow) -> StoredDeadline?
    ) throws(LedgerError) -> [String] {
        guard let rules = try deadlineRules(), rules.version == version else { return [] }
        let query = DeadlineQuery(at: now, blockedApps: try appsWithRefusedKey())
        var outdated: Set<StoredDeadline.Subject> = []
        try eachOutdatedDeadline(notBy: rules.id) { subject, _ throws(LedgerError) in outdated.insert(subject) }
        var (expected, queues): ([ListedDeadline], [ReportingScope: [SendPosition]]) = ([], [:])
        func expect(_ row: OpenRow) {
            guard let deadline = deadline(row), !outdated.contains(deadline.subject) else { return }
            expected.append(
                ListedDeadline(
                    position: query.position(of: deadline),
                    bundleId: deadline.bundleId,
                    isUnconfirmed: deadline.isUnconfirmed
                )
            )
            guard !deadline.subject.isLineItem, let sendAt = deadline.sendAt else { return }
            queues[ReportingScope(bundleId: deadline.bundleId, environment: deadline.environment), default: []]
                .append(SendPosition(sendAt: sendAt, sequence: deadline.subject.sequence))
        }
        try eachOpenToken(of: nil) { token throws(LedgerError) in expect(.token(token)) }
        try eachOpenSale(of: nil) { sale throws(LedgerError) in expect(.sale(sale)) }
        expected.sort { $0.position < $1.position }
        let stored = try deadlines(matching: query, by: rules.id, after: nil, limit: .max / 2)
        var differences = expected.difference(from: stored).map { change in
            switch change {
            case .insert(_, let element, _): "missing: \(element)"
            case .remove(_, let element, _): "wrong: \(element)"
            }
        }
        for (scope, expected) in queues {
            let stored = try tokensToAnswer(
                in: scope,
                until: Timestamp(milliseconds: .max),
                after: nil,
                limit: .max / 2
            ).map(\.position).filter { !outdated.contains(.init(isLineItem: false, sequence: $0.sequence)) }
            if stored != expected.sorted() { differences.append("the queue of \(scope): \(stored), not \(expected)") }
        }
        return differences
    }
}

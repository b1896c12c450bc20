import ExternalPurchaseCore
import Ledger
import ReportPlanning

/// The tokens of one app and environment that have to be answered next, soonest first, as one search of the ledger told
/// (RR-72).
///
/// It holds so many that a ledger with a million open tokens is searched a few times a day instead of at every report.
struct AnswerAgenda: Sendable {
    /// Most tokens that a search brings.
    static let capacity = 50_000
    /// How long a token rests that could not be answered although its time has come, ms.
    static let rest: Int64 = 30_000

    private struct Entry {
        let moment: Timestamp
        let token: ExternalPurchaseId
    }

    /// From here on the ledger has to be searched again; nil when it told everything.
    private(set) var knownUntil: Timestamp?
    /// Sorted by moment, latest first.
    private var entries: [Entry] = []
    /// Tokens that could not be answered.
    private var resting: Set<ExternalPurchaseId> = []
    private var restsUntil: Timestamp?

    /// Searches the tokens that nothing was reported of.
    ///
    /// - Parameter earlier: the agenda before, whose resting tokens go on resting.
    init(
        searching ledger: any LedgerQueries,
        in scope: ReportingScope,
        by due: LedgerDue,
        after earlier: AnswerAgenda?,
        capacity: Int = capacity
    ) throws(LedgerError) {
        resting = earlier?.resting ?? []
        restsUntil = earlier?.restsUntil
        var moments = DueMoments(rules: due.rules)
        var found: [Entry] = []
        var bar: Timestamp?
        try ledger.eachOpenToken(of: scope.bundleId) { token throws(LedgerError) in
            let id = token.externalPurchaseId
            guard id.environment == scope.environment, token.state != .unknownToApple else { return }
            if !token.flags.isEmpty, token.flags.contains(.reportRefused) { return }
            let moment = due.answerMoment(of: token, &moments)
            if let bar, moment >= bar { return }
            if !resting.isEmpty, resting.contains(id) { return }
            found.append(Entry(moment: moment, token: id))
            guard found.count >= 2 * capacity else { return }
            found.sort { $0.moment < $1.moment }
            found.removeSubrange(capacity...)
            bar = found.last?.moment
        }
        found.sort { $0.moment < $1.moment }
        if found.count > capacity {
            found.removeSubrange(capacity...)
            bar = found.last?.moment
        }
        knownUntil = bar
        entries = found.reversed()
    }

    /// True when the ledger must be queried again.
    func isSpent(at now: Timestamp) -> Bool {
        guard let knownUntil else { return false }
        return entries.isEmpty && knownUntil <= now
    }

    /// The moment from which there is more to do; nil when only new tokens bring work.
    var next: Timestamp? { [entries.last?.moment ?? knownUntil, restsUntil].compactMap(\.self).min() }

    /// The tokens that have to be answered now, the longest due first; they stay until ``take(_:unanswered:at:)``.
    mutating func due(at now: Timestamp, limit: Int) -> [ExternalPurchaseId] {
        // A rest that is longer than any began while the clock was ahead.
        if let restsUntil, restsUntil <= now || restsUntil > now.advanced(byMilliseconds: Self.rest) {
            entries += resting.sorted().reversed().map { Entry(moment: min(restsUntil, now), token: $0) }
            resting = []
            self.restsUntil = nil
        }
        return entries.suffix(limit).reversed().prefix { $0.moment <= now }.map(\.token)
    }

    /// Takes the first tokens out; those that could not be answered rest.
    mutating func take(_ count: Int, unanswered: [ExternalPurchaseId], at now: Timestamp) {
        entries.removeLast(min(count, entries.count))
        for token in unanswered { rest(token, at: now) }
    }

    /// Looks at a token again after a while.
    mutating func rest(_ token: ExternalPurchaseId, at now: Timestamp) {
        resting.insert(token)
        restsUntil = restsUntil ?? now.advanced(byMilliseconds: Self.rest)
    }

    /// Notes a token that has just arrived.
    mutating func add(_ token: ExternalPurchaseId, at moment: Timestamp) {
        // Later ones come with the next search.
        if let knownUntil, moment >= knownUntil { return }
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].moment > moment { low = middle + 1 } else { high = middle }
        }
        entries.insert(Entry(moment: moment, token: token), at: low)
    }
}

import ExternalPurchaseCore
import Ledger
import ReportPlanning

/// The tokens of one app and environment whose sales rest, with the moments at which the due list says that these are
/// sent (RR-72, OB-52).
///
/// One search of the ledger tells them; what is committed later is found by the next one. Memory grows with the tokens.
struct RestAgenda: Sendable {
    /// Least time between two searches while sales arrive, ms; the greater for more than ``many`` open sales.
    private static let pauses: (usual: Int64, ofMany: Int64) = (1_000, 30_000)
    private static let many = 1_000

    private let searchedAt: Timestamp
    private let pause: Int64
    private var moments: [ExternalPurchaseId: Timestamp] = [:]

    /// Searches the sales that nothing keeps from being sent but their rest.
    init(
        searching ledger: any LedgerQueries,
        in scope: ReportingScope,
        by due: LedgerDue,
        at now: Timestamp
    ) throws(LedgerError) {
        var dueMoments = DueMoments(rules: due.rules)
        var count = 0
        var moments: [ExternalPurchaseId: Timestamp] = [:]
        try ledger.eachOpenSale(of: scope.bundleId) { sale throws(LedgerError) in
            count += 1
            guard let token = sale.token?.externalPurchaseId, token.environment == scope.environment,
                sale.reportState == nil, let moment = due.sendMoment(of: sale, &dueMoments, at: now)
            else { return }
            moments[token] = min(moments[token] ?? moment, moment)
        }
        self.moments = moments
        searchedAt = now
        pause = count > Self.many ? Self.pauses.ofMany : Self.pauses.usual
    }

    /// When the ledger may be searched again; in the past for a search while the clock was ahead.
    func nextSearch(at now: Timestamp) -> Timestamp {
        now < searchedAt ? now : searchedAt.advanced(byMilliseconds: pause)
    }

    /// The tokens with a sale whose moment has come, the longest due first; they stay until ``remove(_:)``.
    func due(at now: Timestamp) -> [ExternalPurchaseId] {
        moments.filter { $0.value <= now }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    }

    /// The next moment at which a sale is sent; nil while none rests.
    func next(after now: Timestamp) -> Timestamp? { moments.values.filter { $0 > now }.min() }

    /// Takes a token out whose sales are in a report.
    mutating func remove(_ token: ExternalPurchaseId) { moments[token] = nil }
}

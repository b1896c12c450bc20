import ExternalPurchaseCore
import Ledger

extension LedgerQueries {
    /// Completes counts by what only the open reports of an app and environment show.
    ///
    /// A report that replaces a withdrawn one, as after a retry of a review item, is as old as what it reports: its
    /// oldest sale or, without sales, the first report of the token that was withdrawn in between.
    func completeCounts(_ counts: inout LedgerCounts, of scope: ReportingScope) throws(LedgerError) {
        let open = try reports(
            in: scope,
            state: [.written, .sending, .unknown, .needsAttention],
            limit: openReportsRead
        )
        var onTheWay: Set<ExternalPurchaseId> = []
        for report in open {
            if report.state != .needsAttention,
                try token(report.externalPurchaseId, of: scope.bundleId)?.reportedAt == nil
            {
                onTheWay.insert(report.externalPurchaseId)
            }
            if let since = try origin(of: report) { counts.note(unsentSince: since, in: scope) }
        }
        if !onTheWay.isEmpty { counts.tokensOnTheWay[scope] = onTheWay.count }
    }

    /// Returns the time since which what a report contains waits to be sent; nil if only the report itself tells.
    private func origin(of report: StoredReport) throws(LedgerError) -> Timestamp? {
        let sales = try sales(in: report.requestIdentifier, of: report.scope)
        if let first = sales.map(\.receivedAt).min() { return first }
        guard report.status != .lineItem else { return nil }
        let earlier = try reports(on: report.externalPurchaseId, of: report.scope.bundleId)
        let accepted = earlier.filter { $0.state == .accepted }.map(\.sequence).max() ?? 0
        return earlier.filter { $0.status != .lineItem && $0.sequence > accepted }.map(\.writtenAt).min()
    }
}

/// The largest number of open reports of an app and environment that the counts read.
private let openReportsRead = 500

import ExternalPurchaseCore
import Ledger

extension LedgerTransaction {
    /// Closes the correction of a just accepted report when all its reports are accepted.
    ///
    /// Sales that waited for the correction are then planned again, and the events of its payment are applied again.
    ///
    /// - Returns: true if there are such events.
    @discardableResult
    func closeCorrection(
        of report: StoredReport,
        by planner: MerchantPlanner,
        now: Timestamp
    ) throws(LedgerError) -> Bool {
        let bundleId = report.scope.bundleId
        guard var correction = try correction(of: report) else { return false }
        var keys: [PlanningKey] = []
        for part in correction.reports {
            let scope = ReportingScope(bundleId: bundleId, environment: part.environment)
            guard let stored = try self.report(part.requestIdentifier, in: scope), stored.state == .accepted else {
                return false
            }
            keys.append(.token(stored.externalPurchaseId))
        }
        correction.closing = CorrectionStep(at: now, by: "sender", note: "Apple accepted every report")
        try update(correction)
        let sale = correction.request.objectValue?["saleId"]?.stringValue.map { SaleId($0) }
        if let sale { keys.append(.sale(sale)) }
        try planner.replan(touching: keys, of: bundleId, in: self, now: now)
        // What is left of the change of a payment waited for this one.
        guard let sale else { return false }
        return try reopenPaymentEvents(of: self.sale(sale, of: bundleId)?.partOf ?? sale, isUndecided: true)
    }
}

extension LedgerQueries {
    /// The pending correction that contains a report.
    func correction(of report: StoredReport) throws(LedgerError) -> StoredCorrection? {
        let own = CorrectionReport(
            environment: report.scope.environment,
            requestIdentifier: report.requestIdentifier
        )
        return try pendingCorrections(of: report.scope.bundleId).first { $0.reports.contains(own) }
    }

    /// The reports that may be sent or queried now.
    ///
    /// Of a correction only the first report that is not accepted is included; if it needs attention, none of the
    /// correction is (RR-83).
    func openReports(in scope: ReportingScope) throws(LedgerError) -> [StoredReport] {
        let open = try reports(in: scope, state: [.written, .sending, .unknown], limit: 1_000)
        guard !open.isEmpty else { return [] }
        let waiting = try reportsWaitingForCorrections(in: scope)
        return open.filter { !waiting.contains($0.requestIdentifier) }
    }
}

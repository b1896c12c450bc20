import ExternalPurchaseCore
import Ledger
import ReportPlanning

extension ReportPipeline {
    /// The reports that may be sent or asked for now: of a correction's reports only the first that is not accepted,
    /// so that one that needs attention stops the rest (RR-83).
    func openReports(in scope: ReportingScope) async throws(LedgerError) -> [StoredReport] {
        try await store.read { ledger throws(LedgerError) in
            let open = try ledger.reports(in: scope, state: [.written, .sending, .unknown], limit: 1_000)
            guard !open.isEmpty else { return [] }
            let waiting = try ledger.reportsWaitingForCorrections(in: scope)
            return open.filter { !waiting.contains($0.requestIdentifier) }
        }
    }

    /// Closes the correction of a report that was just accepted, once all its reports are, and plans anew what waited
    /// for it.
    func closeCorrection(
        of report: StoredReport,
        by planner: MerchantPlanner,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) {
        let (scope, now) = (report.scope, dependencies.now())
        let own = CorrectionReport(environment: scope.environment, requestIdentifier: report.requestIdentifier)
        let pending = try ledger.pendingCorrections(of: scope.bundleId)
        guard var correction = pending.first(where: { $0.reports.contains(own) }) else { return }
        var keys: [PlanningKey] = []
        for part in correction.reports {
            let scope = ReportingScope(bundleId: scope.bundleId, environment: part.environment)
            guard let stored = try ledger.report(part.requestIdentifier, in: scope), stored.state == .accepted else {
                return
            }
            keys.append(.token(stored.externalPurchaseId))
        }
        correction.closing = CorrectionStep(at: now, by: "sender", note: "Apple accepted every report")
        try ledger.update(correction)
        if let sale = correction.request.objectValue?["saleId"]?.stringValue { keys.append(.sale(SaleId(sale))) }
        try planner.replan(touching: keys, of: scope.bundleId, in: ledger, now: now)
    }
}

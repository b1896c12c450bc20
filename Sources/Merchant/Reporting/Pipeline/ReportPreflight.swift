import ExternalPurchaseCore
import Ledger
import ReportValidation

/// Validates a report before it is sent, against the ledger's copy of the accepted history (SA-75).
struct ReportPreflight: Sendable {
    let settings: ReportingSettings
    let dependencies: ReportingDependencies

    /// Validates the exact bytes to be sent.
    ///
    /// - Parameters:
    ///   - report: the report.
    ///   - sales: the sales of the report, to which its errors are attributed.
    ///   - ledger: the ledger.
    func validate(
        _ report: StoredReport,
        of sales: [StoredSale],
        in ledger: LedgerQueries
    ) throws(LedgerError) -> [AttributedReportError] {
        guard settings.isPreflightOn else { return [] }
        let received: ReceivedReport
        do {
            received = try ReceivedReport.read(report.body, limits: settings.limits)
        } catch {
            throw .failed("a report of our own is malformed: \(error)")
        }
        let history = try ledger.history(for: received, in: report.scope)
        let byItem = try ledger.salesByItem(sales)
        return ReportValidator(settings: settings.rules).validate(received, history: history, now: dependencies.now())
            .map { $0.attributed(to: byItem, isLocal: true) }
    }
}

package import ExternalPurchaseCore

/// Queries of reports.
///
/// Lists are in order of creation.
package protocol ReportQueries {
    func report(_ id: RequestIdentifier, in scope: ReportingScope) throws(LedgerError) -> StoredReport?
    func reports(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredReport]
    func reports(in scope: ReportingScope, state: [ReportState], limit: Int) throws(LedgerError) -> [StoredReport]
    /// The reports that name a token.
    func reports(on token: ExternalPurchaseId, of bundleId: BundleId) throws(LedgerError) -> [StoredReport]
    /// A summary of the reports that name a token; the cost does not depend on their number.
    func reportSummary(of token: ExternalPurchaseId, app bundleId: BundleId) throws(LedgerError) -> TokenReportSummary
    func sales(in report: RequestIdentifier, of scope: ReportingScope) throws(LedgerError) -> [StoredSale]
}

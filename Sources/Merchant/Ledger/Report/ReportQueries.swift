package import ExternalPurchaseCore

/// What can be asked about reports.
///
/// Lists are in the order of writing.
package protocol ReportQueries {
    func report(_ id: RequestIdentifier, in scope: ReportingScope) throws(LedgerError) -> StoredReport?
    func reports(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredReport]
    func reports(in scope: ReportingScope, state: [ReportState], limit: Int) throws(LedgerError) -> [StoredReport]
    /// The reports that name a token.
    func reports(on token: ExternalPurchaseId, of bundleId: BundleId) throws(LedgerError) -> [StoredReport]
    /// Which reports name a token. The work does not depend on their number.
    func reportSummary(of token: ExternalPurchaseId, app bundleId: BundleId) throws(LedgerError) -> TokenReportSummary
    func sales(in report: RequestIdentifier, of scope: ReportingScope) throws(LedgerError) -> [StoredSale]
}

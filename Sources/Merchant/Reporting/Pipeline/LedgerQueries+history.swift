import ExternalPurchaseCore
import Ledger
import ReportValidation

extension LedgerQueries {
    /// Reads the slice of the accepted history that a report depends on (RR-7).
    func history(for report: ReceivedReport, in scope: ReportingScope) throws(LedgerError) -> HistorySlice {
        let needs = HistoryNeeds(of: report)
        var slice = HistorySlice()
        if let id = needs.requestIdentifier {
            slice.isRequestIdentifierUsed = try self.report(id, in: scope)?.state == .accepted
        }
        if let id = needs.externalPurchaseId {
            slice.token = try knownToken(id, in: scope)
            slice.hasLineItemReport = try hasAcceptedLineItems(id, of: scope)
        }
        slice.newest = try newestAccepted(needs.lineItemIds, in: scope).mapValues {
            AcceptedLineItem(item: $0.item, externalPurchaseId: $0.externalPurchaseId)
        }
        return slice
    }
}

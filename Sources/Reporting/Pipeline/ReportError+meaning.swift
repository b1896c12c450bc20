import ExternalPurchaseCore
import Ledger

extension ReportError {
    /// The error beside the sale of its line item.
    func attributed(to sales: [StoredSale], isLocal: Bool) -> AttributedReportError {
        let sale = lineItemId.flatMap { id in sales.first { $0.lineItemId == id } }
        return AttributedReportError(error: self, saleId: sale?.sale.saleId, isLocal: isLocal)
    }

    /// A report was accepted under the request identifier (SA-61).
    var isUsedRequestIdentifier: Bool { errorCode == .duplicateValue && fieldName == "requestIdentifier" }

    /// Apple does not know the token in this app and environment.
    var isUnknownToken: Bool { errorCode == .notFound && fieldName == "externalPurchaseId" }
}

extension ReceivedReport {
    /// Whether two reports say the same: decoded members count, not their spelling (SA-72).
    func isEqual(to other: ReceivedReport) -> Bool { normalised == other.normalised }

    private var normalised: ReceivedReport {
        var report = self
        report.lineItems = (lineItems ?? []).map { item in
            var item = item
            item.restatement = item.restatement ?? false
            item.erroneouslySubmitted = item.erroneouslySubmitted ?? false
            item.exchangeRate = item.exchangeRate.flatMap { ExchangeRate(DecimalText.canonical($0.text)) }
            return item
        }
        return report
    }
}

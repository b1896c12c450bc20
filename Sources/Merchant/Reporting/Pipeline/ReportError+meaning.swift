import ExternalPurchaseCore
import Ledger

extension ReportError {
    /// Returns the error together with the sale of its line item.
    func attributed(to sales: [LineItemId: SaleId], isLocal: Bool) -> AttributedReportError {
        AttributedReportError(error: self, saleId: lineItemId.flatMap { sales[$0] }, isLocal: isLocal)
    }

    /// True if a report was accepted under the same request identifier before (SA-61).
    var isUsedRequestIdentifier: Bool { errorCode == .duplicateValue && fieldName == "requestIdentifier" }

    /// True if Apple does not know the token in this app and environment.
    var isUnknownToken: Bool { errorCode == .notFound && fieldName == "externalPurchaseId" }
}

extension LedgerQueries {
    /// Maps the line items of a report to its sales; a reversal maps from the line item of its chargeback (RR-80).
    func salesByItem(_ sales: [StoredSale]) throws(LedgerError) -> [LineItemId: SaleId] {
        var byItem: [LineItemId: SaleId] = [:]
        for stored in sales {
            var item = stored.lineItemId
            if let chargeback = stored.sale.reversedChargeback {
                item = try sale(chargeback, of: stored.sale.bundleId)?.lineItemId ?? item
            }
            byItem[item] = stored.sale.saleId
        }
        return byItem
    }
}

extension ReceivedReport {
    /// Returns whether two reports have equal decoded content; differences in spelling are ignored (SA-72).
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

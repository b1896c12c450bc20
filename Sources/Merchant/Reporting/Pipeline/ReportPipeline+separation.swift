import ExternalPurchaseCore
import Ledger

// A refusal that names line items is about these; the other sales of the report are sent without them (SA-60, SA-73).
extension ReportPipeline {
    /// Takes the sales that the errors of a refused report name out of it: the report becomes `withdrawn`, the named
    /// sales are held for a person, and the others are planned anew.
    ///
    /// - Parameter report: a report of state `needsAttention`, stored with its errors. Apple refused it with them, so
    ///   that it kept nothing of it (SA-60), or it was never sent.
    /// - Returns: false when nothing was changed: an error is about the report or its token, or a person confirmed the
    ///   report as it is (RR-84).
    func separate(
        _ report: StoredReport,
        now: Timestamp,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) -> Bool {
        guard report.status == .lineItem, !report.errors.isEmpty, report.errors.allSatisfy({ $0.saleId != nil }),
            report.isSurelyNotAtApple, try ledger.correction(of: report) == nil
        else { return false }
        let sales = try withdraw(report, now: now, in: ledger)
        let named = report.namedSales
        for sale in sales where named.contains(sale.sale.saleId) {
            var attribution = sale.attribution
            attribution.state = .held
            attribution.flags.insert(.reportRefused)
            attribution.flags.remove(.sentApart)
            try ledger.update(attribution, of: sale.sale.saleId, app: report.scope.bundleId)
        }
        _ = try ledger.open(
            ReviewItem(
                bundleId: report.scope.bundleId,
                kind: .reportRefused,
                subject: .report(report.requestIdentifier),
                detail: "\(report.refuser) refused \(named.count) of \(sales.count) sales of a report of token "
                    + "\(report.externalPurchaseId): \(report.errorsBySale)",
                openedAt: now
            )
        )
        try replan(report, sales, now: now, in: ledger)
        return true
    }
}

extension StoredReport {
    /// Who refused the report, for a person.
    var refuser: String { errors.contains(where: \.isLocal) ? "the pre-flight" : "Apple" }

    /// The errors, sale by sale in the order of their ids, at most 20 sales.
    fileprivate var errorsBySale: String {
        let most = 20
        let sales = namedSales.sorted()
        let parts = sales.prefix(most).map { sale in
            "sale \(sale): \(errors.filter { $0.saleId == sale }.map(\.error).words)"
        }
        return parts.joined(separator: "; ") + (sales.count > most ? "; and \(sales.count - most) more" : "")
    }
}

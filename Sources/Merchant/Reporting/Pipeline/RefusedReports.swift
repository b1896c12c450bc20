import ExternalPurchaseCore
import Ledger

/// Holds refused reports: the sales that the errors name, or the complete report (SA-60, SA-73).
struct RefusedReports: Sendable {
    let planner: MerchantPlanner
    let dependencies: ReportingDependencies

    /// Holds a refused report, or withdraws it and holds only the sales that its errors name.
    ///
    /// - Parameters:
    ///   - report: a report of state `needsAttention`, stored with its errors.
    ///   - now: the current time.
    ///   - ledger: the ledger.
    /// - Returns: true if the report was withdrawn and its other sales were planned again; false if the complete report
    ///   waits for a person.
    @discardableResult
    func hold(
        _ report: StoredReport,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Bool {
        if try separate(report, now: now, in: ledger) { return true }
        try openReview(of: report, in: ledger)
        return false
    }

    /// Withdraws a refused report, holds the sales that its errors name, and plans its other sales again.
    ///
    /// This is safe because Apple stores nothing of a report that it refuses with errors (SA-60), or because the report
    /// was never sent.
    ///
    /// - Returns: false if nothing was changed, because an error is about the report or its token, or because the
    ///   report belongs to a correction that a person confirmed (RR-84).
    private func separate(
        _ report: StoredReport,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Bool {
        guard report.status == .lineItem, !report.errors.isEmpty, report.errors.allSatisfy({ $0.saleId != nil }),
            report.isSurelyNotAtApple, try ledger.correction(of: report) == nil
        else { return false }
        let sales = try ledger.withdrawReport(report, at: now)
        let named = report.salesToHold(among: sales)
        for sale in sales where named.contains(sale.sale.saleId) {
            var attribution = sale.attribution
            attribution.state = .held
            attribution.holdCauses.insert(.reportRefused)
            if report.showsThatAppleHas(sale) { attribution.holdCauses.insert(.reportedAlready) }
            attribution.dispatch = .together
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
        let keys = report.planningKeys(with: sales)
        try planner.replan(touching: keys, of: report.scope.bundleId, extent: .touched, in: ledger, now: now)
        return true
    }

    private func openReview(of report: StoredReport, in ledger: LedgerTransaction) throws(LedgerError) {
        let errors = report.errors.map { "\($0.error.errorCode) \($0.error.fieldName ?? "")" }
        _ = try ledger.open(
            ReviewItem(
                bundleId: report.scope.bundleId,
                kind: .reportRefused,
                subject: .report(report.requestIdentifier),
                detail: "\(report.refuser) refused the report of token \(report.externalPurchaseId): "
                    + (errors.isEmpty
                        ? report.answer?.conclusion ?? "no reason given" : errors.joined(separator: ", ")),
                openedAt: dependencies.now()
            )
        )
    }
}

extension LedgerTransaction {
    /// Withdraws a report that needs attention.
    ///
    /// - Returns: the sales that it held; they can go into other reports.
    func withdrawReport(_ report: StoredReport, at now: Timestamp) throws(LedgerError) -> [StoredSale] {
        let ids = try sales(in: report.requestIdentifier, of: report.scope).map(\.sale.saleId)
        var withdrawn = report
        withdrawn.state = .withdrawn
        withdrawn.changedAt = now
        try update(withdrawn, accepting: [])
        var freed: [StoredSale] = []
        for id in ids {
            if let sale = try sale(id, of: report.scope.bundleId) { freed.append(sale) }
        }
        return freed
    }
}

extension StoredReport {
    /// Returns the planning keys that are affected when the report is withdrawn.
    ///
    /// - Parameter sales: the sales that the report held.
    func planningKeys(with sales: [StoredSale]) -> [PlanningKey] {
        var keys: [PlanningKey] = [.token(externalPurchaseId)]
        for sale in sales { keys += [.sale(sale.sale.saleId)] + sale.sale.keys }
        return keys
    }

    /// The sales that the errors name, without those whose net alone is wrong beside a refund that Apple has.
    ///
    /// Such a net lacks nothing once that refund counts as accepted, and is computed anew then (RR-85).
    fileprivate func salesToHold(among sales: [StoredSale]) -> Set<SaleId> {
        let known = Set(sales.filter(showsThatAppleHas).map { $0.sale.refund?.refundOf ?? $0.sale.saleId })
        var held = namedSales
        for sale in sales where known.contains(sale.sale.refund?.refundOf ?? sale.sale.saleId) {
            let own = errors.filter { $0.saleId == sale.sale.saleId }
            let isNetOnly = own.allSatisfy {
                !$0.isLocal && [.incorrectNetAmount, .netAmountMismatch].contains($0.error.errorCode)
            }
            if isNetOnly { held.remove(sale.sale.saleId) }
        }
        return held
    }

    /// The name of the side that refused the report, for messages.
    fileprivate var refuser: String { errors.contains(where: \.isLocal) ? "the pre-flight" : "Apple" }

    /// The errors by sale, sorted by sale id, for at most 20 sales.
    fileprivate var errorsBySale: String {
        let most = 20
        let sales = namedSales.sorted()
        let parts = sales.prefix(most).map { sale in
            "sale \(sale): \(errors.filter { $0.saleId == sale }.map(\.error).words)"
        }
        return parts.joined(separator: "; ") + (sales.count > most ? "; and \(sales.count - most) more" : "")
    }
}

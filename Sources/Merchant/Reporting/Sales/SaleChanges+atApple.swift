import ExternalPurchaseCore
import Ledger

extension SaleChanges {
    /// Refuses a change of what Apple says that it has, which would change the ledger alone (RR-85).
    ///
    /// If a person closed the sale, its review item is opened again, because the change needs the decision.
    func refuse(
        _ known: StoredSale,
        as request: Request,
        because atApple: SaleAtApple,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> RequestError {
        let saleId = known.sale.saleId
        let report = atApple.report
        let subject =
            if let other = atApple.sale?.sale.saleId, other != saleId {
                "sale \(other), without which \(saleId) is not changed"
            } else if atApple.sale == nil {
                "line items of the token of \(saleId), which may be one of them"
            } else {
                "\(saleId)"
            }
        let what = "Apple refused report \(report.requestIdentifier) because it has \(subject)"
        let asked = request.content == nil ? "void" : request.author == nil ? "complete" : "amend"
        let item = try openItem(
            of: report,
            "\(what). \(request.author?.by ?? "The sender") asked at \(now) to \(asked) \(saleId)",
            now: now,
            in: ledger
        )
        guard let item else {
            return .impossible("\(what). It is being sent again: Apple's answer decides what a change is")
        }
        let after = atApple.sale == nil ? "the sale is sent, and Apple's answer decides" : "the change is a correction"
        return .impossible("\(what): decide `accepted` about review item \(item) first, then \(after)")
    }

    /// Refuses the void of a sale before it is sent, while Apple has line items of its token that the ledger may not know
    /// (RR-85); nil if nothing is in the way.
    ///
    /// Any other change is sent, and Apple answers it. A sale that is not sent as it is may be voided; a review item then
    /// tells that Apple may have it.
    func refusal(
        ofUnsent known: StoredSale,
        _ request: Request,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> RequestError? {
        guard request.content == nil, let report = try ledger.refusal(ofTokenOfUnsent: known) else { return nil }
        let saleId = known.sale.saleId
        let what =
            "Apple refused report \(report.requestIdentifier) because it has line items of the token of \(saleId), which "
            + "may be one of them"
        let lines = try ledger.lines(of: known)
        guard (lines.isEmpty ? [known] : lines).contains(where: { $0.standing == .held }) else {
            return .impossible("\(what): it is sent first, and Apple's answer decides what a void is")
        }
        _ = try ledger.open(
            ReviewItem(
                bundleId: known.sale.bundleId,
                kind: .saleChanged,
                subject: .sale(saleId),
                detail: "\(request.author?.by ?? "The sender") voided the sale at \(now) before it was sent. \(what): "
                    + "if it is, import Apple's copy of its report and retract it with a correction",
                openedAt: now
            )
        )
        return nil
    }

    /// Returns the open review item of a refused report, which is opened again if a person closed its sales.
    ///
    /// - Returns: nil if none of its sales waits.
    private func openItem(
        of report: StoredReport,
        _ detail: String,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Int64? {
        let bundleId = report.scope.bundleId
        let subject = ReviewSubject.report(report.requestIdentifier)
        let open = try ledger.reviewItems(about: subject, app: bundleId).first { item in
            item.kind == .reportRefused && item.resolution == nil
        }
        if let open { return open.sequence }
        var reopened: [StoredSale] = []
        for id in report.namedSales.sorted() {
            guard let sale = try ledger.sale(id, of: bundleId), sale.standing == .held,
                sale.attribution.review == .closed, sale.attribution.holdCauses.contains(.reportRefused)
            else { continue }
            var attribution = sale.attribution
            attribution.review = .open
            try ledger.update(attribution, of: id, app: bundleId)
            reopened.append(sale)
        }
        if reopened.isEmpty { return nil }
        let item = try ledger.open(
            ReviewItem(bundleId: bundleId, kind: .reportRefused, subject: subject, detail: detail, openedAt: now)
        )
        let planner = MerchantPlanner(settings: settings, uuid: dependencies.uuid)
        let keys = report.planningKeys(with: reopened)
        try planner.replan(touching: keys, of: bundleId, extent: .touched, in: ledger, now: now)
        return item.sequence
    }
}

extension LedgerQueries {
    /// Returns why a purchase and its refunds are not corrected as things stand: Apple says that it has a refund of it,
    /// which the nets of the correction would lack (RR-85); nil if nothing is in the way.
    func obstacleAtApple(toCorrecting sale: StoredSale) throws(LedgerError) -> String? {
        let buy = sale.sale.refund?.refundOf ?? sale.sale.saleId
        var related = try refunds(of: buy, app: sale.sale.bundleId)
        for chargeback in related where chargeback.sale.refund?.isChargeback == true {
            related += try refunds(of: chargeback.sale.saleId, app: sale.sale.bundleId)
        }
        for refund in related {
            guard case .reportedAlready(let atApple) = try SalePlace(of: refund, in: self), let other = atApple.sale
            else { continue }
            return
                "Apple refused report \(atApple.report.requestIdentifier) because it has sale \(other.sale.saleId): "
                + "decide `accepted` about its review item first"
        }
        return nil
    }
}

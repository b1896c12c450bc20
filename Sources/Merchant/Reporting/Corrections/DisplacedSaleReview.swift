import ExternalPurchaseCore
import Ledger

/// Offers the correction of accepted sales whose token lost its claim on their checkout or customer (TK-78).
///
/// Each such sale becomes a review item with a correction that a person confirms.
struct DisplacedSaleReview: Sendable {
    let settings: ReportingSettings
    let uuid: @Sendable () -> UUID

    /// The author of the items, their closing and the corrections.
    private static let author = SubscriptionFigureReview.author

    private var preparation: CorrectionPreparation { CorrectionPreparation(settings: settings, uuid: uuid) }

    /// Opens and closes review items after a plan was stored.
    func update(
        by planned: MerchantPlanner.Planned,
        of bundleId: BundleId,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) {
        for (id, plan) in planned.plan.sales.sorted(by: { $0.key < $1.key }) {
            guard let sale = planned.part.sales[id], sale.standing == .reported else { continue }
            if case .moved(let token)? = plan.place, let reported = plan.externalPurchaseId {
                try offer(moving: sale, from: reported, to: token, in: ledger, now: now)
            } else if sale.version > 1 {
                try close(itemsAbout: sale, in: ledger, now: now)
            }
        }
    }

    private func offer(
        moving sale: StoredSale,
        from reported: ExternalPurchaseId,
        to token: ExternalPurchaseId,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) {
        let (id, bundleId) = (sale.sale.saleId, sale.sale.bundleId)
        if try ledger.itemsUnderCorrection(of: bundleId).contains(sale.lineItemId) { return }
        let detail =
            "sale \(id) is reported on token \(reported), which only public arrivals named for it; an authenticated "
            + "source leads to token \(token) (TK-78)"
        // A person's decision to keep the report is final.
        let items = try ledger.reviewItems(about: .sale(id), app: bundleId)
        if items.contains(where: { $0.kind == .contradiction && $0.detail.hasPrefix(detail) }) { return }
        try close(itemsAbout: sale, in: ledger, now: now)
        var fields = CorrectionCommand.Fields()
        fields.externalPurchaseId = token
        let command = CorrectionCommand(
            bundleId: bundleId,
            saleId: id,
            action: .move,
            fields: fields,
            requestedBy: Self.author,
            reason: "the token of the report lost its claim on the sale"
        )
        let correctionId = CorrectionId(uuid().uuidString.lowercased())
        var correction: StoredCorrection?
        var obstacle = ""
        switch try preparation.plan(command, now: now, in: ledger) {
        case .success(let prepared) where prepared.plan.isAllowed:
            correction = try preparation.keep(prepared, of: command, as: correctionId, in: ledger, now: now)
        case .success(let prepared):
            obstacle = prepared.plan.refusals.map(\.reason).joined(separator: "; ")
        case .failure(let error):
            obstacle = error.description
        }
        _ = try ledger.open(
            ReviewItem(
                bundleId: bundleId,
                kind: .contradiction,
                subject: .sale(id),
                detail: obstacle.isEmpty ? detail : "\(detail). It cannot be moved: \(obstacle)",
                openedAt: now,
                correctionId: correction?.correctionId
            )
        )
    }

    private func close(
        itemsAbout sale: StoredSale,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) {
        let bundleId = sale.sale.bundleId
        for item in try ledger.reviewItems(about: .sale(sale.sale.saleId), app: bundleId)
        where item.kind == .contradiction && item.resolution == nil {
            let note = "the sale is on the token that it belongs to, or on another one now"
            try ledger.resolve(item.sequence, ReviewResolution(resolvedAt: now, by: Self.author, note: note))
            try ledger.closeUnconfirmedCorrection(item.correctionId, of: bundleId, by: Self.author, note, now: now)
        }
    }
}

extension LedgerTransaction {
    /// Closes a correction that nobody has confirmed; does nothing for another one.
    func closeUnconfirmedCorrection(
        _ id: CorrectionId?,
        of bundleId: BundleId,
        by author: String,
        _ note: String,
        now: Timestamp
    ) throws(LedgerError) {
        guard let id, var correction = try correction(id, of: bundleId), correction.confirmation == nil,
            correction.closing == nil
        else { return }
        correction.closing = CorrectionStep(at: now, by: author, note: note)
        try update(correction)
    }
}

extension LedgerQueries {
    /// Returns the keys of the sales that a checkout leads to.
    func salesKeys(ofCheckout id: CheckoutId, app bundleId: BundleId) throws(LedgerError) -> [PlanningKey] {
        var filter = SaleFilter(bundleId: bundleId)
        filter.checkoutId = id
        return try salesKeys(matching: filter)
    }

    /// Returns the keys of the sales whose checkout a token claims together with others.
    ///
    /// They may be planned otherwise once the state of the token changes (TK-78).
    func salesKeys(claimedBy token: ExternalPurchaseId, app bundleId: BundleId) throws(LedgerError) -> [PlanningKey] {
        var keys: [PlanningKey] = []
        for checkout in try claimedCheckouts(of: token, app: bundleId) {
            keys += [.checkout(checkout)] + (try salesKeys(ofCheckout: checkout, app: bundleId))
        }
        return keys
    }
}

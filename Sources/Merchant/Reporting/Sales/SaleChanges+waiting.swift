import ExternalPurchaseCore
import Ledger

extension SaleChanges {
    /// Applies a change that waited, or opens a review item for the remaining work.
    ///
    /// The change continues to wait while its report may be at Apple.
    func resolve(_ change: SaleChange, now: Timestamp, in ledger: LedgerTransaction) throws(LedgerError) {
        guard let known = try ledger.sale(change.saleId, of: change.bundleId) else { return }
        let author = change.by.map { SaleAuthor(by: $0, reason: change.reason) }
        let request = Request(content: change.content, author: author)
        var taken: StoredReport?
        switch try SalePlace(of: known, in: ledger) {
        case .mayBeAtApple:
            return
        case .reportedAlready(let atApple):
            // It waits for the decision about the review item of the report; closed, nobody would see it.
            guard let sale = atApple.sale, sale.attribution.review == .closed else { return }
            let reason =
                "Apple refused report \(atApple.report.requestIdentifier) because it has sale \(sale.sale.saleId), which "
                + "a person closed: ask for the change again, which opens that decision again"
            return try giveUp(change, reason, now: now, in: ledger)
        case .accepted:
            return try offerCorrection(of: change, request, known: known, now: now, in: ledger)
        case .handedOver(let export):
            return try giveUp(change, "the sale was submitted with the manual export \(export)", now: now, in: ledger)
        case .free: break
        case .here(let report): taken = report
        }
        if let content = change.content,
            let refusal = try refusal(of: content, replacing: known, in: ledger)
        {
            return try giveUp(change, "it fits no more: \(refusal)", now: now, in: ledger)
        }
        _ = try apply(request, to: known, takingBack: taken, now: now, in: ledger)
        try ledger.close(change, as: .applied)
        // What is left of the change of a payment waited for this one.
        if change.isOfPayment { _ = try ledger.reopenPaymentEvents(of: change.saleId, isUndecided: true) }
    }

    private func offerCorrection(
        of change: SaleChange,
        _ request: Request,
        known: StoredSale,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        let token = try known.whereItIs(in: ledger).attribution.externalPurchaseId
        if let content = change.content, content.differsInLinksOnly(from: known.sale, on: token) {
            _ = try apply(request, to: known, now: now, in: ledger)
            return try ledger.close(change, as: .applied)
        }
        if change.isOfPayment, try ledger.reopenPaymentEvents(of: change.saleId) {
            // The events of the payment decide again, now that a correction is what it takes.
            return try ledger.close(change, as: .needsCorrection)
        }
        let author = request.author ?? SaleAuthor(by: "sale intake", reason: "the sale was completed")
        switch try proposals(for: known, to: change.content, by: author, now: now, in: ledger) {
        case .success(let dryRuns) where dryRuns.isEmpty:
            _ = try note(request, of: known, now: now, in: ledger)
            try ledger.close(change, as: .applied)
        case .success(let dryRuns):
            let ids = dryRuns.map(\.correctionId.rawValue).joined(separator: ", ")
            let noun = dryRuns.count == 1 ? "the correction" : "the corrections"
            let refused = dryRuns.filter { !$0.isAllowed }.map(\.correctionId.rawValue).joined(separator: ", ")
            let advice =
                refused.isEmpty
                ? "confirm \(noun) \(ids) at /v1/corrections, or resolve this item"
                : "\(noun) \(ids) cannot all be sent, and \(refused) tells why; resolve this item when it is settled"
            try open(change, "Apple accepted the report: \(advice)", now: now, in: ledger)
            try ledger.close(change, as: .needsCorrection)
        case .failure(let refusal):
            try giveUp(change, "Apple accepted the report, and \(refusal)", now: now, in: ledger)
        }
    }

    private func giveUp(
        _ change: SaleChange,
        _ reason: String,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        try open(change, reason, now: now, in: ledger)
        try ledger.close(change, as: .impossible)
    }

    private func open(
        _ change: SaleChange,
        _ detail: String,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        try ledger.closeChangeItems(
            of: change.saleId,
            change.bundleId,
            by: "sale intake",
            "a later change came",
            at: now
        )
        let what = change.content == nil ? "void" : "amend"
        _ = try ledger.open(
            ReviewItem(
                bundleId: change.bundleId,
                kind: .saleChanged,
                subject: .sale(change.saleId),
                detail:
                    "\(change.by ?? "a sender") asked at \(change.askedAt) to \(what) the sale while its report was on "
                    + "its way: \(detail)",
                openedAt: now
            )
        )
    }
}

extension SaleChange {
    /// Whether the events of a payment asked for it.
    var isOfPayment: Bool { by.map(PaymentProvider.authors.contains) ?? false }
}

extension LedgerTransaction {
    /// Closes the review items about a pending change of a sale.
    ///
    /// - Parameter isOver: selects the items; all by default.
    func closeChangeItems(
        of sale: SaleId,
        _ bundleId: BundleId,
        by: String,
        _ note: String,
        at now: Timestamp,
        where isOver: (ReviewItem) -> Bool = { _ in true }
    ) throws(LedgerError) {
        for item in try reviewItems(about: .sale(sale), app: bundleId)
        where item.kind == .saleChanged && item.resolution == nil && isOver(item) {
            try resolve(item.sequence, ReviewResolution(resolvedAt: now, by: by, note: note))
        }
    }
}

extension SaleChanges {
    /// Settles the waiting changes of sales whose reports have a result.
    ///
    /// Waiting changes are stored in the ledger, so that none is lost by a restart.
    ///
    /// - Returns: true if there were waiting changes, so that earlier plans may be outdated.
    @discardableResult
    func applyWaiting() async throws(LedgerError) -> Bool {
        let isNone = try await store.read { ledger throws(LedgerError) in
            try ledger.waitingSaleChanges(LedgerPage(limit: 1)).isEmpty
        }
        if isNone { return false }
        let now = dependencies.now()
        try await store.write { ledger throws(LedgerError) in
            var page = LedgerPage(limit: 100)
            while true {
                let waiting = try ledger.waitingSaleChanges(page)
                for change in waiting { try resolve(change, now: now, in: ledger) }
                guard waiting.count == page.limit, let last = waiting.last else { return }
                page.after = last.sequence
            }
        }
        payments.wake()
        return true
    }
}

extension LedgerQueries {
    /// Returns whether a change waits for a sale of the report.
    func isSaleChangeWaiting(for report: StoredReport) throws(LedgerError) -> Bool {
        for sale in try sales(in: report.requestIdentifier, of: report.scope) {
            let id = sale.partOf ?? sale.sale.saleId
            let changes = try changes(of: id, app: report.scope.bundleId)
            if changes.contains(where: { $0.closing == nil }) { return true }
        }
        return false
    }
}

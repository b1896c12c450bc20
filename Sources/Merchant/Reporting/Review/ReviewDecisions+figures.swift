import ExternalPurchaseCore
import Ledger

/// Decisions about accepted subscription figures that differ from those of the known events.
extension ReviewDecisions {
    /// Decides about differing figures: `retry` confirms the offered correction, `resolve` keeps the reported figures.
    ///
    /// - Throws: ``RequestError/impossible(_:)`` if no correction is offered, or if it cannot be sent as it was shown.
    func decideFigures(
        _ action: ReviewDecision.Action,
        on item: ReviewItem,
        about sale: SaleId,
        _ decision: ReviewDecision
    ) async throws(RequestError) -> ReviewOutcome {
        switch action {
        case .retry: try await confirmCorrection(of: item, decision)
        case .resolve, .accepted: try await keepFigures(of: item, about: sale, decision)
        }
    }

    private func confirmCorrection(
        of item: ReviewItem,
        _ decision: ReviewDecision
    ) async throws(RequestError) -> ReviewOutcome {
        guard let id = item.correctionId else {
            throw .impossible("item \(item.sequence) offers no correction that can be sent; resolve it")
        }
        switch try await corrections.confirm(.init(id, of: item.bundleId, confirmedBy: decision.by)) {
        case .stale(let reason, _): throw .impossible(reason)
        case .confirmed(_, let reports, _):
            // The item closes automatically when the accepted figures agree.
            return ReviewOutcome(
                item: item,
                detail: "correction \(id) is confirmed; its \(reports.count) reports go out"
            )
        }
    }

    private func keepFigures(
        of item: ReviewItem,
        about sale: SaleId,
        _ decision: ReviewDecision
    ) async throws(RequestError) -> ReviewOutcome {
        let (now, planner) = (dependencies.now(), planner)
        return try await changed { ledger throws(LedgerError) in
            let review = SubscriptionFigureReview(settings: settings, uuid: dependencies.uuid)
            try review.decline(item, by: decision.by, in: ledger, now: now)
            let closed = try resolve(item, decision, now: now, in: ledger)
            // Charges that waited for the correction now refer to the accepted figures.
            try planner.replan(touching: [.sale(sale)], of: item.bundleId, in: ledger, now: now)
            return .success(ReviewOutcome(item: closed, detail: "closed; what was reported is kept"))
        }
    }
}

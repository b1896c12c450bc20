import ExternalPurchaseCore
import Ledger
import ReportPlanning

/// What a person decides about accepted figures of a subscription that differ from those of the events known now.
extension ReportPipeline {
    /// Plans anew what open items are about: clock and settings may be others than when they were opened.
    func reviewFigures() async throws(LedgerError) {
        let (planner, now) = (planner, dependencies.now())
        for bundleId in apps.keys.sorted() {
            let items = try await store.read { ledger throws(LedgerError) in
                try ledger.openReviewItems(of: .subscriptionFigures, app: bundleId)
            }
            let sales = items.compactMap(\.sale)
            if sales.isEmpty { continue }
            _ = try await store.write { ledger throws(LedgerError) in
                for sale in sales {
                    try planner.replan(
                        touching: [.sale(sale)],
                        of: bundleId,
                        extent: .pending,
                        in: ledger,
                        now: now
                    )
                }
            }
        }
    }

    /// `retry` confirms the correction that the item offers; `resolve` keeps what was reported.
    ///
    /// - Throws: ``RequestError/impossible(_:)`` where no correction is offered or it cannot be sent as it was shown.
    func decide(
        _ action: ReviewDecision.Action,
        on item: ReviewItem,
        about sale: SaleId,
        _ decision: ReviewDecision
    ) async throws(RequestError) -> ReviewOutcome {
        switch action {
        case .retry: try await confirmCorrection(of: item, decision)
        case .resolve: try await keepFigures(of: item, about: sale, decision)
        }
    }

    private func confirmCorrection(
        of item: ReviewItem,
        _ decision: ReviewDecision
    ) async throws(RequestError) -> ReviewOutcome {
        guard let id = item.correctionId else {
            throw .impossible("item \(item.sequence) offers no correction that can be sent; resolve it")
        }
        let corrections = CorrectionIntake(store: store, apps: apps, settings: settings, dependencies: dependencies)
        switch try await corrections.confirm(id, of: item.bundleId, by: decision.by) {
        case .stale(let reason, _): throw .impossible(reason)
        case .confirmed(_, let reports, _):
            // The item closes by itself once Apple's figures agree.
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
            // Charges that waited for the correction refer to what Apple has.
            try planner.replan(touching: [.sale(sale)], of: item.bundleId, in: ledger, now: now)
            return .success(ReviewOutcome(item: closed, detail: "closed; what was reported is kept"))
        }
    }
}

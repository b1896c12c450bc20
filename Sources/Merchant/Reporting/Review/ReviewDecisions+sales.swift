import ExternalPurchaseCore
import Ledger

/// Decisions about single sales; other sales of the same token are not affected.
extension ReviewDecisions {
    /// Decides about the sales that a refusal named and that were removed from their report.
    ///
    /// `retry` sends them in a separate report; `resolve` holds them permanently.
    func decideSales(
        namedBy id: RequestIdentifier,
        _ item: ReviewItem,
        _ decision: ReviewDecision
    ) async throws(RequestError) -> ReviewOutcome {
        try await changed { ledger throws(LedgerError) in
            let now = dependencies.now()
            let closed = try resolve(item, decision, now: now, in: ledger)
            guard let report = try ledger.withdrawnReport(id, of: item.bundleId) else {
                return .success(ReviewOutcome(item: closed, detail: "the report does not wait any more"))
            }
            let sales = try ledger.waitingSales(namedBy: report)
            if sales.isEmpty {
                return .success(ReviewOutcome(item: closed, detail: "none of its sales waits any more"))
            }
            if decision.action == .retry {
                let tokens = sales.flatMap { [$0.attribution.externalPurchaseId, $0.sale.externalPurchaseId] }
                try ledger.askAnew(about: tokens, of: item.bundleId)
            }
            for sale in sales {
                var attribution = sale.attribution
                switch decision.action {
                case .retry:
                    attribution.holdCauses.subtract([.reportRefused, .reportedAlready])
                    attribution.dispatch = .apart
                case .resolve, .accepted: attribution.review = .closed
                }
                try ledger.update(attribution, of: sale.sale.saleId, app: item.bundleId)
            }
            try replan(after: report, sales, now: now, in: ledger)
            let detail =
                decision.action == .retry
                ? "sent again in a report of their own: \(sales.listed)"
                : "not reported, and shown as such: \(sales.listed)"
            return .success(ReviewOutcome(item: closed, detail: detail))
        }
    }

    /// Decides about a sale that is held for another reason than a refusal.
    func decideHeldSale(
        _ id: SaleId,
        _ item: ReviewItem,
        _ decision: ReviewDecision,
        _ action: ReviewDecision.Action
    ) async throws(RequestError) -> ReviewOutcome {
        try await changed { ledger throws(LedgerError) in
            let now = dependencies.now()
            guard let sale = try ledger.sale(id, of: item.bundleId), sale.standing == .held else {
                let closed = try resolve(item, decision, now: now, in: ledger)
                return .success(ReviewOutcome(item: closed, detail: "the sale is not held any more"))
            }
            var attribution = sale.attribution
            switch action {
            case .retry:
                let closed = try closedReferences(of: sale, in: ledger)
                if !closed.isEmpty {
                    return .success(try reopen(closed, for: sale, item, decision, now: now, in: ledger))
                }
                guard try release(sale, &attribution, in: ledger) else {
                    let flags = attribution.flags.map(\.rawValue).sorted().joined(separator: ", ")
                    return .failure(
                        .impossible(
                            "sale \(id) is held for \(flags), which trying again does not change: send what it lacks, "
                                + "amend it, or resolve the item"
                        )
                    )
                }
            case .resolve, .accepted: attribution.review = .closed
            }
            let closed = try resolve(item, decision, now: now, in: ledger)
            if attribution != sale.attribution { try ledger.update(attribution, of: id, app: item.bundleId) }
            let keys = [.sale(id)] + sale.sale.keys
            try planner.replan(touching: keys, of: item.bundleId, extent: .touched, in: ledger, now: now)
            let standing = try ledger.sale(id, of: item.bundleId)?.standing
            let detail =
                switch (action, standing) {
                case (.resolve, _), (.accepted, _): "not reported, and shown as such: sale \(id)"
                case (.retry, .held): "sale \(id) is still held"
                case (.retry, _): "sale \(id) is planned"
                }
            return .success(ReviewOutcome(item: closed, detail: detail))
        }
    }

    /// Takes back that a person closed the sales that a held sale refers to; they are planned and sent anew.
    private func reopen(
        _ closed: [StoredSale],
        for sale: StoredSale,
        _ item: ReviewItem,
        _ decision: ReviewDecision,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> ReviewOutcome {
        let resolved = try resolve(item, decision, now: now, in: ledger)
        var keys = [.sale(sale.sale.saleId)] + sale.sale.keys
        let tokens = closed.flatMap { [$0.attribution.externalPurchaseId, $0.sale.externalPurchaseId] }
        try ledger.askAnew(about: tokens, of: item.bundleId)
        for other in closed {
            var attribution = other.attribution
            attribution.review = .open
            if attribution.holdCauses.remove(.reportRefused) != nil { attribution.dispatch = .apart }
            attribution.holdCauses.remove(.reportedAlready)
            try ledger.update(attribution, of: other.sale.saleId, app: item.bundleId)
            keys += [.sale(other.sale.saleId)] + other.sale.keys
        }
        try planner.replan(touching: keys, of: item.bundleId, in: ledger, now: now)
        return ReviewOutcome(item: resolved, detail: "planned anew: \(closed.listed), then sale \(sale.sale.saleId)")
    }

    /// Whether a person can end the hold without other content or another arrival.
    static func isReleasable(_ attribution: Attribution) -> Bool {
        !attribution.holdCauses.isDisjoint(with: [.importedSubscription, .tokenUnknownToApple])
    }

    /// Removes the causes that a retry may remove.
    ///
    /// - Returns: false if only other content or another arrival can release the sale.
    private func release(
        _ sale: StoredSale,
        _ attribution: inout Attribution,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Bool {
        guard Self.isReleasable(attribution) else { return false }
        if attribution.holdCauses.remove(.importedSubscription) != nil {
            attribution.subscriptionDecision = .newSubscription
            return true
        }
        let tokens = [attribution.externalPurchaseId, sale.sale.externalPurchaseId]
        try ledger.askAnew(about: tokens, of: sale.sale.bundleId)
        attribution.dispatch = .apart
        return true
    }
}

extension LedgerTransaction {
    /// Takes back that Apple does not know tokens: it may know them by now, after app and environment were corrected
    /// (TK-74).
    ///
    /// Whatever a person sends again is sent, also with such a token; Apple's answer decides anew.
    func askAnew(about tokens: [ExternalPurchaseId?], of bundleId: BundleId) throws(LedgerError) {
        for id in Set(tokens.compactMap(\.self)).sorted() {
            guard var token = try token(id, of: bundleId), token.state == .unknownToApple else { continue }
            token.state = .unconfirmed
            try update(token)
        }
    }
}

extension LedgerQueries {
    /// Returns a withdrawn report by searching both environments, because a review item does not name one.
    func withdrawnReport(
        _ id: RequestIdentifier,
        of bundleId: BundleId
    ) throws(LedgerError) -> StoredReport? {
        for environment in AppStoreEnvironment.allCases {
            let scope = ReportingScope(bundleId: bundleId, environment: environment)
            if let report = try report(id, in: scope), report.state == .withdrawn { return report }
        }
        return nil
    }
}

extension [StoredSale] {
    /// A list of at most 20 sale ids and the number of further ones.
    var listed: String {
        let most = 20
        let ids = prefix(most).map { "sale \($0.sale.saleId)" }.joined(separator: ", ")
        return count > most ? "\(ids) and \(count - most) more" : ids
    }
}

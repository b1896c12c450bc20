import ExternalPurchaseCore

extension CorrectionDraft {
    /// Makes the refunds consistent with their buys (RR-83, RR-46).
    mutating func alignRefunds() {
        for id in order {
            guard let buy = changes[id], buy.after.isLive, !buy.after.isRefund,
                RefundAgreement(buy.before) != RefundAgreement(buy.after) || buy.changesMoney
            else { continue }
            align(refundsOf: id, with: buy)
        }
        for id in order where changes[id]?.after.isLive == true { takeAmounts(id) }
        let final = final
        for id in order {
            guard let change = changes[id], change.after.isRefund, change.after.isLive,
                let buy = change.after.reference.flatMap({ final[$0]?.item }), !buy.isRefund,
                changes[buy.lineItemId].map({ RefundAgreement($0.before) == RefundAgreement($0.after) }) ?? true
            else { continue }
            agree(id, with: buy)
        }
    }

    /// Restates the live refunds of a changed buy with the amounts that the sales tell.
    ///
    /// Where they tell none, a refund has its share of a buy whose currencies, rate or country change, and otherwise
    /// keeps what it gave back.
    private mutating func align(refundsOf id: LineItemId, with buy: PlannedChange) {
        let refunds = final.liveRefunds(of: id)
        let isSharing = buy.changesMoney && RefundAgreement(buy.before) != RefundAgreement(buy.after)
        var shared: [LineItemId] = []
        for refund in refunds {
            let refundId = refund.item.lineItemId
            let old = changes[refundId]?.before ?? refund.item
            // The refund already has the buy's new members, because they did not change or because it was left behind
            // earlier; its amounts are correct unless the sales tell others.
            if RefundAgreement(old) == RefundAgreement(buy.after), !hasOtherAmounts(refundId, than: old) { continue }
            if changes[refundId] == nil {
                if leavingRefunds.contains(id) { continue }
                change(refund, .restate, to: refund.item, because: .comesAlong(with: id))
            }
            guard let change = changes[refundId] else { continue }
            changes[refundId]?.after = change.after.agreeing(with: buy.after, except: change.stated)
            if change.stated.statesMoney { continue }
            if takeAmounts(refundId) {
                if changes[refundId]?.changesMoney == true { warnAboutAmounts(refundId, of: id) }
            } else if RefundAgreement(change.before).needsOtherAmounts(than: RefundAgreement(buy.before)) {
                refuseForAmounts(refundId, buy: buy.after)
            } else if isSharing {
                shared.append(refundId)
            }
        }
        if shared.isEmpty { return }
        let shares = RefundShares(
            of: buy.before.amounts,
            becoming: buy.after.amounts,
            refunds: refunds.map { refund in
                let refundId = refund.item.lineItemId
                let old = changes[refundId]?.before.amounts ?? refund.item.amounts
                let isShared = shared.contains(refundId)
                return RefundShares.Refund(old: old, stated: isShared ? nil : changes[refundId]?.after.amounts ?? old)
            }
        )
        for (refund, share) in zip(refunds, shares.refunds) {
            let refundId = refund.item.lineItemId
            guard shared.contains(refundId), var amounts = changes[refundId]?.after.amounts else { continue }
            amounts.taxExclusive = share.taxExclusive
            amounts.tax = share.tax
            changes[refundId]?.after.amounts = amounts
            warnAboutAmounts(refundId, of: id)
        }
    }

    private mutating func warnAboutAmounts(_ refund: LineItemId, of buy: LineItemId) {
        warnings.append(
            CorrectionWarning(
                .refundAmountsDerived,
                refund,
                "the amounts of the refund \(refund) are its share of the corrected buy \(buy):"
                    + " state them if they were others"
            )
        )
    }

    /// The amounts that the sales tell for a refund; a moved one is known by the item that it replaces.
    private func knownAmounts(of refund: LineItemId) -> LineMoney? {
        if case .replaces(let old)? = changes[refund]?.cause { return refundAmounts[old] }
        return refundAmounts[refund]
    }

    private func hasOtherAmounts(_ refund: LineItemId, than item: LineItem) -> Bool {
        guard let known = knownAmounts(of: refund) else { return false }
        return known.taxExclusive != item.amounts.taxExclusive || known.tax != item.amounts.tax
    }

    /// Gives a changed refund the amounts that the sales tell.
    ///
    /// - Returns: false if they tell none.
    @discardableResult
    private mutating func takeAmounts(_ refund: LineItemId) -> Bool {
        guard let known = knownAmounts(of: refund), changes[refund] != nil else { return false }
        changes[refund]?.after.amounts.taxExclusive = known.taxExclusive
        changes[refund]?.after.amounts.tax = known.tax
        return true
    }

    /// Gives a refund with a request of its own the members that must equal its buy's.
    private mutating func agree(_ id: LineItemId, with buy: LineItem) {
        guard let change = changes[id], RefundAgreement(change.after) != RefundAgreement(buy) else { return }
        if RefundAgreement(change.before).needsOtherAmounts(than: RefundAgreement(buy)), !change.stated.statesMoney {
            refuseForAmounts(id, buy: buy)
        }
        changes[id]?.after = change.after.agreeing(with: buy, except: change.stated)
    }

    private mutating func refuseForAmounts(_ id: LineItemId, buy: LineItem) {
        refuse(
            .amountsNeeded,
            id,
            "the amounts of the refund \(id) are not in the currencies and at the rate of its buy"
                + " \(buy.lineItemId): state them in \(buy.amounts.reportingCurrency)"
        )
    }

    /// The operations of the correction, in an order that does not depend on the order of the requests.
    ///
    /// A refund on another token than its buy is retracted before the buy's report and restored after it. Otherwise its
    /// old amounts would temporarily be combined with the buy's new ones (RR-83).
    func operations() -> [CorrectionOperation] {
        let sorted = order.compactMap { changes[$0] }.sorted {
            ($0.after.reportRank, $0.after.creationDate, $0.after.lineItemId)
                < ($1.after.reportRank, $1.after.creationDate, $1.after.lineItemId)
        }
        return sorted.flatMap { change -> [CorrectionOperation] in
            let previous = change.action == .report ? nil : change.before
            let operation = CorrectionOperation(
                action: change.action,
                cause: change.cause,
                externalPurchaseId: change.externalPurchaseId,
                previous: previous,
                shownBefore: change.before,
                item: change.after
            )
            guard change.action == .restate, let buyId = change.after.reference, change.after.isRefund,
                let buy = changes[buyId], buy.externalPurchaseId != change.externalPurchaseId,
                RefundAgreement(buy.before) != RefundAgreement(buy.after),
                change.before.amounts.taxExclusive != change.after.amounts.taxExclusive
            else { return [operation] }
            var aside = change.before
            aside.version = .retraction
            return [
                CorrectionOperation(
                    action: .retract,
                    cause: .suspended(for: buyId),
                    externalPurchaseId: change.externalPurchaseId,
                    previous: change.before,
                    shownBefore: change.before,
                    item: aside
                ),
                CorrectionOperation(
                    action: .undo,
                    cause: change.cause,
                    externalPurchaseId: change.externalPurchaseId,
                    previous: aside,
                    shownBefore: aside,
                    item: change.after
                ),
            ]
        }
    }
}

extension PlannedChange {
    /// True when the change gives the item other amounts.
    fileprivate var changesMoney: Bool {
        before.amounts.taxExclusive != after.amounts.taxExclusive || before.amounts.tax != after.amounts.tax
    }
}

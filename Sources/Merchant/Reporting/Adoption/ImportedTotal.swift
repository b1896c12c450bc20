import ExternalPurchaseCore
import Ledger

/// A total that the merchant tells for a refund of which Apple accepted an amount from another system.
///
/// A report has the amount alone. The total counts the refunds of the purchase up to its moment, without chargebacks
/// (RR-46); which imported refunds were chargebacks is not known before the merchant sends them again (SA-43).
struct ImportedTotal {
    enum Verdict: Hashable {
        /// The total is what was refunded, up to the rounding of converted amounts.
        case equal
        /// The total is what was refunded if some of the imported refunds were chargebacks.
        case known
        /// More was refunded than Apple accepted.
        case more
        /// Less than Apple accepted.
        case less(Decimal)
    }

    let total: Decimal
    /// The refund, of an order the one of the whole order.
    let refund: StoredSale

    /// The number of refunds of one purchase for which every combination is tried.
    private static let mostCombined = 10

    init(_ total: Decimal, of refund: StoredSale) {
        self.total = total
        self.refund = refund
    }

    /// Compares the total with the accepted refunds of the purchase or order.
    func verdict(in ledger: LedgerQueries) throws(LedgerError) -> Verdict {
        let bundleId = refund.sale.bundleId
        guard let buyId = refund.sale.refund?.refundOf, let buy = try ledger.sale(buyId, of: bundleId) else {
            return .known
        }
        let places = try ledger.lines(of: buy)
        let shares = try ledger.lines(of: refund)
        let mine = (shares.isEmpty ? [refund] : shares).filter { !$0.isRetracted }
        let ids = Set(mine.map(\.sale.saleId))
        let own = mine.amount
        var certain: [StoredSale] = []
        var uncertain: [StoredSale] = []
        for place in places.isEmpty ? [buy] : places {
            for other in try ledger.refunds(of: place.sale.saleId, app: bundleId)
            where other.standing == .reported && other.sale.refund?.isChargeback == false
                && !ids.contains(other.sale.saleId) && other.sale.occurredAt <= refund.sale.occurredAt
            {
                let isCertain = !other.isImported && other.sale.occurredAt < refund.sale.occurredAt
                if isCertain { certain.append(other) } else { uncertain.append(other) }
            }
        }
        let most = own + certain.amount + uncertain.amount
        // Each amount that was computed back may be off by the rounding of its conversion.
        let purchase = buy.sale.purchase ?? places.first?.sale.purchase
        let slack = Decimal(mine.count + certain.count + uncertain.count) * (purchase?.conversionSlack ?? 0)
        if abs(total - most) <= slack { return .equal }
        if total > most { return .more }
        var sums: Set<Decimal> = [own + certain.amount]
        if uncertain.count <= Self.mostCombined {
            for other in uncertain { sums.formUnion(sums.map { $0 + [other].amount }) }
            if sums.contains(where: { abs($0 - total) <= slack }) { return .known }
        } else if let least = sums.first, total >= least - slack {
            return .known
        }
        return .less(most)
    }

    // MARK: What is missing

    /// Returns whether the refund of what is missing was stored before.
    func isStored(in ledger: LedgerQueries) throws(LedgerError) -> Bool {
        guard let buy = refund.sale.refund?.refundOf else { return true }
        return try ledger.refunds(of: buy, app: refund.sale.bundleId).contains { other in
            other.partOf == nil && other.sale.saleId != refund.sale.saleId
                && other.sale.refund?.refundedTotal == total && other.sale.occurredAt == refund.sale.occurredAt
        }
    }

    /// Stores the same total as a refund of its own, whose amount is what Apple has not accepted.
    ///
    /// - Returns: its identifier, `refund-1/2` beside `refund-1`.
    func store(now: Timestamp, in ledger: LedgerTransaction) throws(LedgerError) -> SaleId {
        let (saleId, bundleId) = (refund.sale.saleId, refund.sale.bundleId)
        var (number, id) = (2, saleId.line(2))
        while !(try ledger.isFree(id, of: bundleId)) {
            number += 1
            id = saleId.line(number)
        }
        guard let refunded = refund.sale.refund?.refundOf else { return saleId }
        let rest = Refund(refundOf: refunded, inclusive: 0, refundedTotal: total)
        _ = try ledger.insert(
            StoredSale(
                sale: refund.sale.line(id, .refund(rest)),
                lineItemId: LineItemId(id.rawValue),
                receivedAt: now,
                attribution: Attribution(state: .held, externalPurchaseId: nil, holdCauses: [.noToken])
            )
        )
        return id
    }
}

extension [StoredSale] {
    /// The sum that the refunds give back, in units of the currency billed.
    fileprivate var amount: Decimal { reduce(0) { $0 + ($1.sale.refund?.inclusive ?? 0) } }
}

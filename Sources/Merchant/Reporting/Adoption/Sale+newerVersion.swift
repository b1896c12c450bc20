import ExternalPurchaseCore
import Ledger

/// Carries what Apple accepted last over to the sale of a line item, which the merchant may have told with more than a
/// report contains.
extension Sale {
    /// Returns this sale as Apple has it since it accepted a newer version of its line item, or a line item in its place.
    ///
    /// What both accepted versions say stays as the merchant told it, such as a tax rate, a billed amount or the part of a
    /// total. Customer, checkout, environment and the name of a subscription are in no report and stay.
    ///
    /// - Parameters:
    ///   - newer: the sale of the newer item (``ImportedSale``).
    ///   - before: the sale of the item that was accepted before; nil if none is known.
    ///   - buy: the purchase of a refund, as it is now.
    ///   - roundings: the number of refunds with which this one was restated along with its purchase; 0 for a refund that
    ///     was restated itself.
    func following(_ newer: Sale, from before: Sale?, buy: Purchase?, roundings: Int64) -> Sale {
        var sale = self
        if before?.occurredAt != newer.occurredAt { sale.occurredAt = newer.occurredAt }
        switch (kind, newer.kind) {
        case (.purchase(let mine), .purchase(let its)):
            sale.kind = .purchase(mine.following(its, from: before?.purchase))
        case (.subscription(let mine), .subscription(let its)):
            let then = before?.subscriptionCharge
            sale.kind = .subscription(
                SubscriptionCharge(
                    subscriptionId: mine.subscriptionId,
                    period: then?.period == its.period ? mine.period : its.period,
                    event: then != nil && then?.event == its.event ? mine.event : its.event,
                    purchase: mine.purchase.following(its.purchase, from: then?.purchase)
                )
            )
        case (.refund(let mine), .refund(let its)):
            sale.kind = .refund(mine.following(its, from: before?.refund, of: buy, roundings: roundings))
        default: return sale
        }
        // The root of a moved tree names its new token; a refund and a later charge are where their purchase or start is.
        if let before, before.externalPurchaseId != newer.externalPurchaseId, newer.isRoot {
            sale.externalPurchaseId = newer.externalPurchaseId
        }
        return sale
    }

    /// True for a one-time purchase and the start of a subscription.
    private var isRoot: Bool {
        subscriptionCharge.map { $0.event == nil } ?? (purchase != nil)
    }
}

extension Purchase {
    /// Returns this purchase with what another accepted version says of it.
    fileprivate func following(_ newer: Purchase, from before: Purchase?) -> Purchase {
        let money = before.map { $0.hasMoney(of: newer) } == true ? self : charging(newer)
        return Purchase(
            productId: newer.productId,
            quantity: newer.quantity,
            currency: money.currency,
            inclusive: money.inclusive,
            tax: money.tax,
            taxCountry: newer.taxCountry,
            exchangeRate: money.exchangeRate
        )
    }

    private func hasMoney(of other: Purchase) -> Bool {
        currency == other.currency && inclusive == other.inclusive && tax == other.tax && hasRate(of: other)
    }

    private func hasRate(of other: Purchase) -> Bool {
        guard let mine = exchangeRate, let its = other.exchangeRate else {
            return exchangeRate == nil && other.exchangeRate == nil
        }
        return mine.rate.isSameNumber(as: its.rate) && (mine.to == nil || mine.to == its.to)
    }

    /// Returns the accepted money as the merchant would state it: with this purchase's tax rate, and with its billed amount
    /// in a currency that is not reported, where these convert to the accepted amounts.
    private func charging(_ newer: Purchase) -> Purchase {
        guard newer.currency == currency, let accepted = LineMoney(newer) else { return newer }
        func candidate(_ inclusive: Decimal, _ tax: Tax?, _ rate: QuotedRate?) -> Purchase? {
            let purchase = Purchase(
                productId: newer.productId,
                quantity: newer.quantity,
                currency: currency,
                inclusive: inclusive,
                tax: tax,
                taxCountry: newer.taxCountry,
                exchangeRate: rate
            )
            return LineMoney(purchase) == accepted ? purchase : nil
        }
        if needsRate, !isComputedBack {
            let rate = hasRate(of: newer) ? exchangeRate : newer.exchangeRate?.besideBilledAmount
            if let billed = candidate(inclusive, tax, rate) ?? candidate(inclusive, newer.tax, rate) { return billed }
        }
        return candidate(newer.inclusive, tax, newer.exchangeRate) ?? newer
    }
}

extension Refund {
    /// Returns this refund with the amounts of another accepted version.
    fileprivate func following(
        _ newer: Refund,
        from before: Refund?,
        of buy: Purchase?,
        roundings: Int64
    ) -> Refund {
        if let before, before.inclusive == newer.inclusive, before.tax == newer.tax { return self }
        let isSame = inclusive == newer.inclusive || buy.map { gaveBack(newer, of: $0, roundings: roundings) } == true
        if isSame, isShare || refundedTotal != nil || buy.map({ hasShareOfTax(newer, of: $0) }) == true { return self }
        // A changed refund is no share of an order's refund and no part of a total any more, as after a correction.
        return Refund(
            refundOf: refundOf,
            inclusive: isSame ? inclusive : newer.inclusive,
            tax: newer.tax,
            isChargeback: isChargeback
        )
    }

    /// Whether the amount of this refund in the currency billed, which is not reported, converts to the accepted one.
    private func gaveBack(_ newer: Refund, of buy: Purchase, roundings: Int64) -> Bool {
        if newer.billed(as: self, of: buy, lines: 1) != nil { return true }
        // The refund that uses up its purchase was reported with the rest of the amount.
        guard roundings > 0, buy.needsRate, let factor = buy.milliUnitsPerUnit,
            let mine = MilliUnits(rounding: inclusive * factor),
            let its = MilliUnits(rounding: newer.inclusive * factor)
        else { return false }
        return mine.value.distance(to: its.value).magnitude <= roundings
    }

    /// Whether the accepted tax is the share of the purchase's tax, which this refund has without a stated tax (RR-46).
    private func hasShareOfTax(_ newer: Refund, of buy: Purchase) -> Bool {
        guard tax == nil, buy.inclusive > 0, let factor = buy.milliUnitsPerUnit, let whole = LineMoney(buy),
            let stated = newer.tax
        else { return false }
        let share = Decimal(whole.tax.value) * inclusive / buy.inclusive
        return MilliUnits(rounding: share) == MilliUnits(rounding: stated * factor)
    }
}

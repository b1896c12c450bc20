import ExternalPurchaseCore
package import Ledger

extension Sale {
    /// The sale as the ledger holds it, with what it lacks.
    func completing(_ standing: Sale) -> Sale {
        var completed = standing
        completed.customerId = standing.customerId ?? customerId
        completed.checkoutId = standing.checkoutId ?? checkoutId
        completed.externalPurchaseId = standing.externalPurchaseId ?? externalPurchaseId
        completed.environment = standing.environment ?? environment
        completed.kind = kind.completing(standing.kind)
        return completed
    }

    /// The sale with the amounts of another reading of it; nil where there is nothing to replace.
    func withAmounts(of other: Sale) -> Sale? {
        var restated = self
        switch (kind, other.kind) {
        case (.purchase(let old), .purchase(let new)): restated.kind = .purchase(old.withAmounts(of: new))
        case (.order(let old), .order(let new)) where old.count == new.count:
            restated.kind = .order(zip(old, new).map { $0.withAmounts(of: $1) })
        case (.subscription(let old), .subscription(let new)):
            restated.kind = .subscription(
                SubscriptionCharge(
                    subscriptionId: old.subscriptionId,
                    period: old.period,
                    event: old.event,
                    purchase: old.purchase.withAmounts(of: new.purchase)
                )
            )
        case (.refund(let old), .refund(let new)) where old.refundOf == new.refundOf: restated.kind = .refund(new)
        default: return nil
        }
        return restated == self ? nil : restated
    }

    /// The sale with everything that a newer state of its payment says; it keeps its moment, and what a person gave it.
    package func restating(as other: Sale) -> Sale {
        var restated = self
        restated.customerId = customerId ?? other.customerId
        restated.checkoutId = checkoutId ?? other.checkoutId
        restated.externalPurchaseId = externalPurchaseId ?? other.externalPurchaseId
        switch (kind, other.kind) {
        case (.purchase(let old), .purchase(let new)): restated.kind = .purchase(old.restating(as: new))
        case (.subscription(let old), .subscription(let new)):
            restated.kind = .subscription(
                SubscriptionCharge(
                    subscriptionId: new.subscriptionId,
                    period: new.period,
                    event: new.event ?? old.event,
                    purchase: old.purchase.restating(as: new.purchase)
                )
            )
        case (.refund(let old), .refund(let new)) where old.refundOf == new.refundOf:
            if (old.statedAmount ?? old.inclusive) != new.inclusive { restated.kind = other.kind }
        default: restated.kind = other.kind
        }
        return restated
    }

    /// The same sale at another moment.
    func at(_ moment: Timestamp) -> Sale {
        var moved = self
        moved.occurredAt = moment
        return moved
    }

    /// Product and price of each line; empty for a sale without a price.
    package var purchases: [Purchase] { lines ?? [purchase].compactMap { $0 } }
}

extension Sale.Kind {
    fileprivate func completing(_ standing: Sale.Kind) -> Sale.Kind {
        switch (self, standing) {
        case (.purchase(let new), .purchase(let old)): .purchase(new.completing(old))
        case (.order(let new), .order(let old)) where new.count == old.count:
            .order(zip(new, old).map { $0.completing($1) })
        case (.subscription(let new), .subscription(let old)):
            .subscription(
                SubscriptionCharge(
                    subscriptionId: old.subscriptionId,
                    period: old.period,
                    event: old.event ?? new.event,
                    purchase: new.purchase.completing(old.purchase)
                )
            )
        default: standing
        }
    }
}

extension Purchase {
    /// False for a trial and everything else that cost nothing.
    var isCharged: Bool { inclusive > 0 }

    /// A tax of the price in thousandths, as a report has it; nil for none.
    private func reported(_ tax: Tax?) -> MilliUnits? {
        switch tax {
        case .amount(let amount): MilliUnits(rounding: amount * 1_000)
        case .rate(let rate): MilliUnits(rounding: inclusive * 1_000 * rate / (100 + rate))
        case nil: nil
        }
    }

    /// What a person added to the same price stays: its tax, where the state has none, and its exchange rate.
    fileprivate func restating(as other: Purchase) -> Purchase {
        let isSamePrice = currency == other.currency && inclusive == other.inclusive
        return Purchase(
            productId: other.productId,
            quantity: other.quantity,
            currency: other.currency,
            inclusive: other.inclusive,
            // The same tax in another form is no change that Apple could be told.
            tax: isSamePrice && reported(tax) == reported(other.tax) ? tax : other.tax ?? (isSamePrice ? tax : nil),
            taxCountry: other.taxCountry ?? taxCountry,
            exchangeRate: currency == other.currency ? exchangeRate : nil
        )
    }

    fileprivate func withAmounts(of other: Purchase) -> Purchase {
        Purchase(
            productId: productId,
            quantity: quantity,
            currency: other.currency,
            inclusive: other.inclusive,
            tax: other.tax,
            taxCountry: taxCountry ?? other.taxCountry,
            exchangeRate: currency == other.currency ? exchangeRate : nil
        )
    }

    fileprivate func completing(_ standing: Purchase) -> Purchase {
        Purchase(
            productId: standing.productId,
            quantity: standing.quantity,
            currency: standing.currency,
            inclusive: standing.inclusive,
            tax: standing.tax ?? tax,
            taxCountry: standing.taxCountry ?? taxCountry,
            exchangeRate: standing.exchangeRate
        )
    }
}

import ExternalPurchaseCore
import Ledger

extension Sale {
    /// The same sale under the pseudonym of a customer whose id was erased; a repetition must not bring the id back
    /// (OB-92).
    func forgetting(_ known: CustomerId?, in ledger: any LedgerReading) throws(LedgerError) -> Sale {
        guard customerId != nil, let known, customerId != known,
            try ledger.customer(known, of: bundleId)?.erasedAt != nil
        else { return self }
        return Sale(
            saleId: saleId,
            bundleId: bundleId,
            occurredAt: occurredAt,
            customerId: known,
            checkoutId: checkoutId,
            externalPurchaseId: externalPurchaseId,
            kind: kind
        )
    }

    /// True when another says the same and adds nothing but tax, tax country or exchange rate that are missing here.
    func isCompleted(by other: Sale) -> Bool {
        if let mine = lines, let its = other.lines {
            let isEachCompleted = mine.count == its.count && zip(mine, its).allSatisfy { $0.completed(by: $1) == $1 }
            return isEachCompleted && mine != its && other == with(.order(its))
        }
        guard let mine = purchase, let its = other.purchase else { return false }
        let merged = mine.completed(by: its)
        guard merged == its, its != mine else { return false }
        return other == replacing(merged)
    }

    private func replacing(_ purchase: Purchase) -> Sale {
        let replaced: Kind
        switch kind {
        case .purchase: replaced = .purchase(purchase)
        case .subscription(let charge):
            replaced = .subscription(
                SubscriptionCharge(
                    subscriptionId: charge.subscriptionId,
                    period: charge.period,
                    event: charge.event,
                    purchase: purchase
                )
            )
        case .order, .cancellation, .lapse, .refund, .chargebackReversal: replaced = kind
        }
        return Sale(
            saleId: saleId,
            bundleId: bundleId,
            occurredAt: occurredAt,
            customerId: customerId,
            checkoutId: checkoutId,
            externalPurchaseId: externalPurchaseId,
            kind: replaced
        )
    }
}

extension Purchase {
    /// With what is missing here as another one says it.
    fileprivate func completed(by other: Purchase) -> Purchase {
        Purchase(
            productId: productId,
            quantity: quantity,
            currency: currency,
            inclusive: inclusive,
            tax: tax ?? other.tax,
            taxCountry: taxCountry ?? other.taxCountry,
            exchangeRate: exchangeRate ?? other.exchangeRate
        )
    }
}

import ExternalPurchaseCore
import Ledger

extension Sale {
    /// Returns the sale with the pseudonym of its customer if the customer's identifier was erased.
    ///
    /// Otherwise a repeated sale would bring the identifier back (OB-92).
    func forgetting(_ known: CustomerId?, in ledger: LedgerQueries) throws(LedgerError) -> Sale {
        guard customerId != nil, let known, customerId != known,
            try ledger.customer(known, of: bundleId)?.erasedAt != nil
        else { return self }
        var sale = self
        sale.customerId = known
        return sale
    }

    /// Completes the sale with values of another version of it (RR-45, RR-47).
    ///
    /// The values are checkout, customer, token, tax, tax country and exchange rate. A field that is missing in one of
    /// the versions is no contradiction.
    ///
    /// - Returns: nil if the versions contradict each other.
    func completed(by other: Sale) -> Sale? {
        guard saleId == other.saleId, bundleId == other.bundleId, occurredAt == other.occurredAt,
            let customerId = Self.filled(customerId, other.customerId),
            let checkoutId = Self.filled(checkoutId, other.checkoutId),
            let externalPurchaseId = Self.filled(externalPurchaseId, other.externalPurchaseId),
            let environment = Self.filled(environment, other.environment),
            let payment = Self.filled(payment, other.payment), let system = Self.filled(system, other.system),
            let kind = kind.completed(by: other.kind)
        else { return nil }
        var sale = self
        sale.customerId = customerId
        sale.checkoutId = checkoutId
        sale.externalPurchaseId = externalPurchaseId
        sale.environment = environment
        sale.payment = payment
        sale.system = system
        sale.kind = kind
        return sale
    }

    /// Returns whether another version differs only in values that are not reported.
    ///
    /// These are customer and checkout, and a token name that is equal to the sale's present token.
    func differsInLinksOnly(from other: Sale, on token: ExternalPurchaseId?) -> Bool {
        let isSameToken =
            externalPurchaseId == other.externalPurchaseId || externalPurchaseId == nil || externalPurchaseId == token
        // A rate of known figures leads into their currency, stated or not.
        return isSameToken && occurredAt == other.occurredAt
            && (kind == other.kind || withoutRateTargets.kind == other.kind || kind == other.withoutRateTargets.kind)
    }

    /// Returns whether another version no longer contains a link of this one to a customer, checkout or token.
    func losesLinks(by other: Sale) -> Bool {
        func isLost<Value: Equatable>(_ mine: Value?, _ its: Value?) -> Bool { mine != nil && mine != its }
        return isLost(customerId, other.customerId) || isLost(checkoutId, other.checkoutId)
            || isLost(externalPurchaseId, other.externalPurchaseId) || (purchase != nil && other.purchase == nil)
    }

    /// Merges two values of a field; nil if they differ.
    fileprivate static func filled<Value: Equatable>(_ mine: Value?, _ its: Value?) -> Value?? {
        guard let mine else { return .some(its) }
        guard let its, mine != its else { return .some(mine) }
        return nil
    }
}

extension Sale.Kind {
    fileprivate func completed(by other: Sale.Kind) -> Sale.Kind? {
        switch (self, other) {
        case (.purchase(let mine), .purchase(let its)):
            return mine.completed(by: its).map(Sale.Kind.purchase)
        case (.subscription(let mine), .subscription(let its)):
            guard mine.subscriptionId == its.subscriptionId, mine.period == its.period,
                let event = Sale.filled(mine.event, its.event), let purchase = mine.purchase.completed(by: its.purchase)
            else { return nil }
            return .subscription(
                SubscriptionCharge(
                    subscriptionId: mine.subscriptionId,
                    period: mine.period,
                    event: event,
                    purchase: purchase
                )
            )
        case (.order(let mine), .order(let its)):
            guard mine.count == its.count else { return nil }
            let completed = zip(mine, its).compactMap { $0.completed(by: $1) }
            return completed.count == mine.count ? .order(completed) : nil
        case (.refund(let mine), .refund(let its)):
            guard let tax = Sale.filled(mine.tax, its.tax), let currency = Sale.filled(mine.currency, its.currency),
                mine.saying(tax: tax, currency: currency) == its.saying(tax: tax, currency: currency)
            else { return nil }
            return .refund(mine.saying(tax: tax, currency: currency))
        default:
            return self == other ? self : nil
        }
    }
}

extension Purchase {
    fileprivate func completed(by other: Purchase) -> Purchase? {
        guard productId.hasSameScalars(as: other.productId), quantity == other.quantity, currency == other.currency,
            inclusive == other.inclusive, let tax = Sale.filled(tax, other.tax),
            let taxCountry = Sale.filled(taxCountry, other.taxCountry),
            let exchangeRate = QuotedRate.filled(exchangeRate, other.exchangeRate)
        else { return nil }
        return Purchase(
            productId: productId,
            quantity: quantity,
            currency: currency,
            inclusive: inclusive,
            tax: tax,
            taxCountry: taxCountry,
            exchangeRate: exchangeRate
        )
    }
}

extension QuotedRate {
    /// Merges two rates, either of which may lack the currency into which it leads; nil if they differ.
    fileprivate static func filled(_ mine: QuotedRate?, _ its: QuotedRate?) -> QuotedRate?? {
        guard let mine, let its, let to = Sale.filled(mine.to, its.to) else { return Sale.filled(mine, its) }
        return Sale.filled(mine.into(to), its.into(to))
    }
}

extension Refund {
    func saying(tax: Decimal?, currency: String?) -> Refund {
        Refund(
            refundOf: refundOf,
            inclusive: inclusive,
            tax: tax,
            isChargeback: isChargeback,
            refundedTotal: refundedTotal,
            stated: stated,
            isShare: isShare,
            currency: currency
        )
    }
}

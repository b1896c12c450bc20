package import ExternalPurchaseCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What happened at the merchant's, with all that the caller said about it: money taken or given back, or an event of
/// a subscription that moves none.
package struct Sale: Hashable, Sendable {
    package let saleId: SaleId
    package let bundleId: BundleId
    /// Moment of authorisation; of a refund the moment of the refund.
    package let occurredAt: Timestamp
    package let customerId: CustomerId?
    package let checkoutId: CheckoutId?
    /// The token that the caller named, which need not be the one it is reported on (RR-60).
    package let externalPurchaseId: ExternalPurchaseId?
    package let kind: Kind

    package enum Kind: Hashable, Sendable {
        case purchase(Purchase)
        /// Several products bought at once, at least two; each line is stored as a sale of its own (see
        /// ``StoredSale/partOf``), and of this one itself nothing is reported.
        case order([Purchase])
        /// A period of a subscription, or another charge for it; free ones included.
        case subscription(SubscriptionCharge)
        /// Nothing is reported for it; paid days stop at its effect (RR-31).
        case cancellation(SubscriptionCancellation)
        /// A payment failed: nothing is reported for it; paid days stop there (RR-33).
        case lapse(SubscriptionId)
        case refund(Refund)
        /// The merchant won the money of a chargeback back, which retracts its refund (RR-80).
        case chargebackReversal(of: SaleId)
    }

    package init(
        saleId: SaleId,
        bundleId: BundleId,
        occurredAt: Timestamp,
        customerId: CustomerId? = nil,
        checkoutId: CheckoutId? = nil,
        externalPurchaseId: ExternalPurchaseId? = nil,
        kind: Kind
    ) {
        self.saleId = saleId
        self.bundleId = bundleId
        self.occurredAt = occurredAt
        self.customerId = customerId
        self.checkoutId = checkoutId
        self.externalPurchaseId = externalPurchaseId
        self.kind = kind
    }

    /// The same sale with other content.
    package func with(_ kind: Kind) -> Sale {
        Sale(
            saleId: saleId,
            bundleId: bundleId,
            occurredAt: occurredAt,
            customerId: customerId,
            checkoutId: checkoutId,
            externalPurchaseId: externalPurchaseId,
            kind: kind
        )
    }

    /// Product and money of a buy, be it a one-time purchase or a charge for a subscription.
    package var purchase: Purchase? {
        switch kind {
        case .purchase(let purchase): purchase
        case .subscription(let charge): charge.purchase
        case .order, .cancellation, .lapse, .refund, .chargebackReversal: nil
        }
    }

    /// The lines of a sale of several products; nil for every other one.
    package var lines: [Purchase]? {
        if case .order(let lines) = kind { lines } else { nil }
    }

    package var refund: Refund? {
        if case .refund(let refund) = kind { refund } else { nil }
    }

    package var subscriptionCharge: SubscriptionCharge? {
        if case .subscription(let charge) = kind { charge } else { nil }
    }

    /// The subscription that the sale itself names; a refund's is its buy's.
    package var subscriptionId: SubscriptionId? {
        switch kind {
        case .subscription(let charge): charge.subscriptionId
        case .cancellation(let cancellation): cancellation.subscriptionId
        case .lapse(let subscriptionId): subscriptionId
        case .purchase, .order, .refund, .chargebackReversal: nil
        }
    }

    /// The sale that this one takes back: a refund's buy, a reversal's chargeback.
    package var takenBack: SaleId? { refund?.refundOf ?? reversedChargeback }

    /// The chargeback that a reversal undoes.
    package var reversedChargeback: SaleId? {
        if case .chargebackReversal(let chargeback) = kind { chargeback } else { nil }
    }
}

/// What was bought and what was charged for it, in the currency billed; nought for a free trial or extension.
package struct Purchase: Hashable, Sendable {
    package let productId: String
    package let quantity: Int64
    /// Code of the currency billed.
    package let currency: String
    /// Units of the currency, tax included.
    package let inclusive: Decimal
    /// Nil holds the sale for a person (RR-47).
    package let tax: Tax?
    /// Alpha-3; nil holds the sale for a person (RR-47).
    package let taxCountry: String?
    package let exchangeRate: QuotedRate?

    package enum Tax: Hashable, Sendable {
        /// Units of the currency.
        case amount(Decimal)
        /// Per cent of the price without tax (RR-44).
        case rate(Decimal)
    }

    package init(
        productId: String,
        quantity: Int64,
        currency: String,
        inclusive: Decimal,
        tax: Tax?,
        taxCountry: String?,
        exchangeRate: QuotedRate? = nil
    ) {
        self.productId = productId
        self.quantity = quantity
        self.currency = currency
        self.inclusive = inclusive
        self.tax = tax
        self.taxCountry = taxCountry
        self.exchangeRate = exchangeRate
    }
}

/// A rate from pricing to reporting currency with where and when it was quoted (RR-45).
package struct QuotedRate: Hashable, Sendable {
    /// Canonical decimal text above 0, at most 12 digits after the point.
    package let rate: ExchangeRate
    package let source: String
    package let asOf: Timestamp

    package init(rate: ExchangeRate, source: String, asOf: Timestamp) {
        self.rate = rate
        self.source = source
        self.asOf = asOf
    }
}

/// A refund or chargeback; currencies, rate and tax country are its buy's (RR-46).
///
/// Its own amount is stated, or follows from a total (``refundedTotal``) or from the refund of a whole order
/// (``isShare``) and from the other refunds of the buy. A derived amount is computed anew for every plan until a report
/// or a manual export holds the refund; from then on ``inclusive`` is what was reported.
package struct Refund: Hashable, Sendable {
    package let refundOf: SaleId
    /// Units of the buy's currency, tax included; 0 while a derived amount is open.
    package let inclusive: Decimal
    /// Units of the buy's currency where the caller states it; else a share of the buy's tax.
    package let tax: Decimal?
    /// True when the customer's bank took the money back (SA-43: reported alike).
    package let isChargeback: Bool
    /// All that was refunded of the buy up to and with this refund, chargebacks left out.
    ///
    /// Units of the buy's currency, tax included; nil where the caller states the refund's own amount.
    package let refundedTotal: Decimal?
    /// The amount as the caller stated it where ``inclusive`` is another one: the whole amount of a share, or an amount
    /// that a total reported earlier contains in part.
    package let stated: Decimal?
    /// True for the part of an order's refund that falls to one of its lines.
    package let isShare: Bool
    /// Code of the currency that the caller gave while the buy was not known; it must be the buy's.
    package let currency: String?

    package init(
        refundOf: SaleId,
        inclusive: Decimal,
        tax: Decimal? = nil,
        isChargeback: Bool = false,
        refundedTotal: Decimal? = nil,
        stated: Decimal? = nil,
        isShare: Bool = false,
        currency: String? = nil
    ) {
        self.refundOf = refundOf
        self.inclusive = inclusive
        self.tax = tax
        self.isChargeback = isChargeback
        self.refundedTotal = refundedTotal
        self.stated = stated
        self.isShare = isShare
        self.currency = currency
    }

    /// The amount that the caller stated for the refund or, of a share, for the refund of the whole order; nil where a
    /// total was given.
    package var statedAmount: Decimal? { refundedTotal == nil ? stated ?? inclusive : nil }

    /// The same refund with its own amount.
    package func amounting(to amount: Decimal) -> Refund {
        let isAsStated = !isShare && refundedTotal == nil && amount == statedAmount
        return Refund(
            refundOf: refundOf,
            inclusive: amount,
            tax: tax,
            isChargeback: isChargeback,
            refundedTotal: refundedTotal,
            stated: isAsStated || refundedTotal != nil ? nil : statedAmount,
            isShare: isShare,
            currency: currency
        )
    }

    /// The same refund without the currency that was given, where that is the buy's.
    package func knowing(currency known: String) -> Refund {
        guard currency == known else { return self }
        return Refund(
            refundOf: refundOf,
            inclusive: inclusive,
            tax: tax,
            isChargeback: isChargeback,
            refundedTotal: refundedTotal,
            stated: stated,
            isShare: isShare
        )
    }
}

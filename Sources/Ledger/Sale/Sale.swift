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

    /// Product and money of a buy, be it a one-time purchase or a charge for a subscription.
    package var purchase: Purchase? {
        switch kind {
        case .purchase(let purchase): purchase
        case .subscription(let charge): charge.purchase
        case .cancellation, .lapse, .refund, .chargebackReversal: nil
        }
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
        case .purchase, .refund, .chargebackReversal: nil
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
package struct Refund: Hashable, Sendable {
    package let refundOf: SaleId
    /// Units of the buy's currency, tax included.
    package let inclusive: Decimal
    /// Units of the buy's currency where the caller states it; else a share of the buy's tax.
    package let tax: Decimal?
    /// True when the customer's bank took the money back (SA-43: reported alike).
    package let isChargeback: Bool

    package init(refundOf: SaleId, inclusive: Decimal, tax: Decimal? = nil, isChargeback: Bool = false) {
        self.refundOf = refundOf
        self.inclusive = inclusive
        self.tax = tax
        self.isChargeback = isChargeback
    }
}

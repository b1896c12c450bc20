package import ExternalPurchaseCore

/// A business event as the caller submitted it: a payment, a repayment, or an event of a subscription without money.
package struct Sale: Hashable, Sendable {
    package var saleId: SaleId
    package var bundleId: BundleId
    /// The time of authorisation; for a refund, the time of the refund.
    package var occurredAt: Timestamp
    package var customerId: CustomerId?
    package var checkoutId: CheckoutId?
    /// The token that the caller named; the sale may be reported on another token (RR-60).
    package var externalPurchaseId: ExternalPurchaseId?
    /// The environment of its token, where the caller knows it: sandbox for payments in a provider's test mode.
    ///
    /// If nil, the token decides (SA-90).
    package var environment: AppStoreEnvironment?
    /// The payment of a provider that this sale is, where the caller sends the sale of a payment whose events gave none.
    package var payment: PaymentLink?
    /// The customer's system, where it made no token for the purchase: the sale is listed for the report by hand (OB-61).
    package var system: SystemRelease?
    package var kind: Kind

    // Behind one reference: planning copies sales far more often than it reads their amounts.
    package indirect enum Kind: Hashable, Sendable {
        case purchase(Purchase)
        /// An order of at least two products.
        ///
        /// Each line is stored as a sale of its own (see ``StoredSale/partOf``); the order itself is not reported.
        case order([Purchase])
        /// A period of a subscription or another charge for it, including free ones.
        case subscription(SubscriptionCharge)
        /// The end of a subscription. It is not reported; paid days stop when it takes effect (RR-31).
        case cancellation(SubscriptionCancellation)
        /// A failed payment of a subscription. It is not reported; paid days stop at its time (RR-33).
        case lapse(SubscriptionId)
        case refund(Refund)
        /// The merchant recovered the money of a chargeback; its refund is retracted (RR-80).
        case chargebackReversal(of: SaleId)
    }

    package init(
        saleId: SaleId,
        bundleId: BundleId,
        occurredAt: Timestamp,
        customerId: CustomerId? = nil,
        checkoutId: CheckoutId? = nil,
        externalPurchaseId: ExternalPurchaseId? = nil,
        environment: AppStoreEnvironment? = nil,
        payment: PaymentLink? = nil,
        system: SystemRelease? = nil,
        kind: Kind
    ) {
        self.saleId = saleId
        self.bundleId = bundleId
        self.occurredAt = occurredAt
        self.customerId = customerId
        self.checkoutId = checkoutId
        self.externalPurchaseId = externalPurchaseId
        self.environment = environment
        self.payment = payment
        self.system = system
        self.kind = kind
    }

    /// The same sale with other content.
    package func with(_ kind: Kind) -> Sale {
        var sale = self
        sale.kind = kind
        return sale
    }

    /// Product and money of a one-time purchase or of a charge for a subscription; nil for every other kind.
    package var purchase: Purchase? {
        switch kind {
        case .purchase(let purchase): purchase
        case .subscription(let charge): charge.purchase
        case .order, .cancellation, .lapse, .refund, .chargebackReversal: nil
        }
    }

    /// The lines of an order; nil for every other sale.
    package var lines: [Purchase]? {
        if case .order(let lines) = kind { lines } else { nil }
    }

    package var refund: Refund? {
        if case .refund(let refund) = kind { refund } else { nil }
    }

    package var subscriptionCharge: SubscriptionCharge? {
        if case .subscription(let charge) = kind { charge } else { nil }
    }

    /// The subscription that the sale itself names; nil for a refund, which belongs to its buy's subscription.
    package var subscriptionId: SubscriptionId? {
        switch kind {
        case .subscription(let charge): charge.subscriptionId
        case .cancellation(let cancellation): cancellation.subscriptionId
        case .lapse(let subscriptionId): subscriptionId
        case .purchase, .order, .refund, .chargebackReversal: nil
        }
    }

    /// The sale that this one reverses: the buy of a refund, or the chargeback of a reversal.
    package var takenBack: SaleId? { refund?.refundOf ?? reversedChargeback }

    /// The chargeback that a reversal cancels.
    package var reversedChargeback: SaleId? {
        if case .chargebackReversal(let chargeback) = kind { chargeback } else { nil }
    }
}

/// A product and its price in the currency billed; the price is 0 for a free trial or extension.
package struct Purchase: Hashable, Sendable {
    @ExactText package private(set) var productId: String
    /// The number of units sold, at most ``largestQuantity`` in a sale that arrives.
    package let quantity: Int64
    /// The code of the currency billed.
    package let currency: String
    /// The price in units of the currency, tax included.
    package let inclusive: Decimal
    /// If nil, the sale is held for a person (RR-47).
    package let tax: Tax?
    /// ISO 3166-1 alpha-3; if nil, the sale is held for a person (RR-47).
    package let taxCountry: String?
    package let exchangeRate: QuotedRate?

    /// The largest quantity of a sale that arrives: a billion.
    ///
    /// Apple's report takes 64 bits and never computes with the number, so that a time or an amount in minor units that
    /// came into the wrong field would be reported unnoticed. UNIX seconds and milliseconds are above this limit.
    package static let largestQuantity: Int64 = 1_000_000_000

    package enum Tax: Hashable, Sendable {
        /// An amount in units of the currency.
        case amount(Decimal)
        /// A rate in per cent of the price without tax (RR-44).
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

/// A rate from pricing to reporting currency, with its source and time (RR-45).
package struct QuotedRate: Hashable, Sendable {
    /// Canonical decimal text above 0, at most 12 decimal places.
    package let rate: ExchangeRate
    package let source: String
    package let asOf: Timestamp
    /// The code of the currency into which the rate leads; nil while it is neither stated nor known (RR-51).
    package let to: String?

    package init(rate: ExchangeRate, source: String, asOf: Timestamp, to: String? = nil) {
        self.rate = rate
        self.source = source
        self.asOf = asOf
        self.to = to
    }

    /// The same rate, leading into a currency.
    package func into(_ currency: String?) -> QuotedRate {
        QuotedRate(rate: rate, source: source, asOf: asOf, to: currency)
    }

    /// The stored form.
    package var json: JSONValue {
        var members: JSONObject = [
            "rate": .string(rate.text), "source": .string(source),
            "asOf": .string(asOf.description),
        ]
        if let to { members["to"] = .string(to) }
        return .object(members)
    }

    /// Reads the output of ``json``; returns nil when the stored text is invalid.
    package init?(stored json: JSONValue) {
        guard let object = json.objectValue, let rate = object["rate"]?.stringValue.flatMap({ ExchangeRate($0) }),
            let source = object["source"]?.stringValue,
            let asOf = object["asOf"]?.stringValue.flatMap(Timestamp.init(rfc3339:))
        else { return nil }
        self.init(rate: rate, source: source, asOf: asOf, to: object["to"]?.stringValue)
    }
}

/// A refund or chargeback; it has the currencies, rate and tax country of its buy (RR-46).
///
/// The caller states its amount, or it is derived from a total (``refundedTotal``) or from the refund of a complete
/// order (``isShare``), and from the other refunds of the buy. Every plan recomputes a derived amount until the refund
/// is in a report or a manual export; from then on ``inclusive`` is the reported amount.
package struct Refund: Hashable, Sendable {
    package let refundOf: SaleId
    /// The amount in units of the buy's currency, tax included; 0 while a derived amount is not final.
    package let inclusive: Decimal
    /// The tax that the caller stated, in units of the buy's currency; nil means a share of the buy's tax.
    package let tax: Decimal?
    /// True when the customer's bank charged the money back (SA-43: reported like a refund).
    package let isChargeback: Bool
    /// The sum of all refunds of the buy up to and including this one, without chargebacks.
    ///
    /// In units of the buy's currency, tax included; nil where the caller states the refund's own amount.
    package let refundedTotal: Decimal?
    /// The amount that the caller stated, where it differs from ``inclusive``.
    ///
    /// It is the order's amount for a share, or an amount of which an earlier reported total contains a part.
    package let stated: Decimal?
    /// True for one line's share of the refund of an order.
    package let isShare: Bool
    /// The currency that the caller gave before the buy was known; it must equal the buy's.
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

    /// The amount that the caller stated for the refund or, for a share, for the refund of the order.
    ///
    /// Nil where the caller gave a total.
    package var statedAmount: Decimal? { refundedTotal == nil ? stated ?? inclusive : nil }

    /// Returns the same refund with the given own amount.
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

    /// Returns the same refund without its stated currency if the buy has that currency.
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

/// A payment of a provider, such as Stripe's `pi_…`; what its events tell is given back is that of the sale.
package struct PaymentLink: Hashable, Sendable {
    package let provider: PaymentProvider
    /// The provider's id of the payment intent, charge or invoice.
    @ExactText package private(set) var id: String

    package init(provider: PaymentProvider, id: String) {
        self.provider = provider
        self.id = id
    }
}

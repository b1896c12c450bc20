/// A report that the merchant's side creates.
///
/// Its initializer requires every member that the endpoint requires.
public struct Report: Hashable, Sendable {
    /// The UUID of the report.
    ///
    /// Every attempt to send the report repeats it (SA-60).
    public var requestIdentifier: RequestIdentifier
    /// The token that the report is about.
    public var externalPurchaseId: ExternalPurchaseId
    /// What the report says about the token.
    public var content: Content

    /// What a report says about its token.
    public enum Content: Hashable, Sendable {
        /// Transactions or corrections, 1 to 1,000 items.
        case lineItems([LineItem])
        /// A status without items.
        ///
        /// `LINE_ITEM` requires items.
        case status(ReportStatus)
    }

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - requestIdentifier: the UUID of the report.
    ///   - externalPurchaseId: the token that the report is about.
    ///   - content: what the report says about the token.
    public init(requestIdentifier: RequestIdentifier, externalPurchaseId: ExternalPurchaseId, content: Content) {
        self.requestIdentifier = requestIdentifier
        self.externalPurchaseId = externalPurchaseId
        self.content = content
    }

    /// The report as the endpoint reads it.
    ///
    /// Its `json` is sent.
    public var asReceived: ReceivedReport {
        var report = ReceivedReport()
        report.requestIdentifier = requestIdentifier
        report.externalPurchaseId = externalPurchaseId
        switch content {
        case .lineItems(let items):
            report.status = .lineItem
            report.lineItems = items.map(\.asReceived)
        case .status(let status):
            report.status = status
        }
        return report
    }

    /// The exact bytes of the body.
    public var body: [UInt8] { asReceived.json.encoded() }
}

/// A line item that the merchant's side creates: the members that all kinds share, and those of its kind.
public struct LineItem: Hashable, Sendable {
    /// The developer's own id, 1 to 128 characters.
    public var lineItemId: LineItemId
    /// When the payment was authorised, or for a refund when the refund was made.
    public var creationDate: Timestamp
    /// The amounts and currencies.
    public var amounts: LineItemAmounts
    /// The country that collects the tax, as alpha-3 code.
    public var taxCountry: String
    /// Whether the item restates or retracts an accepted one.
    public var version: Version
    /// The kind, with its own members.
    public var kind: Kind

    /// The three kinds of line items.
    public enum Kind: Hashable, Sendable {
        /// A one-time buy.
        case oneTimeBuy(OneTimeBuy)
        /// The start of a subscription or a later event in it.
        case subscription(Subscription)
        /// A refund or chargeback of the named buy.
        case refund(of: LineItemId)
    }

    /// Whether an item restates or retracts an accepted one.
    public enum Version: Hashable, Sendable {
        /// The first version.
        case original
        /// A newer version of an accepted item.
        case restatement
        /// A restatement that marks the item as erroneously submitted.
        case retraction
    }

    /// The members of a one-time buy.
    public struct OneTimeBuy: Hashable, Sendable {
        /// The developer's product identifier, 1 to 256 characters.
        public var productIdentifier: String
        /// The number of units, above 0.
        public var quantity: Int64

        /// Creates the members of a one-time buy.
        ///
        /// - Parameters:
        ///   - productIdentifier: the developer's product identifier.
        ///   - quantity: the number of units.
        public init(productIdentifier: String, quantity: Int64) {
            self.productIdentifier = productIdentifier
            self.quantity = quantity
        }
    }

    /// The members of a subscription event.
    public struct Subscription: Hashable, Sendable {
        /// The developer's product identifier, 1 to 256 characters.
        public var productIdentifier: String
        /// The number of units, above 0.
        public var quantity: Int64
        /// The kind of event.
        public var event: SubscriptionEvent
        /// The line item of the subscription's start; nil when the event is the start.
        public var start: LineItemId?
        /// Start of the period.
        public var periodStart: Timestamp
        /// End of the period.
        public var periodEnd: Timestamp
        /// The days of paid service before the event, 0 for a start.
        public var daysOfPaidService: Int32

        /// Creates the members of a subscription event.
        ///
        /// - Parameters:
        ///   - productIdentifier: the developer's product identifier.
        ///   - quantity: the number of units.
        ///   - event: the kind of event.
        ///   - start: the line item of the subscription's start.
        ///   - periodStart: the start of the period.
        ///   - periodEnd: the end of the period.
        ///   - daysOfPaidService: the days of paid service before the event.
        public init(
            productIdentifier: String,
            quantity: Int64,
            event: SubscriptionEvent,
            start: LineItemId?,
            periodStart: Timestamp,
            periodEnd: Timestamp,
            daysOfPaidService: Int32
        ) {
            self.productIdentifier = productIdentifier
            self.quantity = quantity
            self.event = event
            self.start = start
            self.periodStart = periodStart
            self.periodEnd = periodEnd
            self.daysOfPaidService = daysOfPaidService
        }
    }

    /// Creates a line item.
    ///
    /// - Parameters:
    ///   - lineItemId: the developer's own id.
    ///   - creationDate: when the payment was authorised.
    ///   - amounts: the amounts and currencies.
    ///   - taxCountry: the country that collects the tax.
    ///   - version: whether the item restates or retracts an accepted one.
    ///   - kind: the kind, with its own members.
    public init(
        lineItemId: LineItemId,
        creationDate: Timestamp,
        amounts: LineItemAmounts,
        taxCountry: String,
        version: Version = .original,
        kind: Kind
    ) {
        self.lineItemId = lineItemId
        self.creationDate = creationDate
        self.amounts = amounts
        self.taxCountry = taxCountry
        self.version = version
        self.kind = kind
    }

    /// The item as the endpoint reads it.
    public var asReceived: ReceivedLineItem {
        var item = ReceivedLineItem()
        item.lineItemId = lineItemId
        item.creationDate = creationDate.milliseconds
        switch kind {
        case .oneTimeBuy(let buy):
            item.eventType = .buy
            item.productType = .oneTimeBuy
            item.productIdentifier = buy.productIdentifier
            item.quantity = buy.quantity
        case .subscription(let subscription):
            item.eventType = .buy
            item.productType = .subscription
            item.productIdentifier = subscription.productIdentifier
            item.quantity = subscription.quantity
            item.subscriptionEvent = subscription.event
            item.subscriptionStartDate = subscription.periodStart.milliseconds
            item.subscriptionEndDate = subscription.periodEnd.milliseconds
            item.subscriptionDaysOfPaidService = subscription.daysOfPaidService
            item.referenceLineItemId = subscription.start
        case .refund(let buy):
            item.eventType = .refund
            item.referenceLineItemId = buy
        }
        item.amountTaxExclusive = amounts.taxExclusive.value
        item.taxAmount = amounts.tax.value
        item.amountTaxInclusive = amounts.taxInclusive.value
        item.netAmountTaxExclusive = amounts.netTaxExclusive.value
        item.pricingCurrency = amounts.pricingCurrency
        item.reportingCurrency = amounts.reportingCurrency
        item.exchangeRate = amounts.exchangeRate
        item.taxCountry = taxCountry
        if version != .original { item.restatement = true }
        if version == .retraction { item.erroneouslySubmitted = true }
        return item
    }
}

/// The amounts of a line item in milli-units of the reporting currency.
public struct LineItemAmounts: Hashable, Sendable {
    /// The amount without tax.
    public var taxExclusive: MilliUnits
    /// The tax.
    public var tax: MilliUnits
    /// What remains of the buy after all its refunds, without tax (RR-20).
    public var netTaxExclusive: MilliUnits
    /// The currency in which the customer was billed.
    public var pricingCurrency: String
    /// The currency of the amounts, one of 44.
    public var reportingCurrency: String
    /// The rate between the currencies; nil exactly when they are equal (SA-40).
    public var exchangeRate: ExchangeRate?

    /// The amount with tax.
    ///
    /// It is computed as the sum, so it always agrees with the other two (RR-42).
    public var taxInclusive: MilliUnits { MilliUnits(taxExclusive.value &+ tax.value) }

    /// Creates amounts.
    ///
    /// - Parameters:
    ///   - taxExclusive: the amount without tax.
    ///   - tax: the tax.
    ///   - netTaxExclusive: what remains of the buy after all its refunds, without tax.
    ///   - pricingCurrency: the currency in which the customer was billed.
    ///   - reportingCurrency: the currency of the amounts.
    ///   - exchangeRate: the rate between the currencies.
    public init(
        taxExclusive: MilliUnits,
        tax: MilliUnits,
        netTaxExclusive: MilliUnits,
        pricingCurrency: String,
        reportingCurrency: String,
        exchangeRate: ExchangeRate? = nil
    ) {
        self.taxExclusive = taxExclusive
        self.tax = tax
        self.netTaxExclusive = netTaxExclusive
        self.pricingCurrency = pricingCurrency
        self.reportingCurrency = reportingCurrency
        self.exchangeRate = exchangeRate
    }
}

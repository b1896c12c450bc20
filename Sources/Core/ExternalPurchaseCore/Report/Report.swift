/// A report as the merchant's side writes it, complete by its type.
public struct Report: Hashable, Sendable {
    /// The UUID of the report, the same at every attempt to send it (SA-60).
    public var requestIdentifier: RequestIdentifier
    /// The token that the report is about.
    public var externalPurchaseId: ExternalPurchaseId
    /// What it says.
    public var content: Content

    /// What a report says about its token.
    public enum Content: Hashable, Sendable {
        /// Transactions or corrections, 1 to 1,000.
        case lineItems([LineItem])
        /// A status without items; `LINE_ITEM` needs items.
        case status(ReportStatus)
    }

    /// A report.
    ///
    /// - Parameters:
    ///   - requestIdentifier: the UUID of the report.
    ///   - externalPurchaseId: the token that the report is about.
    ///   - content: what it says.
    public init(requestIdentifier: RequestIdentifier, externalPurchaseId: ExternalPurchaseId, content: Content) {
        self.requestIdentifier = requestIdentifier
        self.externalPurchaseId = externalPurchaseId
        self.content = content
    }

    /// The report in the endpoint's reading; its `json` is what is sent.
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

/// A line item as the merchant's side writes it: what all kinds share, and the kind.
public struct LineItem: Hashable, Sendable {
    /// The developer's own id, 1 to 128 characters.
    public var lineItemId: LineItemId
    /// Moment of authorisation; of a refund the moment of the refund.
    public var creationDate: Timestamp
    /// Amounts and currencies.
    public var amounts: LineItemAmounts
    /// The country that collects the tax, alpha-3.
    public var taxCountry: String
    /// Whether the item restates or retracts an accepted one.
    public var version: Version
    /// Which of the three kinds it is.
    public var kind: Kind

    /// The three kinds of line items.
    public enum Kind: Hashable, Sendable {
        /// A one-time buy.
        case oneTimeBuy(OneTimeBuy)
        /// The start of a subscription or a later event of it.
        case subscription(Subscription)
        /// A refund or chargeback of the buy that it names.
        case refund(of: LineItemId)
    }

    /// Whether an item restates or retracts an accepted one.
    public enum Version: Hashable, Sendable {
        /// The first version.
        case original
        /// A newer version of an accepted item.
        case restatement
        /// A restatement that says the item never happened.
        case retraction
    }

    /// What a one-time buy adds.
    public struct OneTimeBuy: Hashable, Sendable {
        /// The developer's product, 1 to 256 characters.
        public var productIdentifier: String
        /// How many, above 0.
        public var quantity: Int64

        /// A one-time buy.
        ///
        /// - Parameters:
        ///   - productIdentifier: the developer's product.
        ///   - quantity: how many.
        public init(productIdentifier: String, quantity: Int64) {
            self.productIdentifier = productIdentifier
            self.quantity = quantity
        }
    }

    /// What an event of a subscription adds.
    public struct Subscription: Hashable, Sendable {
        /// The developer's product, 1 to 256 characters.
        public var productIdentifier: String
        /// How many, above 0.
        public var quantity: Int64
        /// What happened.
        public var event: SubscriptionEvent
        /// The start's line item; nil for the start itself.
        public var start: LineItemId?
        /// Start of the period.
        public var periodStart: Timestamp
        /// End of the period.
        public var periodEnd: Timestamp
        /// Paid days before the event, 0 for a start.
        public var daysOfPaidService: Int32

        /// An event.
        ///
        /// - Parameters:
        ///   - productIdentifier: the developer's product.
        ///   - quantity: how many.
        ///   - event: what happened.
        ///   - start: the start's line item.
        ///   - periodStart: start of the period.
        ///   - periodEnd: end of the period.
        ///   - daysOfPaidService: paid days before the event.
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

    /// A line item.
    ///
    /// - Parameters:
    ///   - lineItemId: the developer's own id.
    ///   - creationDate: moment of authorisation.
    ///   - amounts: amounts and currencies.
    ///   - taxCountry: the country that collects the tax.
    ///   - version: whether the item restates or retracts an accepted one.
    ///   - kind: which of the three kinds it is.
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

    /// The item in the endpoint's reading.
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

/// The money of a line item in milli-units of the reporting currency.
public struct LineItemAmounts: Hashable, Sendable {
    /// Without tax.
    public var taxExclusive: MilliUnits
    /// The tax.
    public var tax: MilliUnits
    /// What is left of the buy after all its refunds, without tax (RR-20).
    public var netTaxExclusive: MilliUnits
    /// The currency billed.
    public var pricingCurrency: String
    /// The currency reported, one of 44.
    public var reportingCurrency: String
    /// The rate between them; nil exactly when they are equal (SA-40).
    public var exchangeRate: ExchangeRate?

    /// With tax: the sum, which therefore always holds (RR-42).
    public var taxInclusive: MilliUnits { MilliUnits(taxExclusive.value &+ tax.value) }

    /// Amounts.
    ///
    /// - Parameters:
    ///   - taxExclusive: without tax.
    ///   - tax: the tax.
    ///   - netTaxExclusive: what is left of the buy.
    ///   - pricingCurrency: the currency billed.
    ///   - reportingCurrency: the currency reported.
    ///   - exchangeRate: the rate between them.
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

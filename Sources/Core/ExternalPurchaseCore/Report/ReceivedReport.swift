/// A report as it was received: every member is optional, and unknown members are dropped (spec/04 section 6).
public struct ReceivedReport: Hashable, Sendable {
    /// The UUID of the report.
    public var requestIdentifier: RequestIdentifier?
    /// The token that the report is about.
    public var externalPurchaseId: ExternalPurchaseId?
    /// What the report says about the token.
    public var status: ReportStatus?
    /// The line items; nil when the member is absent.
    ///
    /// Absent and empty differ only on the wire (SA-31).
    public var lineItems: [ReceivedLineItem]?

    /// Creates a report without members.
    public init() {}

    /// The report as JSON, without absent members (SA-23).
    public var json: JSONValue {
        var members: JSONObject = [:]
        if let requestIdentifier { members["requestIdentifier"] = .string(requestIdentifier.text) }
        if let externalPurchaseId {
            members["externalPurchaseId"] = .string(externalPurchaseId.rawValue)
        }
        if let status { members["status"] = .string(status.rawValue) }
        if let lineItems { members["lineItems"] = .array(lineItems.map(\.json)) }
        return .object(members)
    }
}

/// A line item as it was received: every member is optional.
public struct ReceivedLineItem: Hashable, Sendable {
    /// The developer's own id.
    public var lineItemId: LineItemId?
    /// When the payment was authorised, in UNIX ms.
    public var creationDate: Int64?
    /// Whether the item is a buy or a refund.
    public var eventType: EventType?
    /// What was sold.
    public var productType: ProductType?
    /// The developer's product identifier.
    public var productIdentifier: String?
    /// The number of units.
    ///
    /// No rule calculates with it.
    public var quantity: Int64?
    /// What happened to the subscription.
    public var subscriptionEvent: SubscriptionEvent?
    /// The start of the period in UNIX ms.
    public var subscriptionStartDate: Int64?
    /// The end of the period in UNIX ms.
    public var subscriptionEndDate: Int64?
    /// The days of paid service before the event.
    public var subscriptionDaysOfPaidService: Int32?
    /// For a subscription event, the line item of the subscription's start; for a refund, that of the refunded buy.
    public var referenceLineItemId: LineItemId?
    /// The amount without tax, in milli-units of the reporting currency.
    public var amountTaxExclusive: Int64?
    /// The tax, in milli-units of the reporting currency.
    public var taxAmount: Int64?
    /// The amount with tax, in milli-units of the reporting currency.
    public var amountTaxInclusive: Int64?
    /// What remains of the buy after its refunds, without tax, in milli-units of the reporting currency.
    public var netAmountTaxExclusive: Int64?
    /// The currency in which the customer was billed.
    public var pricingCurrency: String?
    /// The currency of the amounts in the report.
    public var reportingCurrency: String?
    /// The rate from the pricing currency to the reporting currency.
    public var exchangeRate: ExchangeRate?
    /// The country that collects the tax, as alpha-3 code.
    public var taxCountry: String?
    /// True when the item replaces an accepted one.
    public var restatement: Bool?
    /// True when the item should never have been submitted.
    public var erroneouslySubmitted: Bool?

    /// Creates an item without members.
    public init() {}

    /// The item as JSON, without absent members.
    public var json: JSONValue {
        var members: JSONObject = [:]
        func add(_ key: String, _ value: JSONValue?) {
            if let value { members[key] = value }
        }
        add("lineItemId", lineItemId.map { .string($0.rawValue) })
        add("creationDate", creationDate.map(JSONValue.integer))
        add("eventType", eventType.map { .string($0.rawValue) })
        add("productType", productType.map { .string($0.rawValue) })
        add("productIdentifier", productIdentifier.map(JSONValue.string))
        add("quantity", quantity.map(JSONValue.integer))
        add("subscriptionEvent", subscriptionEvent.map { .string($0.rawValue) })
        add("subscriptionStartDate", subscriptionStartDate.map(JSONValue.integer))
        add("subscriptionEndDate", subscriptionEndDate.map(JSONValue.integer))
        add("subscriptionDaysOfPaidService", subscriptionDaysOfPaidService.map { .integer(Int64($0)) })
        add("referenceLineItemId", referenceLineItemId.map { .string($0.rawValue) })
        add("amountTaxExclusive", amountTaxExclusive.map(JSONValue.integer))
        add("taxAmount", taxAmount.map(JSONValue.integer))
        add("amountTaxInclusive", amountTaxInclusive.map(JSONValue.integer))
        add("netAmountTaxExclusive", netAmountTaxExclusive.map(JSONValue.integer))
        add("pricingCurrency", pricingCurrency.map(JSONValue.string))
        add("reportingCurrency", reportingCurrency.map(JSONValue.string))
        add("exchangeRate", exchangeRate?.json)
        add("taxCountry", taxCountry.map(JSONValue.string))
        add("restatement", restatement.map(JSONValue.bool))
        add("erroneouslySubmitted", erroneouslySubmitted.map(JSONValue.bool))
        return .object(members)
    }
}

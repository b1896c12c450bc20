/// A report as it was received: every member optional, unknown members gone (spec/04 section 6).
public struct ReceivedReport: Hashable, Sendable {
    /// The UUID of the report.
    public var requestIdentifier: RequestIdentifier?
    /// The token that the report is about.
    public var externalPurchaseId: ExternalPurchaseId?
    /// What it says about the token.
    public var status: ReportStatus?
    /// The items; nil when absent, which differs from empty only on the wire (SA-31).
    public var lineItems: [ReceivedLineItem]?

    /// A report without members.
    public init() {}

    /// The report as JSON, members that are absent left out (SA-23).
    public var json: JSONValue {
        var members: [JSONObject.Member] = []
        if let requestIdentifier { members.append(.init("requestIdentifier", .string(requestIdentifier.text))) }
        if let externalPurchaseId {
            members.append(.init("externalPurchaseId", .string(externalPurchaseId.rawValue)))
        }
        if let status { members.append(.init("status", .string(status.rawValue))) }
        if let lineItems { members.append(.init("lineItems", .array(lineItems.map(\.json)))) }
        return .object(JSONObject(members))
    }
}

/// A line item as it was received: every member optional.
public struct ReceivedLineItem: Hashable, Sendable {
    /// The developer's own id.
    public var lineItemId: LineItemId?
    /// Moment of authorisation, UNIX ms.
    public var creationDate: Int64?
    /// Buy or refund.
    public var eventType: EventType?
    /// What was sold.
    public var productType: ProductType?
    /// The developer's product.
    public var productIdentifier: String?
    /// How many, never used in arithmetic.
    public var quantity: Int64?
    /// What happened to the subscription.
    public var subscriptionEvent: SubscriptionEvent?
    /// Start of the period, UNIX ms.
    public var subscriptionStartDate: Int64?
    /// End of the period, UNIX ms.
    public var subscriptionEndDate: Int64?
    /// Paid days before the event.
    public var subscriptionDaysOfPaidService: Int32?
    /// The start of an event or the buy of a refund.
    public var referenceLineItemId: LineItemId?
    /// Milli-units of the reporting currency.
    public var amountTaxExclusive: Int64?
    /// Milli-units of the reporting currency.
    public var taxAmount: Int64?
    /// Milli-units of the reporting currency.
    public var amountTaxInclusive: Int64?
    /// Milli-units of the reporting currency: what is left of the buy.
    public var netAmountTaxExclusive: Int64?
    /// The currency billed.
    public var pricingCurrency: String?
    /// The currency reported.
    public var reportingCurrency: String?
    /// The rate between them.
    public var exchangeRate: ExchangeRate?
    /// The country that collects the tax, alpha-3.
    public var taxCountry: String?
    /// True for a newer version of an accepted item.
    public var restatement: Bool?
    /// True for an item that never happened.
    public var erroneouslySubmitted: Bool?

    /// An item without members.
    public init() {}

    /// The item as JSON, members that are absent left out.
    public var json: JSONValue {
        var members: [JSONObject.Member] = []
        func add(_ key: String, _ value: JSONValue?) {
            if let value { members.append(.init(key, value)) }
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
        return .object(JSONObject(members))
    }
}

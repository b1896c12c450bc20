import ExternalPurchaseCore

/// A sale with the amounts of its line item, as input of the month export.
package struct ExportSale: Hashable, Sendable {
    /// The caller's own id of the sale.
    let saleId: String
    let lineItemId: LineItemId
    /// The line item's `creationDate`.
    let createdAt: Timestamp
    /// The kind of line item: `ONE_TIME_BUY`, `SUBSCRIPTION_START`, `RENEWAL`, `REFUND` and so on.
    let event: String
    /// Nil for refunds.
    let product: String?
    /// Nil for refunds.
    let quantity: Int64?
    /// The amounts of the line item, with the net after all refunds that are not held.
    ///
    /// Nil while they cannot be computed, and for a held refund.
    let amounts: LineItemAmounts?
    /// ISO 3166-1 alpha-3.
    let taxCountry: String?
    /// Nil in the state `no-token` (OB-63).
    let token: ExternalPurchaseId?
    /// The known type of that token.
    let tokenKind: ObligationOrigin.Token
    /// The creation date of that token.
    let tokenCreatedAt: Timestamp?
    /// The storefront given when the token was received.
    let storefront: StorefrontCode?
    /// The operating system version of the customer's device.
    let system: OSVersion?
    /// The start of an event, or the buy of a refund.
    let reference: LineItemId?
    /// The reason why a person must act before the sale can be reported; nil if there is none.
    ///
    /// A missing token alone is not such a reason.
    let heldFor: String?
    /// The amounts as the merchant gave them, where no line item can be created yet.
    let given: GivenMoney?
    /// Further input of the commission estimate.
    let estimate: EstimateDetails

    /// Amounts as the merchant gave them, in units of the currency billed.
    struct GivenMoney: Hashable, Sendable {
        let currency: String
        /// Nil for a refund for which only a total was given.
        let inclusive: Decimal?
        /// Nil if unknown.
        let tax: Decimal?

        init(currency: String, inclusive: Decimal?, tax: Decimal?) {
            self.currency = currency
            self.inclusive = inclusive
            self.tax = tax
        }
    }

    /// The input of a sale's commission estimate besides its amounts.
    struct EstimateDetails: Hashable, Sendable {
        let kind: EstimateSubject.Kind
        /// Nil if unknown.
        let flow: ReportingProgramme.Flow?
        let daysOfPaidService: Int?
        let events: CustomerEvents

        init(
            kind: EstimateSubject.Kind = .buy,
            flow: ReportingProgramme.Flow? = nil,
            daysOfPaidService: Int? = nil,
            events: CustomerEvents = CustomerEvents()
        ) {
            self.kind = kind
            self.flow = flow
            self.daysOfPaidService = daysOfPaidService
            self.events = events
        }
    }

    init(
        saleId: String,
        lineItemId: LineItemId,
        createdAt: Timestamp,
        event: String,
        product: String? = nil,
        quantity: Int64? = nil,
        amounts: LineItemAmounts?,
        taxCountry: String?,
        token: ExternalPurchaseId? = nil,
        tokenKind: ObligationOrigin.Token = .none,
        tokenCreatedAt: Timestamp? = nil,
        storefront: StorefrontCode? = nil,
        system: OSVersion? = nil,
        reference: LineItemId? = nil,
        heldFor: String? = nil,
        given: GivenMoney? = nil,
        estimate: EstimateDetails = EstimateDetails()
    ) {
        self.saleId = saleId
        self.lineItemId = lineItemId
        self.createdAt = createdAt
        self.event = event
        self.product = product
        self.quantity = quantity
        self.amounts = amounts
        self.taxCountry = taxCountry
        self.token = token
        self.tokenKind = tokenKind
        self.tokenCreatedAt = tokenCreatedAt
        self.storefront = storefront
        self.system = system
        self.reference = reference
        self.heldFor = heldFor
        self.given = given
        self.estimate = estimate
    }

    /// True for a refund or chargeback.
    var isRefund: Bool { boughtAt != nil }

    /// The creation date of the buy of a refund or chargeback; nil for other sales.
    var boughtAt: Timestamp? {
        if case .refund(_, let boughtAt) = estimate.kind { boughtAt } else { nil }
    }
}

/// A token, as input of the month export.
package struct ExportToken: Hashable, Sendable {
    let id: ExternalPurchaseId
    /// Nil for a plain token.
    let type: TokenType?
    let createdAt: Timestamp
    let storefront: StorefrontCode?
    /// The tax countries of the token's sales, ISO 3166-1 alpha-3.
    let taxCountries: [String]
    /// The operating system version of the customer's device.
    let system: OSVersion?

    init(
        id: ExternalPurchaseId,
        type: TokenType?,
        createdAt: Timestamp,
        storefront: StorefrontCode? = nil,
        taxCountries: [String] = [],
        system: OSVersion? = nil
    ) {
        self.id = id
        self.type = type
        self.createdAt = createdAt
        self.storefront = storefront
        self.taxCountries = taxCountries
        self.system = system
    }
}

/// The newest accepted version of a line item, as input of the month export.
struct AcceptedItem: Hashable, Sendable {
    let id: LineItemId
    let createdAt: Timestamp
    let taxExclusive: MilliUnits
    let net: MilliUnits
    let currency: String
    /// The start of an event, or the buy of a refund.
    let reference: LineItemId?
    /// True for a refund.
    let isRefund: Bool
    /// True for an item marked `erroneouslySubmitted`.
    let isRetracted: Bool

    init(
        id: LineItemId,
        createdAt: Timestamp,
        taxExclusive: MilliUnits,
        net: MilliUnits,
        currency: String,
        reference: LineItemId? = nil,
        isRefund: Bool = false,
        isRetracted: Bool = false
    ) {
        self.id = id
        self.createdAt = createdAt
        self.taxExclusive = taxExclusive
        self.net = net
        self.currency = currency
        self.reference = reference
        self.isRefund = isRefund
        self.isRetracted = isRetracted
    }
}

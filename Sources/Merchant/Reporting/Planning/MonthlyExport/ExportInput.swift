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
    var product: String?
    /// Nil for refunds.
    var quantity: Int64?
    /// The amounts of the line item, with the net after all refunds that are not held.
    ///
    /// Nil while they cannot be computed, and for a held refund.
    let amounts: LineItemAmounts?
    /// ISO 3166-1 alpha-3.
    let taxCountry: String?
    /// Nil in the state `no-token` (OB-63).
    var token: ExternalPurchaseId?
    /// The known type of that token.
    var tokenKind: ObligationOrigin.Token = .none
    /// The creation date of that token.
    var tokenCreatedAt: Timestamp?
    /// The storefront given when the token was received.
    var storefront: StorefrontCode?
    /// The operating system version of the customer's device.
    var system: OSVersion?
    /// The start of an event, or the buy of a refund.
    var reference: LineItemId?
    /// The reason why a person must act before the sale can be reported; nil if there is none.
    ///
    /// A missing token alone is not such a reason.
    var heldFor: String?
    /// The amounts as the merchant gave them, where no line item can be created yet.
    var given: GivenMoney?
    /// Further input of the commission estimate.
    var estimate: EstimateDetails = EstimateDetails()

    /// Amounts as the merchant gave them, in units of the currency billed.
    struct GivenMoney: Hashable, Sendable {
        let currency: String
        /// Nil for a refund for which only a total was given.
        let inclusive: Decimal?
        /// Nil if unknown.
        let tax: Decimal?
    }

    /// The input of a sale's commission estimate besides its amounts.
    struct EstimateDetails: Hashable, Sendable {
        var kind: EstimateSubject.Kind = .buy
        /// Nil if unknown.
        var flow: ReportingProgramme.Flow?
        var daysOfPaidService: Int?
        var events: CustomerEvents = CustomerEvents()
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
    var storefront: StorefrontCode?
    /// The tax countries of the token's sales, ISO 3166-1 alpha-3.
    var taxCountries: [String] = []
    /// The operating system version of the customer's device.
    var system: OSVersion?
}

/// The newest accepted version of a line item, as input of the month export.
struct AcceptedItem: Hashable, Sendable {
    let id: LineItemId
    let createdAt: Timestamp
    let taxExclusive: MilliUnits
    let net: MilliUnits
    let currency: String
    /// The start of an event, or the buy of a refund.
    var reference: LineItemId?
    /// True for a refund.
    var isRefund: Bool = false
    /// True for an item marked `erroneouslySubmitted`.
    var isRetracted: Bool = false
}

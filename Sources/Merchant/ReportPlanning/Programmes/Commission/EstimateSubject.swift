package import ExternalPurchaseCore

/// A line item as estimates see it.
package struct EstimateSubject: Hashable, Sendable {
    /// What the line item is.
    package enum Kind: Hashable, Sendable {
        /// A one-time buy, a start, a change or a payment.
        case buy
        /// A renewal of a subscription that started at this moment (OB-32).
        case renewal(subscriptionStart: Timestamp)
        /// A refund; it lowers the net amount of its buy.
        case refund
    }

    package let id: LineItemId
    package let kind: Kind
    /// The line item's `creationDate`.
    package let createdAt: Timestamp
    /// How the customer came to buy, nil when it is not known.
    package let flow: ReportingProgramme.Flow?
    /// What is left of the buy after all its refunds, without tax (RR-20).
    package let netTaxExclusive: MilliUnits
    /// The tax on what is left.
    package let netTax: MilliUnits
    /// The reporting currency.
    package let currency: String
    /// Paid days of the subscription before the event (RR-30); nil for one-time buys.
    package let daysOfPaidService: Int?
    /// The customer's system, nil when it is not known.
    package let system: OSVersion?
    /// Whether there is a token.
    package let hasToken: Bool
    /// What the customer did.
    package let events: CustomerEvents

    package init(
        id: LineItemId,
        kind: Kind = .buy,
        createdAt: Timestamp,
        flow: ReportingProgramme.Flow?,
        netTaxExclusive: MilliUnits,
        netTax: MilliUnits,
        currency: String,
        daysOfPaidService: Int? = nil,
        system: OSVersion? = nil,
        hasToken: Bool = true,
        events: CustomerEvents = CustomerEvents()
    ) {
        self.id = id
        self.kind = kind
        self.createdAt = createdAt
        self.flow = flow
        self.netTaxExclusive = netTaxExclusive
        self.netTax = netTax
        self.currency = currency
        self.daysOfPaidService = daysOfPaidService
        self.system = system
        self.hasToken = hasToken
        self.events = events
    }
}

extension ReportingProgramme.Flow {
    /// The flow that a token's type tells: `IN_APP` and `LINK_OUT` do, the other types leave it open (OB-71).
    ///
    /// - Parameters:
    ///   - tokenType: nil for a plain token.
    ///   - isCheckoutInApp: where the checkout was, nil when it is not known.
    package init?(tokenType: TokenType?, isCheckoutInApp: Bool? = nil) {
        switch (tokenType, isCheckoutInApp) {
        case (.inApp, _), (_, true): self = .withinApp
        case (.linkOut, _), (_, false): self = .outOfApp
        default: return nil
        }
    }
}

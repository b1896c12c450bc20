package import ExternalPurchaseCore

/// A line item, as input of a commission estimate.
package struct EstimateSubject: Hashable, Sendable {
    /// The kind of line item.
    package enum Kind: Hashable, Sendable {
        /// A one-time buy, a start, a change or a payment.
        case buy
        /// A renewal of a subscription with the given start (OB-32).
        case renewal(subscriptionStart: Timestamp)
        /// A refund of a buy of the given kind and creation date, whose commission it takes back.
        indirect case refund(of: Kind, at: Timestamp)
    }

    let id: LineItemId
    var kind: Kind = .buy
    /// The line item's `creationDate`.
    let createdAt: Timestamp
    /// How the customer reached the purchase; nil if unknown.
    let flow: ReportingProgramme.Flow?
    /// The amount of the line item itself, without tax.
    let taxExclusive: MilliUnits
    /// The tax of the line item.
    let tax: MilliUnits
    /// The reporting currency.
    let currency: String
    /// The paid days of the subscription before the event (RR-30); nil for one-time buys.
    var daysOfPaidService: Int?
    /// The operating system version of the customer's device; nil if unknown.
    var system: OSVersion?
    /// Whether a token exists.
    var hasToken: Bool = true
    /// The customer's events.
    var events: CustomerEvents = CustomerEvents()
}

extension ReportingProgramme.Flow {
    /// Creates the flow of a token type: `IN_APP` and `LINK_OUT` determine it (OB-71).
    ///
    /// A `CORE_TECHNOLOGY` token is requested in the app for each purchase that it offers, so its sale is one in the app
    /// unless the token came through a link (OB-46).
    ///
    /// - Parameters:
    ///   - tokenType: nil for a plain token.
    ///   - isCheckoutInApp: whether the checkout was inside the app; nil if unknown.
    init?(tokenType: TokenType?, isCheckoutInApp: Bool? = nil) {
        switch (tokenType, isCheckoutInApp) {
        case (.inApp, _), (_, true): self = .withinApp
        case (.linkOut, _), (_, false): self = .outOfApp
        case (.coreTechnology, nil): self = .withinApp
        default: return nil
        }
    }
}

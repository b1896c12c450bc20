/// The reason why a sale is held.
///
/// A sale may have several. Planning, review and sending read them; the raw value is also the ``SaleFlag``.
package enum HoldCause: String, Hashable, Sendable, CaseIterable {
    /// No token of the sale's customer or checkout is known (RR-66).
    case noToken = "no-token"
    /// No token on which the sale can be reported is active at the time of the sale (RR-64, RR-66).
    case noActiveToken = "no-active-token"
    /// The currency cannot be reported and no rate was given (RR-45).
    case noExchangeRate = "no-exchange-rate"
    /// Neither tax nor tax rate was given (RR-47).
    case noTax = "no-tax"
    /// No tax country was given (RR-47).
    case noTaxCountry = "no-tax-country"
    /// The sale refers to an unknown one: the buy of a refund, the chargeback of a reversal, or the start of an event.
    case buyUnknown = "buy-unknown"
    /// An imported refund of the same purchase may be a total that contains the refund, and was not sent again (RR-46).
    case importedRefund = "imported-refund"
    /// The sale refers to one of the wrong kind: a refund to a sale that is no buy, or a reversal to no chargeback.
    case wrongReference = "wrong-reference"
    /// Another line of the same order is held, and all lines of an order are reported together.
    case orderHeld = "order-held"
    /// The refund states another currency than its buy (RR-46).
    case refundCurrencyDiffers = "refund-currency-differs"
    /// The refund has more decimal places than the buy's currency (RR-41).
    case refundTooPrecise = "refund-too-precise"
    /// The stated tax of the refund differs from the buy's share by more than the tolerance (RR-46).
    case refundTaxDiffers = "refund-tax-differs"
    /// The reversal is dated before its chargeback.
    case reversalBeforeChargeback = "reversal-before-chargeback"
    /// The start of the sale's subscription is on another token and not accepted yet.
    case waitsForStart = "waits-for-start"
    /// The sale refers to one that is being corrected, or that must be corrected first.
    case waitsForCorrection = "waits-for-correction"
    /// The buy of the refund is held.
    case buyHeld = "buy-held"
    /// The start of the subscription is held, so that later events cannot reference it.
    case startHeld = "start-held"
    /// A later charge of the subscription was reported as its start before this charge arrived.
    case laterStartReported = "later-start-reported"
    /// The charge names a token of another environment than the subscription's start.
    ///
    /// A line item cannot reference the start in another environment (SA-90).
    case environmentContradiction = "environment-contradiction"
    /// Several tokens claim the sale's checkout, and neither Apple nor an authenticated source vouches for one (TK-78).
    case checkoutContradiction = "checkout-contradiction"
    /// The buy of the refund was withdrawn.
    case buyVoided = "buy-voided"
    /// The refunds would exceed the charged amount (RR-23).
    case refundAboveBuy = "refund-above-buy"
    /// The refund is dated before its buy, which Apple refuses (E31).
    case refundBeforeBuy = "refund-before-buy"
    /// The sale is dated after the server's current time; Apple refuses it until then (E6).
    case inFuture = "in-future"
    /// Apple's time limit has passed: one year for a refund or retraction, three years for a sale (RR-82).
    case tooLateToReport = "too-late-to-report"
    /// Apple does not know the token (TK-74).
    case tokenUnknownToApple = "token-unknown-to-apple"
    /// The token belongs to a family on which external purchases are not reported.
    case tokenNotReportable = "token-not-reportable"
    /// The amount cannot be represented in a report.
    case notConvertible = "not-convertible"
    /// Apple or the pre-flight refused the sale; it is held until a person retries its review item or amends it
    /// (SA-73).
    case reportRefused = "report-refused"
    /// Apple refused the sale as one that it has (E1, E30), in a report that this ledger does not know.
    case reportedAlready = "reported-already"
    /// The sale looks like the next charge of an imported subscription whose id is unknown.
    case importedSubscription = "imported-subscription"
    /// The buy of the refund was retracted.
    case buyRetracted = "buy-retracted"
    /// A person closed what the sale refers to: the buy of a refund, the start of an event, or a line of its order.
    case referenceClosed = "reference-closed"
}

import ExternalPurchaseCore
import Ledger

/// The event of a charge in its subscription, with the paid days before it (RR-32).
package struct SubscriptionMoment: Hashable, Sendable {
    let event: SubscriptionEvent
    /// The charge that began the subscription; nil for that charge itself.
    let start: SaleId?
    /// The paid days before the event (RR-31); 0 for a start.
    let daysOfPaidService: Int32
    /// True when Apple has a later charge as the start and this cannot be changed.
    ///
    /// Either this charge's start cannot be reported, a person keeps what was reported, or the year for restatements
    /// has passed (E39).
    var isBeforeReportedStart: Bool = false
    /// True when no earlier start of the subscription is known.
    ///
    /// The caller states an event of a later charge, or Apple has the charge as one.
    var isWithoutStart: Bool = false
}

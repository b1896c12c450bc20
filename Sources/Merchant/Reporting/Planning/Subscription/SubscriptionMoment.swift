package import ExternalPurchaseCore
package import Ledger

/// The event of a charge in its subscription, with the paid days before it (RR-32).
package struct SubscriptionMoment: Hashable, Sendable {
    package let event: SubscriptionEvent
    /// The charge that began the subscription; nil for that charge itself.
    package let start: SaleId?
    /// The paid days before the event (RR-31); 0 for a start.
    package let daysOfPaidService: Int32
    /// True when Apple has a later charge as the start and this cannot be changed.
    ///
    /// Either this charge's start cannot be reported, a person keeps what was reported, or the year for restatements
    /// has passed (E39).
    package let isBeforeReportedStart: Bool
    /// True when no earlier start of the subscription is known.
    ///
    /// The caller states an event of a later charge, or Apple has the charge as one.
    package let isWithoutStart: Bool

    package init(
        event: SubscriptionEvent,
        start: SaleId?,
        daysOfPaidService: Int32,
        isBeforeReportedStart: Bool = false,
        isWithoutStart: Bool = false
    ) {
        self.event = event
        self.start = start
        self.daysOfPaidService = daysOfPaidService
        self.isBeforeReportedStart = isBeforeReportedStart
        self.isWithoutStart = isWithoutStart
    }
}

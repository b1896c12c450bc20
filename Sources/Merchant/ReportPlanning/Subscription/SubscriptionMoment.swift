package import ExternalPurchaseCore
package import Ledger

/// What a charge is in the life of its subscription (RR-32).
package struct SubscriptionMoment: Hashable, Sendable {
    package let event: SubscriptionEvent
    /// The charge that began the subscription; nil for that charge itself.
    package let start: SaleId?
    /// Paid days before the event (RR-31); 0 for a start.
    package let daysOfPaidService: Int32
    /// True when a later charge is the start that Apple keeps, and stays it: the start of this charge cannot be
    /// reported, a person keeps what was reported, or the year for restatements is over (E39).
    package let isBeforeReportedStart: Bool
    /// True when no start of the subscription is known that the charge could follow: the caller states an event of a
    /// later charge, or Apple keeps it as one.
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

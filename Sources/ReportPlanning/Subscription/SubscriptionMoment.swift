package import ExternalPurchaseCore
package import Ledger

/// What a charge is in the life of its subscription (RR-32).
package struct SubscriptionMoment: Hashable, Sendable {
    package let event: SubscriptionEvent
    /// The charge that began the subscription; nil for that charge itself.
    package let start: SaleId?
    /// Paid days before the event (RR-31); 0 for a start.
    package let daysOfPaidService: Int32
    /// True when a later charge was reported as the start before this one arrived: only a person can say which of the
    /// two is wrong, since accepted dates and references do not move (E31, E38).
    package let isBeforeReportedStart: Bool

    package init(
        event: SubscriptionEvent,
        start: SaleId?,
        daysOfPaidService: Int32,
        isBeforeReportedStart: Bool = false
    ) {
        self.event = event
        self.start = start
        self.daysOfPaidService = daysOfPaidService
        self.isBeforeReportedStart = isBeforeReportedStart
    }
}

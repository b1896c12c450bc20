package import ExternalPurchaseCore
package import Ledger

/// What a line item states of its subscription: the event, the start that it references, the paid days (RR-30 to RR-32).
package struct SubscriptionFigures: Hashable, Sendable {
    package let event: SubscriptionEvent
    /// The line item of the subscription's start; nil for a start.
    package let start: LineItemId?
    /// `subscriptionDaysOfPaidService`.
    package let daysOfPaidService: Int32

    package init(event: SubscriptionEvent, start: LineItemId?, daysOfPaidService: Int32) {
        self.event = event
        self.start = start
        self.daysOfPaidService = daysOfPaidService
    }

    /// The figures of a received item; nil for an item without event or days.
    package init?(_ item: ReceivedLineItem) {
        guard let event = item.subscriptionEvent, let days = item.subscriptionDaysOfPaidService else { return nil }
        self.init(
            event: event,
            start: event == .start ? nil : item.referenceLineItemId,
            daysOfPaidService: days
        )
    }
}

/// The figures of a reported charge that differ from those that all events known now give.
///
/// They differ after an event that arrived late, and after a correction of another charge. A refund dated after the
/// charge makes no difference (RR-34).
package struct SubscriptionRevision: Hashable, Sendable {
    package let reported: SubscriptionFigures
    package let right: SubscriptionFigures
    /// The charge that ``right`` names as the start; nil for a start.
    package let start: SaleId?
    /// True when Apple takes no restatement of the item any more (RR-82).
    package let isTooLate: Bool

    package init(reported: SubscriptionFigures, right: SubscriptionFigures, start: SaleId?, isTooLate: Bool) {
        self.reported = reported
        self.right = right
        self.start = start
        self.isTooLate = isTooLate
    }
}

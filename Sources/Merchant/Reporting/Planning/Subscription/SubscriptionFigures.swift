import ExternalPurchaseCore
import Ledger

/// The subscription data of a line item: event, referenced start and paid days (RR-30 to RR-32).
struct SubscriptionFigures: Hashable, Sendable {
    let event: SubscriptionEvent
    /// The line item of the subscription's start; nil for a start.
    let start: LineItemId?
    /// `subscriptionDaysOfPaidService`.
    let daysOfPaidService: Int32

    init(event: SubscriptionEvent, start: LineItemId?, daysOfPaidService: Int32) {
        self.event = event
        self.start = start
        self.daysOfPaidService = daysOfPaidService
    }

    /// Creates the figures of a received item; returns nil for an item without event or days.
    init?(_ item: ReceivedLineItem) {
        guard let event = item.subscriptionEvent, let days = item.subscriptionDaysOfPaidService else { return nil }
        self.init(
            event: event,
            start: event == .start ? nil : item.referenceLineItemId,
            daysOfPaidService: days
        )
    }
}

/// The figures of a reported charge that differ from those of the complete history.
///
/// They differ after an event that arrived late, and after a correction of another charge. Refunds dated after the
/// charge do not matter (RR-34).
struct SubscriptionRevision: Hashable, Sendable {
    let reported: SubscriptionFigures
    let right: SubscriptionFigures
    /// The charge that ``right`` references as the start; nil for a start.
    let start: SaleId?
    /// True when Apple no longer accepts a restatement of the item (RR-82).
    let isTooLate: Bool
}

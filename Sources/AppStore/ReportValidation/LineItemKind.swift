import ExternalPurchaseCore

/// The kind of transaction of a line item, as far as its members determine it (RR-6).
enum LineItemKind: Hashable, Sendable, CaseIterable {
    /// Money returned to the customer.
    case refund
    /// A one-time sale.
    case oneTime
    /// The first charge of a subscription.
    case start
    /// A later charge of a subscription.
    case event

    /// Determines the kind; nil while a member that determines it is missing.
    init?(of item: ReceivedLineItem) {
        switch (item.eventType, item.productType, item.subscriptionEvent) {
        case (.refund?, _, _): self = .refund
        case (.buy?, .oneTimeBuy?, _): self = .oneTime
        case (.buy?, .subscription?, .start?): self = .start
        case (.buy?, .subscription?, .some): self = .event
        default: return nil
        }
    }

    /// True for every kind except a refund, also for a free start (RR-6).
    var isBuy: Bool { self != .refund }
}

package import ExternalPurchaseCore

/// What kind of transaction a line item is, as far as its members tell (RR-6).
package enum LineItemKind: Hashable, Sendable, CaseIterable {
    /// Money given back.
    case refund
    /// A sale that does not repeat.
    case oneTime
    /// The first charge of a subscription.
    case start
    /// A later charge of a subscription.
    case event

    /// The kind, nil while a member that decides about it is missing.
    package init?(of item: ReceivedLineItem) {
        switch (item.eventType, item.productType, item.subscriptionEvent) {
        case (.refund?, _, _): self = .refund
        case (.buy?, .oneTimeBuy?, _): self = .oneTime
        case (.buy?, .subscription?, .start?): self = .start
        case (.buy?, .subscription?, .some): self = .event
        default: return nil
        }
    }

    /// True for money received.
    package var isBuy: Bool { self != .refund }
}

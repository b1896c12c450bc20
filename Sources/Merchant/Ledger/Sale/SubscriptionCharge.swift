package import ExternalPurchaseCore

/// The caller's own name of a subscription, per app.
package struct SubscriptionId: Identifier {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// A charge for a subscription, or a period of it that costs nothing: trial, free offer, free extension.
package struct SubscriptionCharge: Hashable, Sendable {
    package let subscriptionId: SubscriptionId
    /// The period that the charge is for; of a charge inside a period that period.
    package let period: SubscriptionPeriod
    /// What the caller says it is; nil lets it follow from the subscription's history (RR-32).
    package let event: Event?
    /// Product and money.
    package let purchase: Purchase

    /// What a caller may say of a charge after the first, where products and periods alone would mislead.
    package enum Event: String, Hashable, Sendable, CaseIterable {
        /// A later period, also under another product id.
        case renewal
        /// A change of plan, also under the same product id.
        case change
        /// Another charge inside a period.
        case payment
    }

    package init(
        subscriptionId: SubscriptionId,
        period: SubscriptionPeriod,
        event: Event? = nil,
        purchase: Purchase
    ) {
        self.subscriptionId = subscriptionId
        self.period = period
        self.event = event
        self.purchase = purchase
    }
}

/// The time that a charge pays for, from its start up to its end.
package struct SubscriptionPeriod: Hashable, Sendable {
    package let start: Timestamp
    /// At or after the start; the start of the next period when they adjoin.
    package let end: Timestamp

    package init(start: Timestamp, end: Timestamp) {
        self.start = start
        self.end = end
    }
}

/// The end of a subscription by the customer or the merchant.
package struct SubscriptionCancellation: Hashable, Sendable {
    package let subscriptionId: SubscriptionId
    /// When service ends, which may be the end of the period paid for; nil ends it at the moment of the cancellation.
    package let effectiveAt: Timestamp?

    package init(subscriptionId: SubscriptionId, effectiveAt: Timestamp? = nil) {
        self.subscriptionId = subscriptionId
        self.effectiveAt = effectiveAt
    }
}

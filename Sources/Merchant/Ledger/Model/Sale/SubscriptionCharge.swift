package import ExternalPurchaseCore

/// The caller's id of a subscription, unique per app.
package struct SubscriptionId: Identifier {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// A charge for a subscription, or a free period of it: trial, free offer or free extension.
package struct SubscriptionCharge: Hashable, Sendable {
    package let subscriptionId: SubscriptionId
    /// The period that the charge pays for; for a charge inside a period, that period.
    package let period: SubscriptionPeriod
    /// The kind of charge that the caller states; nil derives it from the subscription's history (RR-32).
    package let event: Event?
    /// Product and price.
    package let purchase: Purchase

    /// The kind of a charge after the first, for cases where product and period would give the wrong kind.
    package enum Event: String, Hashable, Sendable, CaseIterable {
        /// A later period, possibly under another product id.
        case renewal
        /// A change of plan, possibly under the same product id.
        case change
        /// An additional charge inside a period.
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

/// The period that a charge pays for, excluding its end.
package struct SubscriptionPeriod: Hashable, Sendable {
    package let start: Timestamp
    /// At or after the start; equal to the start of the next period when the periods adjoin.
    package let end: Timestamp

    package init(start: Timestamp, end: Timestamp) {
        self.start = start
        self.end = end
    }
}

/// The end of a subscription by the customer or the merchant.
package struct SubscriptionCancellation: Hashable, Sendable {
    package let subscriptionId: SubscriptionId
    /// The end of service, possibly the end of the paid period; nil means the time of the cancellation.
    package let effectiveAt: Timestamp?

    package init(subscriptionId: SubscriptionId, effectiveAt: Timestamp? = nil) {
        self.subscriptionId = subscriptionId
        self.effectiveAt = effectiveAt
    }
}

package import ExternalPurchaseCore

/// An alert step of a subject: it reached a threshold before its deadline, or it began to need review (OB-51).
package struct AlertMark: Hashable, Sendable {
    /// Derived from subject and step, so that it is always the same for both, and discloses neither (TK-77).
    package let eventId: String
    package let crossedAt: Timestamp

    package init(eventId: String, crossedAt: Timestamp) {
        self.eventId = eventId
        self.crossedAt = crossedAt
    }
}

/// A message to the alert webhook, stored from its creation until it is delivered.
package struct AlertMessage: Hashable, Sendable {
    /// The sequence number in order of delivery, from 1; 0 before the message is stored.
    package var sequence: Int64
    /// A unique id, by which the receiver detects repetitions.
    package let messageId: String
    package let madeAt: Timestamp
    /// The exact body of every delivery attempt; nil after delivery.
    package var body: [UInt8]?
    package var deliveredAt: Timestamp?

    package init(
        sequence: Int64 = 0,
        messageId: String,
        madeAt: Timestamp,
        body: [UInt8]?,
        deliveredAt: Timestamp? = nil
    ) {
        self.sequence = sequence
        self.messageId = messageId
        self.madeAt = madeAt
        self.body = body
        self.deliveredAt = deliveredAt
    }
}

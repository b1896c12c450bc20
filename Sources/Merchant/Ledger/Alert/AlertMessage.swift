package import ExternalPurchaseCore

/// One step that was told: a subject crossed a distance to its due date, or came to wait for a person (OB-51).
package struct AlertMark: Hashable, Sendable {
    /// The same for a subject and a step whenever it is made, and says nothing of either (TK-77).
    package let eventId: String
    package let crossedAt: Timestamp

    package init(eventId: String, crossedAt: Timestamp) {
        self.eventId = eventId
        self.crossedAt = crossedAt
    }
}

/// A message for the webhook, stored from the moment it is due until it is delivered.
package struct AlertMessage: Hashable, Sendable {
    /// The place in the order of telling, from 1; 0 before it is stored.
    package var sequence: Int64
    /// Unique, for the receiver.
    package let messageId: String
    package let madeAt: Timestamp
    /// The exact bytes of every attempt; nil once they were delivered.
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

/// Queries of alerts.
package protocol AlertReading {
    /// Those of some event ids that were told.
    func alertsTold(among eventIds: [String]) throws(LedgerError) -> Set<String>
    /// Messages that no receiver has taken, in the order of telling.
    func undeliveredAlerts(limit: Int) throws(LedgerError) -> [AlertMessage]
}

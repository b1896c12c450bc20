package import ExternalPurchaseCore

/// An alert step of a subject: it reached a threshold before its deadline, or it began to need review (OB-51).
package struct AlertMark: Hashable, Sendable {
    /// Derived from subject and step, so that it is always the same for both, and discloses neither (TK-77).
    package let eventId: String
    package let crossedAt: Timestamp
    /// What came due, which only the audit log has; nil for a review item.
    package let deadline: Deadline?

    /// The step of a token or line item towards its deadline.
    package struct Deadline: Hashable, Sendable {
        package enum Subject: Hashable, Sendable {
            case token(ExternalPurchaseId)
            case lineItem(LineItemId)
        }

        let subject: Subject
        let bundleId: BundleId
        /// The name of the step, such as `2d` or `overdue`.
        let step: String
        let dueAt: Timestamp?

        package init(_ subject: Subject, of bundleId: BundleId, step: String, dueAt: Timestamp?) {
            self.subject = subject
            self.bundleId = bundleId
            self.step = step
            self.dueAt = dueAt
        }
    }

    package init(eventId: String, crossedAt: Timestamp, deadline: Deadline? = nil) {
        self.eventId = eventId
        self.crossedAt = crossedAt
        self.deadline = deadline
    }
}

extension AlertMark.Deadline {
    var auditContent: JSONValue {
        let (about, id) =
            switch subject {
            case .token(let id): ("token", id.rawValue)
            case .lineItem(let id): ("lineItem", id.rawValue)
            }
        var content: JSONObject = [
            "about": .string(about), "id": .string(id), "bundleId": .string(bundleId.rawValue), "step": .string(step),
        ]
        if let dueAt { content["dueAt"] = .integer(dueAt.milliseconds) }
        return .object(content)
    }
}

/// A message about alerts, stored from its creation until it is delivered.
package struct AlertMessage: Hashable, Sendable {
    /// The sequence number in order of delivery, from 1; 0 before the message is stored.
    package var sequence: Int64
    /// A unique id, by which the receiver detects repetitions.
    package let messageId: String
    package let madeAt: Timestamp
    /// The way on which it is delivered.
    package var channel: AlertChannel
    /// What every delivery attempt tells; nil after delivery.
    package var body: [UInt8]?
    package var deliveredAt: Timestamp?

    package init(
        sequence: Int64 = 0,
        messageId: String,
        madeAt: Timestamp,
        channel: AlertChannel = .webhook,
        body: [UInt8]?,
        deliveredAt: Timestamp? = nil
    ) {
        self.sequence = sequence
        self.messageId = messageId
        self.madeAt = madeAt
        self.channel = channel
        self.body = body
        self.deliveredAt = deliveredAt
    }
}

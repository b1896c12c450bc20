package import ExternalPurchaseCore

/// An event that is sent to a webhook until it is accepted.
package struct WebhookDelivery: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        case waiting
        case delivered
        /// Not accepted for too long; later events of its subject wait behind it until a person has it sent again.
        case parked
    }

    /// The record that the event is about; events of one subject are delivered in their order.
    package struct Subject: Hashable, Sendable {
        /// Nil for a change of all apps.
        package let bundleId: BundleId?
        package let kind: String
        package let id: String

        package init(bundleId: BundleId?, kind: String, id: String) {
            self.bundleId = bundleId
            self.kind = kind
            self.id = id
        }
    }

    /// The sequence number in the order of the changes, from 1; 0 before the row is stored.
    package let sequence: Int64
    /// The name of the webhook.
    package let webhook: String
    /// The id of the event, the same at each attempt.
    package let eventId: String
    package let type: String
    package let subject: Subject
    /// The exact body of every attempt.
    package let body: [UInt8]
    package let madeAt: Timestamp
    package let state: State
    /// The number of attempts so far.
    package let attempts: Int
    /// The first attempt since its making, or since a person had it sent again; nil before it.
    package let triedSince: Timestamp?
    /// The time of the next attempt; nil unless it waits, and while an earlier event of its subject does.
    package let nextAt: Timestamp?
    /// When it was delivered or parked.
    package let settledAt: Timestamp?

    package init(
        webhook: String,
        eventId: String,
        type: String,
        subject: Subject,
        body: [UInt8],
        madeAt: Timestamp
    ) {
        self.init(
            sequence: 0,
            webhook: webhook,
            eventId: eventId,
            type: type,
            subject: subject,
            body: body,
            madeAt: madeAt,
            state: .waiting,
            attempts: 0,
            triedSince: nil,
            nextAt: madeAt,
            settledAt: nil
        )
    }

    init(
        sequence: Int64,
        webhook: String,
        eventId: String,
        type: String,
        subject: Subject,
        body: [UInt8],
        madeAt: Timestamp,
        state: State,
        attempts: Int,
        triedSince: Timestamp?,
        nextAt: Timestamp?,
        settledAt: Timestamp?
    ) {
        self.sequence = sequence
        self.webhook = webhook
        self.eventId = eventId
        self.type = type
        self.subject = subject
        self.body = body
        self.madeAt = madeAt
        self.state = state
        self.attempts = attempts
        self.triedSince = triedSince
        self.nextAt = nextAt
        self.settledAt = settledAt
    }
}

/// An attempt to deliver an event.
package struct WebhookAttempt: Hashable, Sendable {
    package let at: Timestamp
    /// The HTTP status; nil without a response.
    package let status: Int?
    /// Why it was not accepted; nil for an attempt that was.
    package let error: String?

    package init(at: Timestamp, status: Int?, error: String?) {
        self.at = at
        self.status = status
        self.error = error
    }
}

/// What an attempt makes of a delivery.
package enum WebhookOutcome: Hashable, Sendable {
    case delivered
    case parked
    case again(at: Timestamp)
}

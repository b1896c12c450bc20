package import ExternalPurchaseCore
import Ledger

/// A change of the ledger as the feed of changes and webhooks tell it.
package struct Change: Hashable, Sendable {
    package let cursor: ChangeCursor
    /// The time of the change.
    package let at: Timestamp
    package let type: ChangeType
    /// Nil for a change of all apps.
    package let bundleId: BundleId?
    package let subject: ChangeSubject
    /// The subject as it is when the change is read; null for one that a purge removed.
    package let data: JSONValue
    /// An id that is the same at each reading, and another one for the changes of a restored ledger.
    package let eventId: String

    package var json: JSONValue {
        [
            "cursor": .string(cursor.text), "at": .string(at.description), "type": .string(type.rawValue),
            "bundleId": bundleId.map { .string($0.rawValue) } ?? .null,
            "subject": ["type": .string(subject.kind.rawValue), "id": .string(subject.id)],
            "data": data,
        ]
    }
}

/// What happened to the subject of a change.
package enum ChangeType: String, Hashable, Sendable, CaseIterable {
    case tokenStored = "token.stored"
    case tokenChanged = "token.changed"
    case salePlanned = "sale.planned"
    case saleHeld = "sale.held"
    case saleRecorded = "sale.recorded"
    case saleReported = "sale.reported"
    case saleCorrected = "sale.corrected"
    case saleChanged = "sale.changed"
    case reportWritten = "report.written"
    case reportSending = "report.sending"
    case reportUnknown = "report.unknown"
    case reportAccepted = "report.accepted"
    case reportRefused = "report.refused"
    case reportWithdrawn = "report.withdrawn"
    case correctionRequested = "correction.requested"
    case correctionConfirmed = "correction.confirmed"
    case correctionReported = "correction.reported"
    case correctionClosed = "correction.closed"
    case reviewOpened = "review.opened"
    case reviewClosed = "review.closed"
    case deadlineNear = "deadline.near"
    case deadlineMissed = "deadline.missed"
    case paymentWaiting = "payment.waiting"
    case exportReady = "export.ready"
    case exportSubmitted = "export.submitted"
    case exportWithdrawn = "export.withdrawn"
    case customerErased = "customer.erased"
    case ledgerPurged = "ledger.purged"
}

/// The record that a change is about.
package struct ChangeSubject: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case token
        case sale
        case report
        case correction
        case review
        case payment
        case export
        case customer
        case ledger
    }

    package let kind: Kind
    /// The record's own id; empty for the ledger.
    package let id: String
}

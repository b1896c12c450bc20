package import ExternalPurchaseCore

/// An entry in the list of things that wait for a person.
package struct ReviewItem: Hashable, Sendable {
    /// The sequence number in order of arrival, from 1; 0 before the row is stored.
    package var sequence: Int64
    package let bundleId: BundleId
    package let kind: ReviewKind
    package let subject: ReviewSubject
    /// The problem and its remedy, for the operator.
    package let detail: String
    package let openedAt: Timestamp
    /// The planned correction that would resolve the item and waits for confirmation; nil if there is none.
    package let correctionId: CorrectionId?
    package var resolution: ReviewResolution?

    package init(
        sequence: Int64 = 0,
        bundleId: BundleId,
        kind: ReviewKind,
        subject: ReviewSubject,
        detail: String,
        openedAt: Timestamp,
        correctionId: CorrectionId? = nil,
        resolution: ReviewResolution? = nil
    ) {
        self.sequence = sequence
        self.bundleId = bundleId
        self.kind = kind
        self.subject = subject
        self.detail = detail
        self.openedAt = openedAt
        self.correctionId = correctionId
        self.resolution = resolution
    }
}

/// The kind of a review item, in kebab case; an open set, because every part of the system defines its own kinds.
package struct ReviewKind: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Apple or the pre-flight refused a report.
    package static let reportRefused = Self(rawValue: "report-refused")
    /// A sale is held until a person resolves the cause (OB-52).
    package static let saleHeld = Self(rawValue: "sale-held")
    /// Apple refused the key of an app (401); nothing of the app is sent (SA-73).
    package static let keyRefused = Self(rawValue: "key-refused")
    /// An arriving token, sale or notification contradicts stored data.
    package static let contradiction = Self(rawValue: "contradiction")
    /// Apple calls a token unreported although it accepted its report (NT-66).
    package static let unreportedButAccepted = Self(rawValue: "unreported-but-accepted")
    /// Accepted charges of a subscription state another event, start or number of paid days than the complete history
    /// gives.
    ///
    /// The rules are RR-30 to RR-34.
    package static let subscriptionFigures = Self(rawValue: "subscription-figures")

    /// Events of a payment provider cannot be applied; one open item per app, because one cause often stops many.
    package static let paymentEvent = Self(rawValue: "payment-event")
    /// Events of a payment provider have waited for another event or object for more than a day; one open item per app.
    package static let paymentWaiting = Self(rawValue: "payment-waiting")
    /// More payments than before name no external purchase; one open item per app.
    package static let paymentsUnreferenced = Self(rawValue: "payments-unreferenced")
    /// A change of a sale was requested while its report was being sent, and can no longer be made directly.
    package static let saleChanged = Self(rawValue: "sale-changed")
    /// A webhook did not accept an event for three days; one open item per app.
    package static let webhookParked = Self(rawValue: "webhook-parked")

    /// All kinds of this version.
    package static let known: [ReviewKind] = [
        .reportRefused, .saleHeld, .keyRefused, .contradiction, .unreportedButAccepted, .subscriptionFigures,
        .paymentEvent, .paymentWaiting, .paymentsUnreferenced, .saleChanged, .webhookParked,
    ]
}

/// The subject of a review item.
package enum ReviewSubject: Hashable, Sendable {
    case app
    case token(ExternalPurchaseId)
    case sale(SaleId)
    case report(RequestIdentifier)
    case notification(NotificationUUID)

    /// The kind and the id of the subject as stored columns.
    package var columns: (kind: String, id: String) {
        switch self {
        case .app: ("app", "")
        case .token(let id): ("token", id.rawValue)
        case .sale(let id): ("sale", id.rawValue)
        case .report(let id): ("report", id.key)
        case .notification(let uuid): ("notification", uuid.rawValue)
        }
    }

    /// Creates a subject from the columns of ``columns``; returns nil when they are invalid.
    package init?(kind: String, id: String) {
        switch kind {
        case "app": self = .app
        case "token": self = .token(ExternalPurchaseId(id))
        case "sale": self = .sale(SaleId(id))
        case "report":
            guard let identifier = RequestIdentifier(id) else { return nil }
            self = .report(identifier)
        case "notification": self = .notification(NotificationUUID(id))
        default: return nil
        }
    }
}

/// The resolution of a review item: its time, author and note.
package struct ReviewResolution: Hashable, Sendable {
    package let resolvedAt: Timestamp
    /// A person's name as given, or the part of the system that resolved the item.
    package let by: String
    package let note: String

    package init(resolvedAt: Timestamp, by: String, note: String) {
        self.resolvedAt = resolvedAt
        self.by = by
        self.note = note
    }
}

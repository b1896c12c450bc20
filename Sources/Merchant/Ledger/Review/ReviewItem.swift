package import ExternalPurchaseCore

/// Something that waits for a person.
package struct ReviewItem: Hashable, Sendable {
    /// The place in the order of arrival, from 1; 0 before it is stored.
    package var sequence: Int64
    package let bundleId: BundleId
    package let kind: ReviewKind
    package let subject: ReviewSubject
    /// In plain words what is wrong and what would help.
    package let detail: String
    package let openedAt: Timestamp
    /// A correction that is planned and waits for its confirmation; nil where none would settle the matter.
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

/// The kind of a review item, in kebab case; open, so that each stage names its own.
package struct ReviewKind: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Apple or the pre-flight refused a report.
    package static let reportRefused = Self(rawValue: "report-refused")
    /// A sale is held for something that a person must settle (OB-52).
    package static let saleHeld = Self(rawValue: "sale-held")
    /// Apple refused the key of an app (401): nothing of it is sent (SA-73).
    package static let keyRefused = Self(rawValue: "key-refused")
    /// An arrival said something else than what is stored.
    package static let contradiction = Self(rawValue: "contradiction")
    /// Apple says that a token is unreported whose report it accepted (NT-66).
    package static let unreportedButAccepted = Self(rawValue: "unreported-but-accepted")
    /// A correction is beyond Apple's limits (RR-82).
    package static let tooLateToReport = Self(rawValue: "too-late-to-report")
    /// Apple accepted event, start or paid days of a subscription's charges that differ from those that all events known
    /// now give (RR-30 to RR-34).
    package static let subscriptionFigures = Self(rawValue: "subscription-figures")

    /// The kinds of this version.
    package static let known: [ReviewKind] = [
        .reportRefused, .saleHeld, .keyRefused, .contradiction, .unreportedButAccepted, .tooLateToReport,
        .subscriptionFigures,
    ]
}

/// The subject of a review item.
package enum ReviewSubject: Hashable, Sendable {
    case app
    case token(ExternalPurchaseId)
    case sale(SaleId)
    case report(RequestIdentifier)
    case notification(NotificationUUID)

    /// The word and the id of a row.
    package var columns: (kind: String, id: String) {
        switch self {
        case .app: ("app", "")
        case .token(let id): ("token", id.rawValue)
        case .sale(let id): ("sale", id.rawValue)
        case .report(let id): ("report", id.key)
        case .notification(let uuid): ("notification", uuid.rawValue)
        }
    }

    /// Reads what ``columns`` gave; nil when it is damaged.
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

/// Who took something off the list, when and with which words.
package struct ReviewResolution: Hashable, Sendable {
    package let resolvedAt: Timestamp
    /// A person's name as they gave it, or the stage that found it done.
    package let by: String
    package let note: String

    package init(resolvedAt: Timestamp, by: String, note: String) {
        self.resolvedAt = resolvedAt
        self.by = by
        self.note = note
    }
}

/// What can be asked about attention items.
package protocol ReviewQueries {
    func reviewItems(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [ReviewItem]
    func openReviewItems(_ page: LedgerPage) throws(LedgerError) -> [ReviewItem]
    /// Open ones of one kind and app, in the order of arrival.
    func openReviewItems(of kind: ReviewKind, app bundleId: BundleId) throws(LedgerError) -> [ReviewItem]
    /// Open and resolved ones about one subject.
    func reviewItems(about subject: ReviewSubject, app bundleId: BundleId) throws(LedgerError) -> [ReviewItem]
}

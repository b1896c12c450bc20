package import ExternalPurchaseCore

/// The deadline of a token or sale that is not reported yet, as stored beside its row (OB-50).
///
/// Rules outside the ledger compute it. Rows that need no report have none: reported rows, rows in a manual export,
/// and rows whose duty was ended by a person or by Apple.
package struct StoredDeadline: Hashable, Sendable {
    /// The row to which a deadline belongs; sorted by kind, tokens before line items, then by sequence number.
    package struct Subject: Hashable, Sendable, Comparable {
        package let isLineItem: Bool
        /// The sequence number of the token or sale.
        package let sequence: Int64

        package init(isLineItem: Bool, sequence: Int64) {
            self.isLineItem = isLineItem
            self.sequence = sequence
        }

        package static func < (left: Self, right: Self) -> Bool {
            left.isLineItem == right.isLineItem ? left.sequence < right.sequence : right.isLineItem
        }
    }

    /// Whether the server reports the row automatically, apart from a refused key of the app.
    package enum Readiness: String, Hashable, Sendable, CaseIterable {
        case scheduled
        /// The row waits for a point in time, a token or another sale.
        case waiting
        /// A person must act first.
        case review
    }

    package let subject: Subject
    package let bundleId: BundleId
    package let environment: AppStoreEnvironment
    package let readiness: Readiness
    /// True for a token without sales that only visits named; such a token is never late (TK-74).
    package let isUnconfirmed: Bool
    /// The creation date of the token or line item.
    package let createdAt: Timestamp
    /// The last moment that is in time; nil where no rule sets a deadline (OB-13).
    package let dueAt: Timestamp?
    /// The time of automatic sending (RR-72): of a token's first report without sales, or of a line item.
    ///
    /// Nil for a sale that waits or is in a report, and for a token with a refused report.
    package let sendAt: Timestamp?
    /// The time from which a waiting row needs a person; nil for never.
    package let reviewAt: Timestamp?

    package init(
        subject: Subject,
        bundleId: BundleId,
        environment: AppStoreEnvironment,
        readiness: Readiness,
        isUnconfirmed: Bool,
        createdAt: Timestamp,
        dueAt: Timestamp?,
        sendAt: Timestamp?,
        reviewAt: Timestamp?
    ) {
        self.subject = subject
        self.bundleId = bundleId
        self.environment = environment
        self.readiness = readiness
        self.isUnconfirmed = isUnconfirmed
        self.createdAt = createdAt
        self.dueAt = dueAt
        self.sendAt = sendAt
        self.reviewAt = reviewAt
    }
}

/// The rules by which stored deadlines are computed.
package struct StoredDeadlineRules: Hashable, Sendable {
    /// Increases with every change of the rules, from 1.
    package let id: Int64
    /// A text that is equal for equal rules.
    package let version: String

    package init(id: Int64, version: String) {
        self.id = id
        self.version = version
    }

    static func record(_ row: any SQLRow) throws(LedgerError) -> StoredDeadlineRules {
        StoredDeadlineRules(id: try row.integer(at: 0), version: try row.text(at: 1))
    }
}

/// A row that is not reported yet.
package enum OpenRow: Hashable, Sendable {
    case token(OpenToken)
    case sale(OpenSale)
}

/// The position of an entry in the list of deadlines.
///
/// Entries that need review come first, then the order is deadline, creation, tokens before line items, and arrival.
/// Entries without a deadline are last in their part. The position changes only with the rules or the entry itself,
/// so it is a stable cursor while other entries are reported.
package struct DeadlinePosition: Hashable, Sendable, Comparable {
    package let needsReview: Bool
    /// Nil without a deadline.
    package let dueAt: Timestamp?
    package let createdAt: Timestamp
    package let subject: StoredDeadline.Subject

    package init(needsReview: Bool, dueAt: Timestamp?, createdAt: Timestamp, subject: StoredDeadline.Subject) {
        self.needsReview = needsReview
        self.dueAt = dueAt
        self.createdAt = createdAt
        self.subject = subject
    }

    package static func < (left: Self, right: Self) -> Bool {
        if left.needsReview != right.needsReview { return left.needsReview }
        if left.dueAt != right.dueAt {
            guard let leftDue = left.dueAt else { return false }
            return right.dueAt.map { leftDue < $0 } ?? true
        }
        if left.createdAt != right.createdAt { return left.createdAt < right.createdAt }
        return left.subject < right.subject
    }

    /// The position as a page cursor.
    package var text: String {
        let due = dueAt.map { String($0.milliseconds) } ?? "none"
        let (part, kind) = (needsReview ? "held" : "due", subject.isLineItem ? "item" : "token")
        return "\(part).\(due).\(createdAt.milliseconds).\(kind).\(subject.sequence)"
    }

    /// Parses a page cursor; returns nil for any other text.
    package init?(text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 5, ["held", "due"].contains(parts[0]), ["item", "token"].contains(parts[3]),
            let createdAt = Int64(parts[2]), let sequence = Int64(parts[4])
        else { return nil }
        var dueAt: Timestamp?
        if parts[1] != "none" {
            guard let milliseconds = Int64(parts[1]) else { return nil }
            dueAt = Timestamp(milliseconds: milliseconds)
        }
        self.init(
            needsReview: parts[0] == "held",
            dueAt: dueAt,
            createdAt: Timestamp(milliseconds: createdAt),
            subject: StoredDeadline.Subject(isLineItem: parts[3] == "item", sequence: sequence)
        )
    }
}

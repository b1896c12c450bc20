package import ExternalPurchaseCore

/// The conditions of a list, a count or an alert of deadlines; all conditions that are set must hold.
package struct DeadlineQuery: Hashable, Sendable {
    /// A condition on the deadline itself.
    package enum Due: Hashable, Sendable {
        case any
        /// Matches rows without a deadline.
        case none
        /// Matches deadlines from `from` on and before `until`; nil means unbounded.
        case within(from: Timestamp?, until: Timestamp?)
    }

    /// The current time, for rows that wait for something to arrive.
    package var now: Timestamp
    /// The first `reviewAt` that follows from an arrival by a clock which was ahead; from there on nothing is waited for.
    package var reviewAheadFrom: Timestamp
    /// Apps of which nothing is sent before a person acts, such as those whose key Apple refuses (SA-73).
    package var blockedApps: Set<BundleId>
    package var bundleId: BundleId?
    package var environment: AppStoreEnvironment?
    package var isLineItem: Bool?
    package var isUnconfirmed: Bool?
    package var due = Due.any
    package var externalPurchaseId: ExternalPurchaseId?
    package var lineItemId: LineItemId?
    package var customerId: CustomerId?
    /// The product of a sale; a condition on it excludes all tokens.
    package var productId: String?

    /// Creates a query that matches all deadlines.
    package init(
        at now: Timestamp,
        blockedApps: Set<BundleId>,
        reviewAheadFrom: Timestamp = Timestamp(milliseconds: .max)
    ) {
        self.now = now
        self.reviewAheadFrom = reviewAheadFrom
        self.blockedApps = blockedApps
    }

    /// Whether a person must act before the row can be reported.
    package func needsReview(_ deadline: StoredDeadline) -> Bool {
        switch deadline.readiness {
        case .review: true
        case .waiting: deadline.reviewAt.map { $0 <= now || $0 >= reviewAheadFrom } ?? false
        // A possibly forged token never needs a person (TK-74).
        case .scheduled: !deadline.isUnconfirmed && blockedApps.contains(deadline.bundleId)
        }
    }

    /// The position of a deadline in the list of this query.
    package func position(of deadline: StoredDeadline) -> DeadlinePosition {
        DeadlinePosition(
            needsReview: needsReview(deadline),
            dueAt: deadline.dueAt,
            createdAt: deadline.createdAt,
            subject: deadline.subject
        )
    }

    /// Whether a deadline and its row match every condition.
    package func matches(_ deadline: StoredDeadline, of row: OpenRow) -> Bool {
        func holds<Value: Equatable>(_ wanted: Value?, _ value: Value?) -> Bool { wanted == nil || wanted == value }
        guard holds(bundleId, deadline.bundleId), holds(environment, deadline.environment),
            holds(isLineItem, deadline.subject.isLineItem), holds(isUnconfirmed, deadline.isUnconfirmed)
        else { return false }
        switch due {
        case .any: break
        case .none: if deadline.dueAt != nil { return false }
        case .within(let from, let until):
            guard let dueAt = deadline.dueAt, from.map({ dueAt >= $0 }) ?? true, until.map({ dueAt < $0 }) ?? true
            else { return false }
        }
        return switch row {
        case .token(let token):
            lineItemId == nil && productId == nil && holds(externalPurchaseId, token.externalPurchaseId)
                && holds(customerId, token.customerId)
        case .sale(let sale):
            holds(lineItemId, sale.lineItemId)
                && productId.map { sale.productId?.hasSameScalars(as: $0) ?? false } ?? true
                && holds(externalPurchaseId, sale.token?.externalPurchaseId) && holds(customerId, sale.customerId)
        }
    }
}

/// A stored deadline in a list, with its position in the list.
package struct ListedDeadline: Hashable, Sendable {
    package let position: DeadlinePosition
    package let bundleId: BundleId
    package let isUnconfirmed: Bool

    package init(position: DeadlinePosition, bundleId: BundleId, isUnconfirmed: Bool) {
        self.position = position
        self.bundleId = bundleId
        self.isUnconfirmed = isUnconfirmed
    }
}

/// The properties by which deadlines are counted.
package struct DeadlineGroup: Hashable, Sendable {
    package let bundleId: BundleId
    package let environment: AppStoreEnvironment
    package let isLineItem: Bool
    package let needsReview: Bool
    package let isUnconfirmed: Bool
    /// The number of boundaries before the deadline; nil without a deadline.
    package let bucket: Int?

    package init(
        bundleId: BundleId,
        environment: AppStoreEnvironment,
        isLineItem: Bool,
        needsReview: Bool,
        isUnconfirmed: Bool,
        bucket: Int?
    ) {
        self.bundleId = bundleId
        self.environment = environment
        self.isLineItem = isLineItem
        self.needsReview = needsReview
        self.isUnconfirmed = isUnconfirmed
        self.bucket = bucket
    }

    /// The group of one deadline.
    package init(of deadline: StoredDeadline, in query: DeadlineQuery, boundaries: [Timestamp]) {
        self.init(
            bundleId: deadline.bundleId,
            environment: deadline.environment,
            isLineItem: deadline.subject.isLineItem,
            needsReview: query.needsReview(deadline),
            isUnconfirmed: deadline.isUnconfirmed,
            bucket: deadline.dueAt.map { dueAt in boundaries.count { $0 < dueAt } }
        )
    }
}

/// The position of a token in the queue of tokens that need a report by their deadline.
package struct SendPosition: Hashable, Sendable, Comparable {
    package let sendAt: Timestamp
    /// The sequence number of the token.
    package let sequence: Int64

    package init(sendAt: Timestamp, sequence: Int64) {
        self.sendAt = sendAt
        self.sequence = sequence
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.sendAt, left.sequence) < (right.sendAt, right.sequence)
    }
}

package import ExternalPurchaseCore

/// The token on which a sale is reported, whether it can be reported, and what people decided about it.
package struct Attribution: Hashable, Sendable {
    package var state: SaleState
    package var externalPurchaseId: ExternalPurchaseId?
    /// Why the sale is held; empty for other sales.
    package var holdCauses: Set<HoldCause>
    package var review: SaleReview
    package var dispatch: SaleDispatch
    package var subscriptionDecision: SubscriptionDecision
    package var origin: SaleOrigin
    package var notes: Set<SaleNote>

    /// Creates the attribution of a stored row; no parameter has a default, so that no column is forgotten.
    package init(
        state: SaleState,
        externalPurchaseId: ExternalPurchaseId?,
        holdCauses: Set<HoldCause>,
        review: SaleReview,
        dispatch: SaleDispatch,
        subscriptionDecision: SubscriptionDecision,
        origin: SaleOrigin,
        notes: Set<SaleNote>
    ) {
        self.state = state
        self.externalPurchaseId = externalPurchaseId
        self.holdCauses = holdCauses
        self.review = review
        self.dispatch = dispatch
        self.subscriptionDecision = subscriptionDecision
        self.origin = origin
        self.notes = notes
    }

    /// Creates an attribution without decisions of a person.
    package init(
        state: SaleState,
        externalPurchaseId: ExternalPurchaseId?,
        holdCauses: Set<HoldCause> = [],
        origin: SaleOrigin = .merchant,
        notes: Set<SaleNote> = []
    ) {
        self.init(
            state: state,
            externalPurchaseId: externalPurchaseId,
            holdCauses: holdCauses,
            review: .open,
            dispatch: .together,
            subscriptionDecision: .undecided,
            origin: origin,
            notes: notes
        )
    }

    /// What a person reads about the sale; the virtual column `flags` of the database is the same set.
    package var flags: Set<SaleFlag> {
        var flags = Set(holdCauses.map { SaleFlag($0) })
        flags.formUnion(notes.map { SaleFlag($0) })
        if review == .closed { flags.insert(.reviewClosed) }
        if dispatch == .apart { flags.insert(.sentApart) }
        if subscriptionDecision == .newSubscription { flags.insert(.newSubscription) }
        if origin == .imported { flags.insert(.imported) }
        return flags
    }
}

extension Attribution {
    /// The fields of the attribution of a sale, with their name in each record form.
    package static let fields = RecordFields<Attribution>([
        .init("state", in: .audit) { .text($0.state.rawValue) },
        .init("externalPurchaseId", in: .audit) { .text($0.externalPurchaseId?.rawValue) },
        .init("flags", in: .audit) { .texts($0.flags.map(\.rawValue)) },
    ])

    var auditContent: JSONValue { .object(JSONObject(Self.fields.auditMembers(of: self))) }
}

/// Whether a sale can go into a report.
package enum SaleState: String, Hashable, Sendable, CaseIterable {
    /// Goes into the next report of its token, or is already in a report.
    case planned
    /// Waits for a token or for a person; the hold causes say why.
    case held
    /// Not reported by itself: the end of a subscription or a failed payment.
    case recorded
}

/// Whether a person closed the review item of a held sale.
package enum SaleReview: String, Hashable, Sendable, CaseIterable {
    case open
    /// The sale stays held and has no deadline, unless another cause holds it.
    case closed
}

/// The sales with which a sale shares a report.
package enum SaleDispatch: String, Hashable, Sendable, CaseIterable {
    /// All ready sales of its token.
    case together
    /// Sales that Apple has refused as well; a person retried the sale.
    case apart
}

/// A person's decision on a charge that seems to continue an imported subscription.
package enum SubscriptionDecision: String, Hashable, Sendable, CaseIterable {
    case undecided
    /// The sale starts a new subscription, despite imported data.
    case newSubscription
}

/// The system that first named a sale to the ledger.
package enum SaleOrigin: String, Hashable, Sendable, CaseIterable {
    /// The merchant's shop.
    case merchant
    /// An imported report, which Apple accepted from another system.
    case imported
}

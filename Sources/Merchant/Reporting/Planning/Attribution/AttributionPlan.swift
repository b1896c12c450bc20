package import ExternalPurchaseCore
package import Ledger

/// The attribution of every sale and the required report of every token, each with its reason.
package struct AttributionPlan: Hashable, Sendable {
    var sales: [SaleId: SalePlan] = [:]
    package var tokens: [ExternalPurchaseId: TokenPlan] = [:]
    /// The token and customer of each checkout after all links are made.
    var checkouts: [CheckoutId: Checkout] = [:]

    package init() {}
}

/// The attribution of one sale.
package struct SalePlan: Hashable, Sendable {
    let saleId: SaleId
    var outcome: Outcome
    /// The causes of the hold; empty for a sale that is not held.
    var holdCauses: Set<HoldCause>
    /// Closed if a person closed the review item of a held sale and no other cause holds it now.
    var review: SaleReview
    var notes: Set<SaleNote>
    var reason: SaleReason
    /// The event of a charge in its subscription.
    var moment: SubscriptionMoment?
    /// The difference between a charge's reported figures and the computed ones; nil without a difference or report.
    var revision: SubscriptionRevision?
    /// The sale whose report on another token must be accepted first.
    ///
    /// It is the start that this event, or the buy of this refund, refers to (SA-74, E3).
    var waitsFor: SaleId?
    /// Where a reported sale would be planned now; nil unless the claim by which it was reported has lost (TK-78).
    var place: ReportedPlace?

    package enum Outcome: Hashable, Sendable {
        /// In a report on that token; never moved.
        case reported(on: ExternalPurchaseId)
        /// Goes into the next report of the token.
        case planned(on: ExternalPurchaseId)
        /// Waits for a token or a person; the token is given if it is known.
        case held(on: ExternalPurchaseId?)
        /// Not reported.
        case noLineItem
    }

    init(
        saleId: SaleId,
        outcome: Outcome,
        holdCauses: Set<HoldCause> = [],
        review: SaleReview = .open,
        notes: Set<SaleNote> = [],
        reason: SaleReason,
        moment: SubscriptionMoment? = nil,
        waitsFor: SaleId? = nil
    ) {
        self.saleId = saleId
        self.outcome = outcome
        self.holdCauses = holdCauses
        self.review = review
        self.notes = notes
        self.reason = reason
        self.moment = moment
        self.waitsFor = waitsFor
    }

    /// The token on which the sale is or would be reported.
    var externalPurchaseId: ExternalPurchaseId? {
        switch outcome {
        case .reported(let token), .planned(let token): token
        case .held(let token): token
        case .noLineItem: nil
        }
    }

    var isHeld: Bool {
        if case .held = outcome { true } else { false }
    }

    /// The plan as it is stored in the ledger; sales without a line item are stored as `recorded`.
    var attribution: Attribution {
        let (state, token): (SaleState, ExternalPurchaseId?) =
            switch outcome {
            case .reported(let token), .planned(let token): (.planned, token)
            case .held(let token): (.held, token)
            case .noLineItem: (.recorded, nil)
            }
        var attribution = Attribution(
            state: state,
            externalPurchaseId: token,
            holdCauses: holdCauses,
            notes: notes
        )
        attribution.review = review
        return attribution
    }

    /// What a person reads about the planned sale.
    var flags: Set<SaleFlag> { attribution.flags }
}

/// Where a sale belongs that was reported by a claim of a public arrival (TK-78).
enum ReportedPlace: Hashable, Sendable {
    /// An authenticated source names another token: also what Apple accepted is to be moved.
    case moved(to: ExternalPurchaseId)
    /// It is planned otherwise, unless Apple has accepted it.
    case reassigned
}

/// The next report of one token, or the reason to wait.
package struct TokenPlan: Hashable, Sendable {
    let externalPurchaseId: ExternalPurchaseId
    package var report: PlannedReport
    var reason: TokenReason
    /// The first customer linked to the token, by the token itself or by a sale.
    var customerId: CustomerId?
    /// True if only public arrivals lead to the customer (TK-78).
    var isCustomerClaimed: Bool = false
    /// True for the token that was chosen for its customer's period.
    ///
    /// The choice is stored, because it must not change later (RR-60).
    var isChosen: Bool = false
    /// For a token created in the future, the time before which nothing of it is reported (TK-75).
    var notBefore: Timestamp?

    package enum PlannedReport: Hashable, Sendable {
        /// A `LINE_ITEM` report of the `ready` sales, by date; the `waiting` ones need an accepted report of another
        /// token.
        case lineItems(ready: [SaleId], waiting: [SaleId])
        /// A token-only report, at its deadline or when Apple requests it (RR-62, RR-72).
        case status(ReportStatus)
        /// No report is needed.
        case nothing
    }

    /// The status of the required report; nil if none is needed.
    var status: ReportStatus? {
        switch report {
        case .lineItems: .lineItem
        case .status(let status): status
        case .nothing: nil
        }
    }
}

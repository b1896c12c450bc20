package import ExternalPurchaseCore
package import Ledger

/// Where every sale goes and what every token calls for, each with its reason.
package struct AttributionPlan: Hashable, Sendable {
    package var sales: [SaleId: SalePlan] = [:]
    package var tokens: [ExternalPurchaseId: TokenPlan] = [:]
    /// What each checkout carries once the first ties are made.
    package var checkouts: [CheckoutId: Checkout] = [:]

    package init() {}
}

/// Where a sale goes.
package struct SalePlan: Hashable, Sendable {
    package let saleId: SaleId
    package var outcome: Outcome
    /// Why it is held, and what else a person should know.
    package var flags: Set<SaleFlag>
    package var reason: SaleReason
    /// What a charge is in its subscription.
    package var moment: SubscriptionMoment?
    /// What a report says otherwise of a charge than all known events; nil where both agree or nothing is reported.
    package var revision: SubscriptionRevision?
    /// The start on another token that must be accepted before Apple knows what this event, or the buy of this refund,
    /// refers to (SA-74, E3).
    package var waitsFor: SaleId?

    package enum Outcome: Hashable, Sendable {
        /// A report holds it on that token: never moved.
        case reported(on: ExternalPurchaseId)
        /// Goes into the next report of the token.
        case planned(on: ExternalPurchaseId)
        /// Waits for a token or a person; the token where it is known.
        case held(on: ExternalPurchaseId?)
        /// Nothing of it is reported.
        case noLineItem
    }

    package init(
        saleId: SaleId,
        outcome: Outcome,
        flags: Set<SaleFlag> = [],
        reason: SaleReason,
        moment: SubscriptionMoment? = nil,
        waitsFor: SaleId? = nil
    ) {
        self.saleId = saleId
        self.outcome = outcome
        self.flags = flags
        self.reason = reason
        self.moment = moment
        self.waitsFor = waitsFor
    }

    /// The token that the sale is or would be reported on.
    package var externalPurchaseId: ExternalPurchaseId? {
        switch outcome {
        case .reported(let token), .planned(let token): token
        case .held(let token): token
        case .noLineItem: nil
        }
    }

    package var isHeld: Bool {
        if case .held = outcome { true } else { false }
    }

    /// The plan as the ledger keeps it; what has no line item is kept as `recorded`.
    package var attribution: Attribution {
        switch outcome {
        case .reported(let token), .planned(let token):
            Attribution(state: .planned, externalPurchaseId: token, flags: flags)
        case .held(let token):
            Attribution(state: .held, externalPurchaseId: token, flags: flags)
        case .noLineItem:
            Attribution(state: .recorded, externalPurchaseId: nil, flags: flags)
        }
    }
}

/// The report or the wait that follows for one token.
package struct TokenPlan: Hashable, Sendable {
    package let externalPurchaseId: ExternalPurchaseId
    package var answer: Answer
    package var reason: TokenReason
    /// The customer by the first tie, that of a sale included.
    package var customerId: CustomerId?
    /// True when it is the one of its customer's period that takes the sales; to be kept, since the choice stays
    /// (RR-60).
    package var isChosen: Bool
    /// Nothing of a token made ahead of the clock is reported before that moment (TK-75).
    package var notBefore: Timestamp?

    package enum Answer: Hashable, Sendable {
        /// A `LINE_ITEM` report of these sales, in the order of their moments; `waiting` ones follow when what they
        /// refer to on another token is accepted.
        case lineItems(ready: [SaleId], waiting: [SaleId])
        /// A token-only report, at its due date or when Apple asks (RR-62, RR-72).
        case status(ReportStatus)
        /// It is answered.
        case nothing
    }

    package init(
        externalPurchaseId: ExternalPurchaseId,
        answer: Answer,
        reason: TokenReason,
        customerId: CustomerId? = nil,
        isChosen: Bool = false,
        notBefore: Timestamp? = nil
    ) {
        self.externalPurchaseId = externalPurchaseId
        self.answer = answer
        self.reason = reason
        self.customerId = customerId
        self.isChosen = isChosen
        self.notBefore = notBefore
    }

    /// The status of the report called for; nil for nothing.
    package var status: ReportStatus? {
        switch answer {
        case .lineItems: .lineItem
        case .status(let status): status
        case .nothing: nil
        }
    }
}

import ExternalPurchaseCore

/// A refund by its own id, as all its events tell it.
struct StripeRefund: Hashable, Sendable {
    enum State: Hashable, Sendable {
        case pending
        case succeeded
        /// Failed or canceled, possibly after it had succeeded; nothing follows.
        case failed
    }

    let id: StripeObjectId
    let amount: Int64
    let currency: StripeCurrency
    let created: Timestamp
    let state: State
    /// True if some event said that the money was returned.
    let succeededOnce: Bool
    /// When it failed or was canceled first; ``created`` where it did not.
    let changedAt: Timestamp

    /// A refund that no event tells.
    init(id: StripeObjectId, amount: Int64, _ currency: StripeCurrency, succeededAt created: Timestamp) {
        (self.id, self.amount, self.currency, self.created) = (id, amount, currency, created)
        (state, succeededOnce, changedAt) = (.succeeded, true, created)
    }

    /// - Parameter events: the events of the refund, sorted; at least one.
    init?(id: StripeObjectId, events: [StripeEvent]) throws(NoSale) {
        guard let first = events.first, let object = StripeObject(first.object) else { return nil }
        self.id = id
        if let presented = try StripePresentment(of: object) {
            (amount, currency) = (presented.amount, presented.currency)
        } else {
            (amount, currency) = (try object.repaidAmount("amount"), try StripeCurrency(of: object))
        }
        created = try object.time("created") ?? first.created
        let statuses = events.compactMap { StripeObject($0.object)?["status"]?.stringValue }
        let failure = events.first { event in
            let status = StripeObject(event.object)?["status"]?.stringValue ?? ""
            return ["failed", "canceled"].contains(status) || event.type == "refund.failed"
        }
        changedAt = failure?.created ?? created
        succeededOnce = statuses.contains("succeeded")
        state = failure != nil ? .failed : succeededOnce ? .succeeded : .pending
    }
}

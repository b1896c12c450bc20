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
        let isFailed =
            statuses.contains { ["failed", "canceled"].contains($0) }
            || events.contains { $0.type == "refund.failed" }
        succeededOnce = statuses.contains("succeeded")
        state = isFailed ? .failed : succeededOnce ? .succeeded : .pending
    }
}

import ExternalPurchaseCore

/// A dispute, as all its events tell it.
struct StripeDispute: Sendable {
    let id: StripeObjectId
    let amount: Int64
    let currency: StripeCurrency
    let created: Timestamp
    /// The events that say that the money was taken.
    let withdrawals: [StripeEvent]
    /// The events that say that the money came back.
    let reinstatements: [StripeEvent]

    /// - Parameter events: the events of the dispute, sorted; at least one.
    init?(id: StripeObjectId, events: [StripeEvent]) throws(NoSale) {
        guard let first = events.first, let object = StripeObject(first.object) else { return nil }
        self.id = id
        amount = try object.repaidAmount("amount")
        currency = try StripeCurrency(of: object)
        created = try object.time("created") ?? first.created
        withdrawals = events.filter(\.takesMoney)
        reinstatements = events.filter(\.returnsMoney)
    }
}

extension StripeEvent {
    private var disputeStatus: String? { StripeObject(object)?["status"]?.stringValue }

    /// True for a dispute's event after which the money is gone; an inquiry moves none.
    var takesMoney: Bool {
        switch type {
        case "charge.dispute.funds_withdrawn": true
        case "charge.dispute.created": disputeStatus?.hasPrefix("warning_") != true
        default: false
        }
    }

    /// True for a dispute's event after which the money is back.
    var returnsMoney: Bool {
        switch type {
        case "charge.dispute.funds_reinstated": true
        case "charge.dispute.closed": disputeStatus == "won"
        default: false
        }
    }
}

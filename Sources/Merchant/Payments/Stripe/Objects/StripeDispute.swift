import ExternalPurchaseCore

/// A dispute, as all its events tell it.
struct StripeDispute: Sendable {
    let id: StripeObjectId
    let amount: Int64
    let currency: StripeCurrency
    let created: Timestamp
    /// The events that say that the money was taken.
    let withdrawals: [StripeEvent]
    /// The events that say that money came back.
    let reinstatements: [StripeEvent]
    /// What came back of ``amount`` if it is a part of it; 0 if all or nothing did.
    let returned: Int64

    /// - Parameter events: the events of the dispute, sorted; at least one.
    init?(id: StripeObjectId, events: [StripeEvent]) throws(NoSale) {
        guard let first = events.first, let object = StripeObject(first.object) else { return nil }
        self.id = id
        amount = try object.repaidAmount("amount")
        currency = try StripeCurrency(of: object)
        created = try object.time("created") ?? first.created
        withdrawals = events.filter(\.takesMoney)
        reinstatements = events.filter(\.returnsMoney)
        returned = try Self.returned(events, of: amount, id)
    }

    /// The part of the amount that came back, by the newest balance transactions: their fees do not count.
    private static func returned(
        _ events: [StripeEvent],
        of amount: Int64,
        _ id: StripeObjectId
    ) throws(NoSale) -> Int64 {
        var newest: [Int64] = []
        for event in events {
            var amounts: [Int64] = []
            for transaction in try StripeObject(event.object)?.objects("balance_transactions") ?? [] {
                amounts.append(try transaction.requiredInteger("amount"))
            }
            // Within a second the later state has more of them.
            if amounts.count >= newest.count { newest = amounts }
        }
        let taken = try newest.filter { $0 < 0 }.map { 0 &- $0 }.sum(of: id.rawValue)
        let back = try newest.filter { $0 > 0 }.sum(of: id.rawValue)
        guard taken > 0, back > 0, back < taken else { return 0 }
        return try amount.fraction(back, of: taken, name: id.rawValue)
    }
}

extension StripeEvent {
    private var disputeStatus: String? { StripeObject(object)?["status"]?.stringValue }

    /// True for a dispute's event after which the money is gone; an inquiry moves none.
    var takesMoney: Bool {
        switch type {
        case "charge.dispute.funds_withdrawn": true
        case "charge.dispute.created": disputeStatus?.hasPrefix("warning_") != true
        case "charge.dispute.closed": disputeStatus == "lost"
        default: false
        }
    }

    /// True for a dispute's event after which money is back.
    var returnsMoney: Bool {
        switch type {
        case "charge.dispute.funds_reinstated": true
        case "charge.dispute.closed": disputeStatus == "won"
        default: false
        }
    }
}

import ExternalPurchaseCore
import Ledger

/// The refunds of one payment: those with ids of their own, and the sums that `charge.refunded` tells.
struct PaymentRefunds {
    /// A sum of all refunds of a charge, `amount_refunded`.
    struct Total {
        let charge: StripeObjectId
        let amount: Int64
        let currency: StripeCurrency
        /// True for the amount of a customer who is charged in another currency than the shop's.
        let isPresented: Bool
        /// Sorted; at least one.
        let events: [StripeEvent]

        /// The id of the sale for the part of the sum that no refund tells.
        var saleId: String { "\(charge.rawValue)/\(amount)" }

        var lastTold: Timestamp { events.last?.created ?? Timestamp(milliseconds: 0) }
    }

    var charge: StripeObjectId?
    var intent: StripeObjectId?
    var refunds: [(refund: StripeRefund, events: [StripeEvent])] = []
    var totals: [Total] = []

    var events: [StripeEvent] { refunds.flatMap(\.events) + totals.flatMap(\.events) }

    /// True if some event may give a sale.
    var isAlive: Bool { !totals.isEmpty || refunds.contains { $0.refund.state == .succeeded } }

    /// True if refunds that count by themselves are more than was given back beside the differences that the ledger holds, and all
    /// refunds that are known are not.
    func isToldTwice(by own: [StripeRefund], beside capacity: Int64) -> Bool {
        let newest = totals.max { ($0.lastTold, $0.amount) < ($1.lastTold, $1.amount) }
        guard capacity > 0, let newest else { return false }
        var given = newest.amount
        for (refund, _) in refunds {
            let isContained = refund.created <= newest.lastTold
            switch refund.state {
            case .succeeded: if !isContained { given &+= refund.amount }
            case .pending: if isContained { given &-= refund.amount }
            case .failed: if isContained, refund.changedAt >= newest.lastTold { given &-= refund.amount }
            }
        }
        func sum(_ refunds: [StripeRefund]) -> Int64 {
            refunds.reduce(0) { $1.state == .succeeded ? $0 &+ $1.amount : $0 }
        }
        return sum(own) &+ capacity > given && sum(refunds.map(\.refund)) <= given
    }

    /// Adds the refunds that callers sent of the payment's sales and that no event tells: a sum has them too.
    ///
    /// A caller's clock may be an hour ahead of the event that tells the sum.
    mutating func add(_ posted: [Sale], of purchases: [Sale]) {
        let known = Set(refunds.map(\.refund.id.rawValue))
        for sale in posted where !known.contains(sale.saleId.rawValue) {
            guard let refund = sale.refund,
                let buy = purchases.first(where: { "\(refund.refundOf)/".hasPrefix("\($0.saleId)/") }),
                let currency = totals.first?.currency, buy.purchases.first?.currency == currency.code,
                let amount = currency.amount(refund.statedAmount ?? refund.inclusive)
            else { continue }
            let told = totals.compactMap(\.events.first?.created).filter { $0 + .seconds(3_600) >= sale.occurredAt }
                .min()
            let created = min(sale.occurredAt, told ?? sale.occurredAt)
            let id = StripeObjectId(sale.saleId.rawValue)
            refunds.append((StripeRefund(id: id, amount: amount, currency, succeededAt: created), []))
        }
        sort()
    }

    /// Sorts the refunds by time and the sums by amount.
    mutating func sort() {
        refunds.sort { ($0.refund.created, $0.refund.id) < ($1.refund.created, $1.refund.id) }
        totals.sort { ($0.amount, $0.charge) < ($1.amount, $1.charge) }
    }
}

/// The sale of a difference that the ledger holds already.
struct StandingDifference {
    let sale: Sale
    /// In Stripe's units, with what was given back of shipping.
    var amount: Int64

    /// The id of the sale of its sum, of which it may be a part.
    var name: SaleId { SaleId(sale.saleId.rawValue.split(separator: "/").prefix(2).joined(separator: "/")) }

    /// The sales that the ledger holds for the sums of a charge.
    static func all(of charge: StripeObjectId?, in standing: [SaleId: Sale], _ currency: StripeCurrency) -> [Self] {
        guard let charge else { return [] }
        return standing.values.sorted { $0.saleId < $1.saleId }.compactMap { sale in
            guard sale.saleId.rawValue.hasPrefix("\(charge.rawValue)/"), let refund = sale.refund, !refund.isChargeback,
                let amount = currency.amount(refund.statedAmount ?? refund.inclusive)
            else { return nil }
            return StandingDifference(sale: sale, amount: amount)
        }
    }
}

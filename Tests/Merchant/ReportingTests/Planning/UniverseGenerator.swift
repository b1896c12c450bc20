import ExternalPurchaseCore
import Foundation
import Ledger
import Reporting

/// Makes small universes full of coincidences: few customers, few periods, few moments.
struct UniverseGenerator {
    var random: SplitMix64
    let customers: [CustomerId]
    private var nextSale = 0
    private var nextToken = 0

    /// Adds trials, changes of plan, payments, cancellations and lapses with dates as wild as they come.
    let isWild: Bool

    init(seed: UInt64, isWild: Bool = false) {
        self.isWild = isWild
        random = SplitMix64(seed: seed)
        let count = Int.random(in: 1...3, using: &random)
        customers = (0..<count).map { CustomerId("c\($0)") }
    }

    private mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    mutating func token(answered: Bool = true) -> TokenRecord {
        nextToken += 1
        let sandbox = chance(8)
        let id = ExternalPurchaseId((sandbox ? "SANDBOX_" : "") + "t\(chance(2) ? "a" : "b")\(nextToken)")
        let kind: TokenType? = pick([
            .services, .services, .services, .acquisition, .acquisition, nil, .linkOut, .inApp,
        ])
        let isCustomLink = kind == .services || kind == .acquisition
        let start = isCustomLink ? pick([0.0, 0, 50, 80]) : pick([0.0, 10, 20])
        let source: TokenSource = chance(6) ? .notification : chance(4) ? .website : .app
        let isTied = source != .notification && (isCustomLink ? !chance(6) : chance(3))
        var reported: Set<ReportStatus> = []
        if answered, chance(5) {
            reported = [pick([.noLineItem, .unrecognizedToken] + (isCustomLink ? [.duplicateToken] : []))]
        }
        return Samples.token(
            id,
            kind,
            from: start,
            to: isCustomLink ? start + pick([60.0, 60, 60, 90]) : nil,
            received: Double(Int.random(in: 0...3, using: &random)) + start,
            customer: isTied ? pick(customers) : nil,
            source: source,
            state: chance(12) ? .unknownToApple : chance(4) ? .confirmed : .unconfirmed,
            reported: reported,
            wasChosen: isTied && isCustomLink && answered && chance(6)
        )
    }

    /// A sale, mostly of a customer, at times naming a token or checkout, also one that never arrives.
    mutating func sale(tokens: [TokenRecord], earlier: [Sale]) -> Sale {
        nextSale += 1
        let id = SaleId("s\(nextSale)")
        let day = Double(Int.random(in: 0...170, using: &random))
        var named: ExternalPurchaseId?
        if chance(4), !tokens.isEmpty { named = pick(tokens).id }
        if chance(25) { named = "never" }
        let customer = chance(6) ? nil : pick(customers)
        let checkout: CheckoutId? = chance(4) ? CheckoutId("k\(Int.random(in: 0...2, using: &random))") : nil
        let buys = earlier.filter { $0.purchase != nil }
        let refunds = earlier.filter { $0.refund?.isChargeback == true }
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<2 where !buys.isEmpty:
            let buy = pick(buys)
            let moment = buy.occurredAt.advanced(
                by: .days(Int64.random(in: -1...20, using: &random))
            )
            let amount = Decimal(Int.random(in: 1...8, using: &random))
            return Samples.sale(id, at: moment, Samples.refund(of: buy.saleId, amount, chargeback: chance(2)))
        case 2 where !refunds.isEmpty:
            let refund = pick(refunds)
            return Samples.sale(
                id,
                at: refund.occurredAt + .days(1),
                .chargebackReversal(of: refund.saleId)
            )
        case 3..<6 where isWild:
            let subscription: SubscriptionId = chance(2) ? "sub1" : "sub2"
            let from = day + Double(Int.random(in: -10...10, using: &random))
            let kind: Sale.Kind =
                switch Int.random(in: 0..<8, using: &random) {
                case 0: .lapse(subscription)
                case 1:
                    .cancellation(
                        SubscriptionCancellation(
                            subscriptionId: subscription,
                            effectiveAt: chance(2) ? nil : Samples.day(from)
                        )
                    )
                default:
                    Samples.charge(
                        subscription,
                        from: from,
                        to: from + Double(Int.random(in: 0...40, using: &random)),
                        chance(4) ? 0 : 6,
                        product: chance(3) ? "club.365d" : "club.30d",
                        event: chance(4) ? pick([.renewal, .change, .payment]) : nil
                    )
                }
            return Samples.sale(
                id,
                at: Samples.day(day),
                customer: customer,
                checkout: checkout,
                token: named,
                kind
            )
        case 3..<7 where !isWild:
            // Two subscriptions with one price each moment, so that the first moment is the start.
            let subscription: SubscriptionId = chance(2) ? "sub1" : "sub2"
            let taken = Set(earlier.filter { $0.subscriptionId == subscription }.map(\.occurredAt))
            if taken.contains(Samples.day(day)) { break }
            return Samples.sale(
                id,
                at: Samples.day(day),
                customer: customer,
                checkout: checkout,
                token: named,
                Samples.charge(subscription, from: day, to: day + 30)
            )
        default: break
        }
        let purchase = Purchase(
            productId: "p",
            quantity: 1,
            currency: "EUR",
            inclusive: 12,
            tax: chance(10) ? nil : .rate(20),
            taxCountry: chance(15) ? nil : "AUT"
        )
        return Samples.sale(
            id,
            at: Samples.day(day),
            customer: customer,
            checkout: checkout,
            token: named,
            .purchase(purchase)
        )
    }

    mutating func universe() -> PlanningInput {
        let tokens = (0..<Int.random(in: 0...12, using: &random)).map { _ in token() }
        var sales: [Sale] = []
        for _ in 0..<Int.random(in: 0...10, using: &random) { sales.append(sale(tokens: tokens, earlier: sales)) }
        // Refunds may arrive before their buys.
        return PlanningInput(tokens: tokens, sales: Samples.records(sales.shuffled(using: &random)))
    }
}

package import ExternalPurchaseCore
package import Ledger

/// All that a plan is made from: tokens, checkouts and sales of one app.
///
/// Tokens of both environments may stand together; they never meet (SA-90).
package struct PlanningInput: Hashable, Sendable {
    package var tokens: [TokenRecord]
    package var checkouts: [Checkout]
    package var sales: [SaleRecord]
    /// Sales that were withdrawn before Apple accepted them: no record of them counts, and what refers to one is held.
    package var voided: Set<SaleId>

    package init(
        tokens: [TokenRecord] = [],
        checkouts: [Checkout] = [],
        sales: [SaleRecord] = [],
        voided: Set<SaleId> = []
    ) {
        self.tokens = tokens
        self.checkouts = checkouts
        self.sales = sales
        self.voided = voided
    }
}

/// What an arrival touches, and what ties records together.
package enum PlanningKey: Hashable, Sendable {
    case customer(CustomerId)
    case token(ExternalPurchaseId)
    case checkout(CheckoutId)
    case subscription(SubscriptionId)
    case sale(SaleId)
}

/// A universe taken apart into what belongs together, so that an arrival re-plans its own part only.
///
/// Two records belong together when one key ties them: customer, token, checkout, subscription, or the sale that a
/// refund or reversal names. The plan of a part is that of the whole for everything in the part.
package struct PlanningIndex: Sendable {
    private let universe: PlanningInput
    private var tokens: [PlanningKey: [Int]] = [:]
    private var checkouts: [PlanningKey: [Int]] = [:]
    private var sales: [PlanningKey: [Int]] = [:]

    package init(_ universe: PlanningInput) {
        self.universe = universe
        for (index, token) in universe.tokens.enumerated() {
            for key in token.keys { tokens[key, default: []].append(index) }
        }
        for (index, checkout) in universe.checkouts.enumerated() {
            for key in checkout.keys { checkouts[key, default: []].append(index) }
        }
        for (index, sale) in universe.sales.enumerated() {
            for key in sale.keys { sales[key, default: []].append(index) }
        }
    }

    /// The part that keys lead to, directly or over other records, in the order of the universe.
    ///
    /// The work grows with the part, not with the universe.
    package func part(touching keys: Set<PlanningKey>) -> PlanningInput {
        var seen = keys
        var open = Array(keys)
        var (tokensFound, checkoutsFound, salesFound) = (Set<Int>(), Set<Int>(), Set<Int>())
        while let key = open.popLast() {
            var reached: [PlanningKey] = []
            for index in tokens[key] ?? [] where tokensFound.insert(index).inserted {
                reached += universe.tokens[index].keys
            }
            for index in checkouts[key] ?? [] where checkoutsFound.insert(index).inserted {
                reached += universe.checkouts[index].keys
            }
            for index in sales[key] ?? [] where salesFound.insert(index).inserted {
                reached += universe.sales[index].keys
            }
            for key in reached where seen.insert(key).inserted { open.append(key) }
        }
        return PlanningInput(
            tokens: tokensFound.sorted().map { universe.tokens[$0] },
            checkouts: checkoutsFound.sorted().map { universe.checkouts[$0] },
            sales: salesFound.sorted().map { universe.sales[$0] },
            voided: universe.voided
        )
    }
}

extension TokenRecord {
    fileprivate var keys: [PlanningKey] {
        [.token(id)] + (customerId.map { [.customer($0)] } ?? [])
    }
}

extension Checkout {
    fileprivate var keys: [PlanningKey] {
        var keys: [PlanningKey] = [.checkout(checkoutId)]
        if let externalPurchaseId { keys.append(.token(externalPurchaseId)) }
        if let customerId { keys.append(.customer(customerId)) }
        return keys
    }
}

extension SaleRecord {
    fileprivate var keys: [PlanningKey] {
        var keys: [PlanningKey] = [.sale(sale.saleId)]
        if let partOf { keys.append(.sale(partOf)) }
        if let token = sale.externalPurchaseId { keys.append(.token(token)) }
        if let token = report?.externalPurchaseId { keys.append(.token(token)) }
        if let checkout = sale.checkoutId { keys.append(.checkout(checkout)) }
        if let customer = sale.customerId { keys.append(.customer(customer)) }
        if let subscription = sale.subscriptionId { keys.append(.subscription(subscription)) }
        if let referred = sale.refund?.refundOf ?? sale.reversedChargeback { keys.append(.sale(referred)) }
        return keys
    }
}

package import ExternalPurchaseCore
package import Ledger

/// The input of a plan: tokens, checkouts and sales of one app.
///
/// It may contain tokens of both environments, which are planned separately (SA-90).
package struct PlanningInput: Hashable, Sendable {
    package var tokens: [TokenRecord]
    var checkouts: [Checkout]
    /// The tokens that public arrivals name for checkouts that have several claims (TK-78).
    var claims: [CheckoutId: [ExternalPurchaseId]]
    package var sales: [SaleRecord]
    /// Sales withdrawn before Apple accepted them; they are not planned, and sales that refer to them are held.
    var voided: Set<SaleId>

    package init(
        tokens: [TokenRecord] = [],
        checkouts: [Checkout] = [],
        claims: [CheckoutId: [ExternalPurchaseId]] = [:],
        sales: [SaleRecord] = [],
        voided: Set<SaleId> = []
    ) {
        self.tokens = tokens
        self.checkouts = checkouts
        self.claims = claims
        self.sales = sales
        self.voided = voided
    }
}

/// A key by which records are connected, and by which an arrival is assigned to them.
enum PlanningKey: Hashable, Sendable {
    case customer(CustomerId)
    case token(ExternalPurchaseId)
    case checkout(CheckoutId)
    case subscription(SubscriptionId)
    case sale(SaleId)
}

/// The input grouped by connected records, so that an arrival only needs a new plan of its own part.
///
/// Records are connected by a common key: customer, token, checkout, subscription, or the sale named by a refund or
/// reversal. For every record of a part, the plan of the part equals the plan of the complete input.
struct PlanningIndex: Sendable {
    private let universe: PlanningInput
    private var tokens: [PlanningKey: [Int]] = [:]
    private var checkouts: [PlanningKey: [Int]] = [:]
    private var sales: [PlanningKey: [Int]] = [:]

    init(_ universe: PlanningInput) {
        self.universe = universe
        for (index, token) in universe.tokens.enumerated() {
            for key in token.keys { tokens[key, default: []].append(index) }
        }
        for (index, checkout) in universe.checkouts.enumerated() {
            for key in universe.keys(of: checkout) { checkouts[key, default: []].append(index) }
        }
        for (index, sale) in universe.sales.enumerated() {
            for key in sale.keys { sales[key, default: []].append(index) }
        }
    }

    /// The records connected with the given keys, directly or through other records, in input order.
    ///
    /// The cost is proportional to the size of the part.
    func part(touching keys: Set<PlanningKey>) -> PlanningInput {
        var seen = keys
        var open = Array(keys)
        var (tokensFound, checkoutsFound, salesFound) = (Set<Int>(), Set<Int>(), Set<Int>())
        while let key = open.popLast() {
            var reached: [PlanningKey] = []
            for index in tokens[key] ?? [] where tokensFound.insert(index).inserted {
                reached += universe.tokens[index].keys
            }
            for index in checkouts[key] ?? [] where checkoutsFound.insert(index).inserted {
                reached += universe.keys(of: universe.checkouts[index])
            }
            for index in sales[key] ?? [] where salesFound.insert(index).inserted {
                reached += universe.sales[index].keys
            }
            for key in reached where seen.insert(key).inserted { open.append(key) }
        }
        return PlanningInput(
            tokens: tokensFound.sorted().map { universe.tokens[$0] },
            checkouts: checkoutsFound.sorted().map { universe.checkouts[$0] },
            claims: universe.claims,
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

extension PlanningInput {
    fileprivate func keys(of checkout: Checkout) -> [PlanningKey] {
        var keys: [PlanningKey] = [.checkout(checkout.checkoutId)]
        if let token = checkout.externalPurchaseId { keys.append(.token(token)) }
        if let customer = checkout.customerId { keys.append(.customer(customer)) }
        return keys + (claims[checkout.checkoutId] ?? []).map(PlanningKey.token)
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

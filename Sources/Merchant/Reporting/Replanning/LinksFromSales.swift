import ExternalPurchaseCore
import Ledger

/// The links of tokens and checkouts that sales made and that no longer hold, or may no longer (TK-78).
///
/// A sale that names a token and a customer links both, and its checkout with them. When such a sale goes or a person
/// sets a customer, the links that followed are derived anew from the sales that remain. Only these sales are read: of
/// each token the first one that decides, and those whose checkout follows the token.
struct LinksFromSales {
    private let ledger: LedgerQueries
    private let bundleId: BundleId
    /// Tokens whose customer has changed already.
    private let changed: Set<ExternalPurchaseId>
    private var read: [CheckoutId: Checkout?] = [:]
    private var seen: Set<PlanningKey> = []
    private var open: [PlanningKey] = []
    /// The tokens whose customer is derived anew.
    private(set) var tokens: Set<ExternalPurchaseId> = []
    /// The checkouts whose token or customer is derived anew.
    private(set) var checkouts: Set<CheckoutId> = []
    /// The sales from which they are derived.
    private var sales: Set<SaleId> = []
    /// Every checkout of these tokens and sales that was found.
    private var linked: Set<PlanningKey> = []

    var isEmpty: Bool { tokens.isEmpty && checkouts.isEmpty }

    /// The keys of the records from which the links are derived.
    var keys: [PlanningKey] {
        sales.sorted().map { .sale($0) } + tokens.sorted().map { .token($0) } + linked
    }

    /// Sales are read in pages of this number until one decides.
    private static let few = 16
    /// The number of claims on a checkout that are read of each environment.
    private static let claims = 3

    /// - Parameters:
    ///   - keys: the tokens and checkouts that the changed sale named; other keys are ignored.
    ///   - changed: tokens whose customer a person or an arrival has set.
    ///   - bundleId: the app.
    ///   - ledger: the ledger, with the change.
    init(
        of keys: some Sequence<PlanningKey>,
        after changed: Set<ExternalPurchaseId>,
        app bundleId: BundleId,
        in ledger: LedgerQueries
    ) throws(LedgerError) {
        self.ledger = ledger
        self.bundleId = bundleId
        self.changed = changed
        reach(keys)
        reach(changed.sorted().map { .token($0) })
        while let key = open.popLast() {
            switch key {
            case .token(let id): try follow(token: id)
            case .checkout(let id): try follow(checkout: id)
            case .customer, .subscription, .sale: break
            }
        }
    }

    private mutating func reach(_ keys: some Sequence<PlanningKey>) {
        for key in keys where seen.insert(key).inserted { open.append(key) }
    }

    private mutating func follow(token id: ExternalPurchaseId) throws(LedgerError) {
        guard let token = try ledger.token(id, of: bundleId) else { return }
        // Without a stated customer the sales decide.
        let isDerived = token.customerSource == .sales || changed.contains(id) && token.customerId == nil
        guard isDerived || changed.contains(id) else { return }
        if isDerived {
            let deciding = try decidingSale(of: id)
            // A sale that still says the same: what follows from the link stays as well.
            if !changed.contains(id), let deciding, deciding.isConfirming(token) { return }
        }
        if isDerived { tokens.insert(id) }
        reach([.checkout(token.checkoutId)])
        var page = LedgerPage(limit: 500)
        while true {
            let rows = try ledger.sales(.changing(with: id, of: bundleId), page)
            for sale in rows where sale.links {
                sales.insert(sale.sale.saleId)
                if let checkout = sale.sale.checkoutId { reach([.checkout(checkout)]) }
            }
            guard rows.count == page.limit, let last = rows.last else { return }
            page.after = last.sequence
        }
    }

    /// A sale that leads to a token, with its checkout.
    private struct Deciding {
        let sale: Sale
        let checkout: Checkout?

        /// Whether the sale itself names the customer of the token, and nothing contradicts it.
        func isConfirming(_ token: StoredToken) -> Bool {
            guard let customer = token.customerId, !token.isCustomerClaimed else { return false }
            return sale.customerId == customer && checkout?.customerId.map { $0 == customer } ?? true
        }
    }

    /// Reads the sales that lead to a token, up to the first one that gives it a customer.
    private mutating func decidingSale(of id: ExternalPurchaseId) throws(LedgerError) -> Deciding? {
        var page = LedgerPage(limit: Self.few)
        while true {
            let rows = try ledger.sales(.naming(id, of: bundleId), page)
            for sale in rows where sale.links {
                sales.insert(sale.sale.saleId)
                var checkout: Checkout?
                if let named = sale.sale.checkoutId { checkout = try self.checkout(named) }
                // A checkout that has its token from a sale may lose it.
                let isSure =
                    sale.sale.externalPurchaseId == id
                    || checkout?.isTokenFromSale == false
                        && [.authenticated, .replaced].contains(checkout?.tokenClaim)
                let statesCustomer =
                    sale.sale.customerId != nil || checkout?.isCustomerFromSale == false && checkout?.customerId != nil
                if isSure, statesCustomer { return Deciding(sale: sale.sale, checkout: checkout) }
            }
            guard rows.count == page.limit, let last = rows.last else { return nil }
            page.after = last.sequence
        }
    }

    private mutating func follow(checkout id: CheckoutId) throws(LedgerError) {
        guard let checkout = try checkout(id) else { return }
        linked.insert(.checkout(id))
        let hasLostCustomer =
            checkout.customerId == nil && checkout.externalPurchaseId.map(changed.contains) ?? false
        let isDerived = checkout.isTokenFromSale || checkout.isCustomerFromSale || hasLostCustomer
        if isDerived { checkouts.insert(id) }
        // A sale that named the checkout alone may have given its token the customer.
        reach(checkout.externalPurchaseId.map { [.token($0)] } ?? [])
        if [.contested, .replaced].contains(checkout.tokenClaim) {
            // A token that has lost the checkout may have had its customer by it.
            for environment in AppStoreEnvironment.allCases {
                let claims = try ledger.claims(on: id, of: bundleId, in: environment, limit: Self.claims)
                reach(claims.map { .token($0) })
            }
        }
        guard isDerived else { return }
        for case .sale(let sale) in try ledger.salesKeys(ofCheckout: id, app: bundleId) {
            guard let stored = try ledger.sale(sale, of: bundleId), stored.links else { continue }
            sales.insert(sale)
            reach(stored.sale.externalPurchaseId.map { [.token($0)] } ?? [])
        }
    }

    private mutating func checkout(_ id: CheckoutId) throws(LedgerError) -> Checkout? {
        if let known = read[id] { return known }
        let checkout = try ledger.checkout(id, of: bundleId)
        read[id] = .some(checkout)
        return checkout
    }
}

extension StoredSale {
    /// Whether the sale makes links: a buy or charge that was not withdrawn.
    fileprivate var links: Bool { !isVoid && sale.purchase != nil }

    /// Whether it is in no report and no manual export, and may come into one.
    fileprivate var isOpen: Bool { requestIdentifier == nil && exportId == nil && attribution.state != .recorded }
}

extension MerchantPlanner {
    /// Derives links that sales made from the sales that remain, and stores them.
    ///
    /// - Parameters:
    ///   - keys: the tokens and checkouts that the changed sale named; other keys are ignored.
    ///   - changed: tokens whose customer a person or an arrival has set.
    ///   - bundleId: the app.
    ///   - ledger: the ledger, with the change.
    ///   - now: the current time.
    /// - Returns: the tokens, checkouts and customers with another link, whose open sales are to be planned.
    func renewLinks(
        of keys: some Sequence<PlanningKey>,
        after changed: Set<ExternalPurchaseId> = [],
        app bundleId: BundleId,
        in ledger: LedgerTransaction,
        now: Timestamp
    ) throws(LedgerError) -> Set<PlanningKey> {
        let links = try LinksFromSales(of: keys, after: changed, app: bundleId, in: ledger)
        var renewed = Set(changed.map { PlanningKey.token($0) })
        for token in changed {
            renewed.formUnion(try ledger.openSales(changingWith: token, app: bundleId))
        }
        if links.isEmpty { return renewed }
        var part = try ConnectedRecords.part(touching: links.keys, of: bundleId, extent: .touched, in: ledger)
        let stored = Dictionary(part.universe.checkouts.map { ($0.checkoutId, $0) }) { first, _ in first }
        part.release(links)
        let plan = Self.planner(settings).plan(part.universe, now: now)
        for id in links.tokens.sorted() {
            guard var token = part.tokens[id], let made = plan.tokens[id] else { continue }
            let before = token
            if token.customerId != made.customerId { token.periodChoice = .undecided }
            token.customerId = made.customerId
            if made.customerId != nil {
                token.customerSource = .sales
            } else if token.customerSource == .sales {
                token.customerSource = .stated
            }
            token.isCustomerClaimed = made.isCustomerClaimed
            guard token != before else { continue }
            try ledger.update(token)
            renewed.insert(.token(id))
            renewed.formUnion([before.customerId, token.customerId].compactMap { $0.map(PlanningKey.customer) })
            renewed.formUnion(try ledger.openSales(changingWith: id, app: bundleId))
        }
        for id in links.checkouts.sorted() {
            guard let made = plan.checkouts[id], made != stored[id] else { continue }
            try ledger.put(made)
            renewed.insert(.checkout(id))
        }
        return renewed
    }
}

extension ConnectedRecords.Part {
    /// Removes links, so that a plan derives them again.
    fileprivate mutating func release(_ links: LinksFromSales) {
        for place in universe.tokens.indices where links.tokens.contains(universe.tokens[place].id) {
            universe.tokens[place].customerId = nil
            universe.tokens[place].customerClaim = .none
        }
        for place in universe.checkouts.indices where links.checkouts.contains(universe.checkouts[place].checkoutId) {
            if universe.checkouts[place].isTokenFromSale {
                universe.checkouts[place].externalPurchaseId = nil
                universe.checkouts[place].isTokenFromSale = false
                // What public arrivals claimed counts again.
                if universe.checkouts[place].tokenClaim == .replaced {
                    universe.checkouts[place].tokenClaim = .contested
                }
            }
            if universe.checkouts[place].isCustomerFromSale {
                universe.checkouts[place].customerId = nil
                universe.checkouts[place].isCustomerFromSale = false
            }
        }
    }
}

extension LedgerQueries {
    /// Returns the keys of the open sales that may be planned otherwise when the customer of a token changes.
    fileprivate func openSales(
        changingWith token: ExternalPurchaseId,
        app bundleId: BundleId
    ) throws(LedgerError) -> [PlanningKey] {
        var keys: [PlanningKey] = []
        var page = LedgerPage(limit: 500)
        while true {
            let rows = try sales(.changing(with: token, of: bundleId), page)
            for sale in rows where sale.isOpen { keys.append(.sale(sale.sale.saleId)) }
            guard rows.count == page.limit, let last = rows.last else { return keys }
            page.after = last.sequence
        }
    }
}

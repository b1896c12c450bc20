import ExternalPurchaseCore
import Ledger

/// The customers of tokens and checkouts, and the token of each checkout (TK-78).
///
/// Among links of authenticated sources and sales the first one stays, in the order in which sales arrived. They replace
/// claims of public arrivals.
struct CustomerLinks {
    private(set) var customers: [ExternalPurchaseId: CustomerId] = [:]
    private(set) var claims: [ExternalPurchaseId: TokenRecord.CustomerClaim] = [:]
    private(set) var checkouts: [CheckoutId: Checkout] = [:]
    /// Tokens that a sale or its checkout names.
    private(set) var named: Set<ExternalPurchaseId> = []
    /// The tokens that claim the checkouts with several claims of public arrivals.
    private var rivals: [CheckoutId: [TokenRecord]] = [:]
    private let clockSkew: Duration

    /// The best claims on a checkout.
    fileprivate enum Contest {
        case token(ExternalPurchaseId)
        /// Several tokens that are all confirmed, or all unconfirmed.
        case undecided(ofCustomLinks: Bool)
        /// No token can hold the sale.
        case none
    }

    /// - Parameters:
    ///   - tokens: the tokens by id.
    ///   - claimed: see ``PlanningInput/claims``.
    ///   - sales: the sales in order of arrival.
    ///   - clockSkew: how far the clocks of the shop and of Apple may differ.
    init(
        tokens: [ExternalPurchaseId: TokenRecord],
        checkouts known: [Checkout],
        claims claimed: [CheckoutId: [ExternalPurchaseId]],
        sales: [SaleRecord],
        clockSkew: Duration
    ) {
        self.clockSkew = clockSkew
        for token in tokens.values where token.customerId != nil {
            customers[token.id] = token.customerId
            claims[token.id] = token.customerClaim
        }
        for checkout in known {
            checkouts[checkout.checkoutId] = checkout
            guard checkout.tokenClaim == .contested else { continue }
            rivals[checkout.checkoutId] = (claimed[checkout.checkoutId] ?? []).compactMap { tokens[$0] }
        }
        for checkout in known.sorted(by: { $0.checkoutId < $1.checkoutId }) where checkout.tokenClaim != .contested {
            if let token = checkout.externalPurchaseId, let customer = checkout.customerId {
                link(token, to: customer, by: checkout.tokenClaim == .claimed ? .sale : .none)
            }
        }
        for record in sales where record.sale.purchase != nil { add(record.sale, tokens: tokens) }
    }

    /// The token and customer that a buy names, directly or by its checkout.
    struct CustomerHint {
        /// The named token, which may not have arrived yet.
        var token: ExternalPurchaseId?
        /// True if only a public arrival links the token to the sale's checkout.
        var isTokenClaimed = false
        /// True if several tokens claim the sale's checkout, none of which counts for more than the others.
        var isContested = false
        var customer: CustomerId?
        /// True if only public arrivals lead to the customer.
        var isCustomerClaimed = false
        var notes: Set<SaleNote> = []

        /// True if it leads to no token and no customer.
        var isEmpty: Bool { token == nil && customer == nil && !isContested }
    }

    func hint(of sale: Sale) -> CustomerHint {
        let checkout = sale.checkoutId.flatMap { checkouts[$0] }
        var hint = CustomerHint(token: sale.externalPurchaseId)
        if let checkout, hint.token == nil {
            hint.token = token(of: checkout, for: sale)
            hint.isTokenClaimed = checkout.tokenClaim == .claimed || checkout.tokenClaim == .contested
            if case .undecided(let ofCustomLinks)? = contest(on: checkout, for: sale) {
                // The customer alone leads to custom link tokens (RR-60).
                hint.isContested = !(ofCustomLinks && (checkout.customerId ?? sale.customerId) != nil)
            }
        }
        let ofToken = hint.token.flatMap { customers[$0] }
        let isVouched = !hint.isTokenClaimed && hint.token.flatMap { claims[$0] } == TokenRecord.CustomerClaim.none
        let vouched = [isVouched ? ofToken : nil, checkout?.customerId, sale.customerId].compactMap { $0 }
        hint.customer = vouched.first ?? ofToken
        hint.isCustomerClaimed = vouched.isEmpty && ofToken != nil
        if Set(vouched + (ofToken.map { [$0] } ?? [])).count > 1 { hint.notes.insert(.customerContradiction) }
        if let named = sale.externalPurchaseId, let checkout, let carried = token(of: checkout, for: sale),
            named != carried
        {
            hint.notes.insert(.checkoutContradiction)
        }
        return hint
    }

    /// Returns whether a token, or another one of its owner, claims a checkout whose claims were replaced.
    func isDisplaced(_ token: ExternalPurchaseId, from checkout: CheckoutId?, _ claimed: [ExternalPurchaseId]) -> Bool {
        guard let checkout = checkout.flatMap({ checkouts[$0] }), checkout.tokenClaim == .replaced else { return false }
        return claimed.contains { claimant in
            guard claimant != checkout.externalPurchaseId else { return false }
            return claimant == token || customers[claimant].map { $0 == customers[token] } ?? false
        }
    }

    /// The token of a checkout for a sale of it; one of another environment than the sale states counts only if a sale or
    /// an authenticated source named it.
    private func token(of checkout: Checkout, for sale: Sale) -> ExternalPurchaseId? {
        switch contest(on: checkout, for: sale) {
        case .token(let token): return token
        case .undecided, Contest.none?: return nil
        case nil: break
        }
        guard checkout.tokenClaim == .claimed, let stated = sale.environment else { return checkout.externalPurchaseId }
        return checkout.externalPurchaseId.flatMap { $0.environment == stated ? $0 : nil }
    }

    private func contest(on checkout: Checkout, for sale: Sale) -> Contest? {
        guard checkout.tokenClaim == .contested else { return nil }
        return Contest(among: rivals[checkout.checkoutId] ?? [], for: sale, clockSkew: clockSkew)
    }

    private mutating func add(_ sale: Sale, tokens: [ExternalPurchaseId: TokenRecord]) {
        let hint = hint(of: sale)
        if let token = hint.token, tokens[token] != nil {
            named.insert(token)
            if let customer = hint.customer, !hint.isCustomerClaimed {
                link(token, to: customer, by: hint.isTokenClaimed ? .sale : .none)
            }
        }
        guard let checkoutId = sale.checkoutId else { return }
        var checkout = checkouts[checkoutId] ?? Checkout(checkoutId: checkoutId, bundleId: sale.bundleId)
        if let token = sale.externalPurchaseId, tokens[token] != nil {
            switch checkout.tokenClaim {
            case .authenticated where checkout.externalPurchaseId == nil:
                checkout.externalPurchaseId = token
                checkout.isTokenFromSale = true
            case .claimed, .contested:
                checkout.externalPurchaseId = token
                checkout.isTokenFromSale = true
                checkout.tokenClaim = .replaced
            case .authenticated, .replaced: break
            }
        }
        if checkout.customerId == nil, let customer = hint.customer, !hint.isCustomerClaimed {
            checkout.customerId = customer
            checkout.isCustomerFromSale = true
        }
        checkouts[checkoutId] = checkout
    }

    private mutating func link(
        _ token: ExternalPurchaseId,
        to customer: CustomerId,
        by claim: TokenRecord.CustomerClaim
    ) {
        guard customers[token] == nil || claim == .none && claims[token] != TokenRecord.CustomerClaim.none else {
            return
        }
        customers[token] = customer
        claims[token] = claim
    }
}

extension CustomerLinks.Contest {
    /// Only tokens count that can hold the sale: of its environment, production first where it states none, and if
    /// possible such that were made before it.
    ///
    /// - Parameter rivals: the tokens that claim a checkout, in their order.
    fileprivate init(among rivals: [TokenRecord], for sale: Sale, clockSkew: Duration) {
        let ofEnvironment = rivals.filter { sale.environment == nil || $0.id.environment == sale.environment }
        let earlier = ofEnvironment.filter { $0.token.tokenCreationDate <= sale.occurredAt.upperBound + clockSkew }
        let candidates = earlier.isEmpty ? ofEnvironment : earlier
        let known = candidates.filter { $0.state != .unknownToApple }
        let inProduction = known.filter { $0.id.environment == .production }
        let pool = inProduction.isEmpty ? known : inProduction
        // Apple confirms to whoever it gave the token, not to whom the checkout belongs: a token of one purchase that
        // claims several checkouts has at most one of them.
        let confirmed = pool.filter { $0.state == .confirmed && !$0.claimsSeveral }
        let best = confirmed.isEmpty ? pool : confirmed
        guard let first = best.first ?? candidates.first else {
            self = .none
            return
        }
        // One of several that Apple does not know tells as much as another, and so does one of several of a period.
        self =
            best.allSatisfy { $0.isOfSamePeriod(as: first) }
            ? .token(first.id)
            : .undecided(ofCustomLinks: best.allSatisfy { $0.token.family == .customLink })
    }
}

extension TokenRecord {
    /// True for the same custom link token, or another one of its period (RR-62).
    fileprivate func isOfSamePeriod(as other: TokenRecord) -> Bool {
        if id == other.id { return true }
        return token.family == .customLink && token.tokenType == other.token.tokenType
            && token.tokenCreationDate == other.token.tokenCreationDate
            && token.tokenExpirationDate == other.token.tokenExpirationDate && id.environment == other.id.environment
            && customerId == other.customerId
    }
}

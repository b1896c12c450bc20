import ExternalPurchaseCore
import Ledger

extension TokenArrival {
    /// True if anybody may have sent it: a visit, or a request with a publishable key.
    var isPublic: Bool { source == .website }
}

/// What the arrival of a token says about a checkout (TK-78).
enum CheckoutLink: Hashable, Sendable {
    /// The checkout has the token.
    case token
    /// The checkout has the token now, instead of what public arrivals claimed.
    case replaced
    /// Several public arrivals claim the checkout.
    case contested
    /// The checkout has another token.
    case other
}

extension LedgerTransaction {
    /// Links a checkout to an arriving token, or stores the claim of a public arrival beside other ones (TK-78).
    func claim(
        checkout: inout Checkout,
        for token: StoredToken,
        isPublic: Bool
    ) throws(LedgerError) -> CheckoutLink {
        let id = token.token.externalPurchaseId
        func record(_ claimant: ExternalPurchaseId) throws(LedgerError) {
            try self.record(
                CheckoutClaim(
                    bundleId: checkout.bundleId,
                    checkoutId: checkout.checkoutId,
                    externalPurchaseId: claimant
                )
            )
        }
        switch checkout.tokenClaim {
        case .authenticated, .replaced:
            guard let known = checkout.externalPurchaseId else {
                checkout.externalPurchaseId = id
                if isPublic { checkout.tokenClaim = .claimed }
                return .token
            }
            if !isPublic, known == id {
                checkout.isTokenFromSale = false
            } else if isPublic, checkout.isTokenFromSale {
                // The claim counts again when the sale is voided or names another token.
                try record(id)
                checkout.tokenClaim = .replaced
            }
            return known == id ? .token : .other
        case .claimed:
            guard let known = checkout.externalPurchaseId, known != id else {
                if isPublic { return .token }
                checkout.tokenClaim = .authenticated
                return token.isCustomerClaimed ? .replaced : .token
            }
            try record(known)
            if isPublic {
                try record(id)
                checkout.tokenClaim = .contested
                return .contested
            }
        case .contested:
            if isPublic {
                try record(id)
                return .contested
            }
        }
        checkout.externalPurchaseId = id
        checkout.isTokenFromSale = false
        checkout.tokenClaim = .replaced
        return .replaced
    }
}

extension LedgerQueries {
    /// Returns the keys of the sales on tokens that only public arrivals link to a customer, which another token of the
    /// customer may take over.
    ///
    /// A token takes what was sold while it is active (RR-60), so that only such sales are read. Only tokens are read of
    /// which Apple has answered a report: sales on others are planned with the customer.
    ///
    /// - Parameter token: a custom link token that an authenticated source brought or named the customer of.
    func salesKeys(claimedFrom customer: CustomerId, by token: StoredToken) throws(LedgerError) -> [PlanningKey] {
        guard let expiration = token.token.tokenExpirationDate else { return [] }
        let bundleId = token.token.bundleId
        var keys: [PlanningKey] = []
        for claimed in try claimedTokens(of: customer, app: bundleId) {
            var filter = SaleFilter(bundleId: bundleId)
            filter.externalPurchaseId = claimed.token.externalPurchaseId
            // A sale in whole seconds is after a creation in the same second (TK-35).
            filter.from = token.token.tokenCreationDate.advanced(by: .milliseconds(-999))
            filter.until = expiration.advanced(by: .milliseconds(1))
            keys += try salesKeys(matching: filter)
        }
        return keys
    }

    /// Returns the keys of all sales that a filter selects.
    func salesKeys(matching filter: SaleFilter) throws(LedgerError) -> [PlanningKey] {
        var keys: [PlanningKey] = []
        var page = LedgerPage(limit: 500)
        while true {
            let rows = try sales(matching: filter, page)
            keys += rows.filter(filter.matches).map { .sale($0.sale.saleId) }
            guard rows.count == page.limit, let last = rows.last else { return keys }
            page.after = last.sequence
        }
    }
}

extension StoredToken {
    /// Links the token and a checkout to one customer.
    ///
    /// - Parameter isPublic: whether only public arrivals link the token to the checkout.
    /// - Returns: true if an authenticated source replaced the customer that public arrivals had named.
    mutating func link(
        to checkout: inout Checkout,
        _ claim: CheckoutLink,
        isPublic: Bool,
        arrivedAs arrival: TokenArrival
    ) -> Bool {
        let isOfCheckout = claim == .token || claim == .replaced
        var isReplaced = false
        if let named = arrival.customerId ?? (isOfCheckout ? checkout.customerId : nil) {
            if let known = customerId, known != named {
                notes.insert(.customerContradiction)
                if !arrival.isPublic, arrival.customerId != nil, isCustomerClaimed {
                    customerId = named
                    customerSource = .stated
                    isCustomerClaimed = false
                    periodChoice = .undecided
                    isReplaced = true
                }
            } else if arrival.customerId != nil, !arrival.isPublic {
                customerId = named
                customerSource = .stated
                isCustomerClaimed = false
            } else if customerId == nil {
                let isClaimed =
                    arrival.customerId == nil ? isPublic && checkout.tokenClaim == .claimed : arrival.isPublic
                // A person's decision that it is nobody's holds against public arrivals.
                if !isClaimed || customerSource != .removed {
                    customerId = named
                    let isFromSale = arrival.customerId == nil && checkout.isCustomerFromSale
                    customerSource = isFromSale ? .sales : .stated
                    isCustomerClaimed = isClaimed
                }
            }
        }
        guard let customerId else { return isReplaced }
        if let other = checkout.customerId {
            if other != customerId { notes.insert(.customerContradiction) }
        } else if isOfCheckout, !isCustomerClaimed, checkout.tokenClaim != .claimed {
            checkout.customerId = customerId
            checkout.isCustomerFromSale = customerSource == .sales
        }
        return isReplaced
    }
}

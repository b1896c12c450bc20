package import ExternalPurchaseCore

extension LedgerQueries {
    package func customer(_ id: CustomerId, of bundleId: BundleId) throws(LedgerError) -> StoredCustomer? {
        let key = TransactionCache.Key(bundleId: bundleId, id: id)
        if let known = cache.customers[key] { return known }
        let customer = try query(Query.customer, [bundleId.rawValue, id.rawValue]).decoded(CustomerRow.record).first
        cache.keep(customer, at: key)
        return customer
    }

    /// Customers by their ids; those that are unknown are left out.
    package func customers(
        _ ids: Set<CustomerId>,
        of bundleId: BundleId
    ) throws(LedgerError) -> [StoredCustomer] {
        try queries(Query.customer, withEach: ids.map { [bundleId.rawValue, $0.rawValue] })
            .decoded(CustomerRow.record).flatMap(\.self)
    }

    package func customers(_ page: LedgerPage) throws(LedgerError) -> [StoredCustomer] {
        try query(
            "SELECT * FROM customers WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [page.after, page.bound]
        ).decoded(CustomerRow.record)
    }

    package func checkout(_ id: CheckoutId, of bundleId: BundleId) throws(LedgerError) -> Checkout? {
        try checkouts([id], of: bundleId)[id]
    }

    /// Checkouts by their ids; those that are unknown are left out.
    package func checkouts(
        _ ids: some Collection<CheckoutId>,
        of bundleId: BundleId
    ) throws(LedgerError) -> [CheckoutId: Checkout] {
        var checkouts: [CheckoutId: Checkout] = [:]
        var unread: [CheckoutId] = []
        for id in ids {
            if let known = cache.checkouts[TransactionCache.Key(bundleId: bundleId, id: id)] {
                checkouts[id] = known
            } else {
                unread.append(id)
            }
        }
        let found = try queries(Query.checkout, withEach: unread.map { [bundleId.rawValue, $0.rawValue] })
            .decoded(CheckoutRow.record)
        for (id, found) in zip(unread, found) {
            checkouts[id] = found.first
            cache.keep(found.first, at: TransactionCache.Key(bundleId: bundleId, id: id))
        }
        return checkouts
    }

    /// The tokens of an environment that stored claims of public arrivals name for a checkout: confirmed ones first, those
    /// that Apple does not know last, otherwise by their creation, then in order of arrival.
    package func claims(
        on checkout: CheckoutId,
        of bundleId: BundleId,
        in environment: AppStoreEnvironment,
        limit: Int
    ) throws(LedgerError) -> [ExternalPurchaseId] {
        try query(Query.claims, [bundleId.rawValue, checkout.rawValue, environment.rawValue, Int64(limit)])
            .decoded(CheckoutClaimRow.externalPurchaseId.read(from:))
    }

    /// Whether public arrivals alone name a token for several checkouts.
    package func isNamedForSeveralCheckouts(
        _ token: ExternalPurchaseId,
        app bundleId: BundleId
    ) throws(LedgerError) -> Bool {
        try query(Query.publicCheckouts, [bundleId.rawValue, token.rawValue])
            .decoded(CheckoutClaimRow.checkoutId.read(from:)).count > 1
    }

    /// The checkouts on which a stored claim of the token lies, in order of arrival.
    package func claimedCheckouts(
        of token: ExternalPurchaseId,
        app bundleId: BundleId
    ) throws(LedgerError) -> [CheckoutId] {
        try query(Query.claimedCheckouts, [bundleId.rawValue, token.rawValue])
            .decoded(CheckoutClaimRow.checkoutId.read(from:))
    }

    package func taps(_ page: LedgerPage) throws(LedgerError) -> [LinkTap] {
        try query(
            "SELECT * FROM link_taps WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [page.after, page.bound]
        ).decoded(LinkTapRow.record)
    }

    /// Taps with each of some tokens, oldest first.
    package func taps(
        onEach tokens: [ExternalPurchaseId],
        of bundleId: BundleId
    ) throws(LedgerError) -> [[LinkTap]] {
        try queries(Query.tapsOfToken, withEach: tokens.map { [bundleId.rawValue, $0.rawValue] })
            .decoded(LinkTapRow.record)
    }

    /// Taps with a token or a checkout of each of some customers, oldest first (OB-32).
    package func taps(
        ofEach customers: [CustomerId],
        app bundleId: BundleId
    ) throws(LedgerError) -> [[LinkTap]] {
        try queries(Query.tapsOfCustomer, withEach: customers.map { [bundleId.rawValue, $0.rawValue] })
            .decoded(LinkTapRow.record)
    }
}

extension LedgerTransaction {
    func insertRow(of customer: StoredCustomer) throws(LedgerError) -> Int64 {
        try insert(customer, into: CustomerRow.table)
    }

    func eraseRow(of customer: StoredCustomer) throws(LedgerError) -> Int64 {
        try change(
            CustomerRow.erasure,
            to: customer,
            at: customer.bundleId.rawValue,
            customer.pseudonym,
            otherwise: "no such customer"
        )
    }

    func putRow(of checkout: Checkout) throws(LedgerError) -> Int64 {
        try perform(CheckoutRow.replacement.sql, CheckoutRow.replacement.arguments(of: checkout))
        return 0
    }

    func insertRow(of claim: CheckoutClaim) throws(LedgerError) -> Int64 {
        try add(claim, into: CheckoutClaimRow.table)
        return 0
    }

    func insertRow(of tap: LinkTap) throws(LedgerError) -> Int64 {
        try add(tap, into: LinkTapRow.table)
        return 0
    }
}

extension LedgerTransaction {
    /// Stores or updates the token and the customer of a checkout.
    package func put(_ checkout: Checkout) throws(LedgerError) {
        try put(checkout, replacing: try self.checkout(checkout.checkoutId, of: checkout.bundleId))
    }

    /// Stores a checkout unless it equals the stored one.
    ///
    /// - Parameter stored: the checkout as this transaction read it; nil if there is none.
    package func put(_ checkout: Checkout, replacing stored: Checkout?) throws(LedgerError) {
        if checkout != stored { try perform(.putCheckout(checkout)) }
        if checkout.externalPurchaseId != nil, stored?.externalPurchaseId == nil {
            // Payments that named the checkout wait for its token.
            try reopenPaymentEvents(with: .checkout(checkout.checkoutId))
        }
    }

    /// Stores the claim of a public arrival; a repetition changes nothing.
    package func record(_ claim: CheckoutClaim) throws(LedgerError) {
        let known = try claimedCheckouts(of: claim.externalPurchaseId, app: claim.bundleId)
        if !known.contains(claim.checkoutId) { try perform(.recordClaim(claim)) }
    }

    /// Stores a visit of a landing address.
    package func record(_ tap: LinkTap) throws(LedgerError) {
        try perform(.recordTap(tap))
    }

    /// Erases a customer's id and keeps amounts and the audit log (OB-92).
    ///
    /// The customer's pseudonym replaces the id in every row; nothing connects it with the id any more.
    ///
    /// - Parameters:
    ///   - id: the customer's id.
    ///   - bundleId: the app.
    ///   - author: the name of the person or key that asks for it, for the audit log.
    /// - Returns: the customer without the id, or nil when the app has no such customer.
    package func eraseCustomer(
        _ id: CustomerId,
        of bundleId: BundleId,
        by author: String? = nil
    ) throws(LedgerError) -> StoredCustomer? {
        guard var customer = try customer(id, of: bundleId) else { return nil }
        if customer.erasedAt != nil { return customer }
        customer.customerId = CustomerId(customer.pseudonym)
        customer.erasedAt = dependencies.now()
        try perform(.eraseCustomer(customer, by: author))
        return customer
    }
}

package import ExternalPurchaseCore

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

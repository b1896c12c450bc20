package import ExternalPurchaseCore

extension LedgerTransaction {
    /// Stores or changes what a checkout carries.
    package func put(_ checkout: Checkout) throws(LedgerError) {
        if try self.checkout(checkout.checkoutId, of: checkout.bundleId) == checkout { return }
        try perform(.putCheckout(checkout))
    }

    /// Stores a visit of a landing address.
    package func record(_ tap: LinkTap) throws(LedgerError) {
        try perform(.recordTap(tap))
    }

    /// Unlinks a customer's id from everything and keeps the figures: where it stood, a pseudonym stands from now on,
    /// and nothing tells any more whose it was (OB-92).
    ///
    /// - Returns: the customer without the id, or nil when the app has no such customer.
    package func eraseCustomer(_ id: CustomerId, of bundleId: BundleId) throws(LedgerError) -> StoredCustomer? {
        guard var customer = try customer(id, of: bundleId) else { return nil }
        if customer.erasedAt != nil { return customer }
        customer.customerId = CustomerId(customer.pseudonym)
        customer.erasedAt = dependencies.now()
        try perform(.eraseCustomer(customer))
        return customer
    }
}

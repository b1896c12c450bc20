package import ExternalPurchaseCore

/// One entry of the configuration: an app and the account of Stripe that sells for it.
package struct PaymentAccount: Hashable, Sendable {
    package let bundleId: BundleId
    /// The connected account whose events the entry takes; nil takes those of the endpoint's own account.
    package let account: String?
    /// Which payments of the account belong to external purchases.
    package enum Take: String, Hashable, Sendable, CaseIterable {
        /// Those that name a checkout with a token, that have metadata `external_purchase_…`, or whose customer has such
        /// a payment.
        case referenced
        /// Every payment.
        case all
    }

    /// The word for a product that is not reported.
    package static let excluded = "none"

    /// The reported productId by the id of a price or product of Stripe, or ``excluded``.
    let products: [String: String]
    /// ISO 3166-1 alpha-3; the tax country where an event has no address.
    let taxCountry: String?
    /// The tax by country, ISO 3166-1 alpha-3, in per cent of the price without tax, where Stripe computed none (RR-44).
    let taxRates: [String: Decimal]
    let take: Take
    /// Payments of objects that were created before are not used.
    let from: Timestamp?

    package init(
        bundleId: BundleId,
        account: String? = nil,
        products: [String: String] = [:],
        taxCountry: String? = nil,
        taxRates: [String: Decimal] = [:],
        take: Take = .referenced,
        from: Timestamp? = nil
    ) {
        self.bundleId = bundleId
        self.account = account
        self.products = products
        self.taxCountry = taxCountry
        self.taxRates = taxRates
        self.take = take
        self.from = from
    }
}

extension [PaymentAccount] {
    /// One entry for each app: several accounts of a provider sell for it under the same terms, each its own products.
    func merged() -> [PaymentAccount] {
        reduce(into: []) { merged, account in
            guard let index = merged.firstIndex(where: { $0.bundleId == account.bundleId }) else {
                return merged.append(account)
            }
            let first = merged[index]
            merged[index] = PaymentAccount(
                bundleId: first.bundleId,
                account: first.account,
                products: first.products.merging(account.products) { first, _ in first },
                taxCountry: first.taxCountry,
                taxRates: first.taxRates.merging(account.taxRates) { first, _ in first },
                take: first.take,
                from: first.from
            )
        }
    }
}

import ExternalPurchaseCore
import Ledger

/// What all lines of a session or an invoice have in common.
struct Pricing: Sendable {
    let account: PaymentAccount
    let currency: StripeCurrency
    /// True if a tax of 0 is one that Stripe computed.
    let isTaxComputed: Bool
    let taxCountry: String?

    /// A line with amounts in Stripe's units, tax included.
    ///
    /// - Parameter country: that of the tax rate, which goes before the address and the configuration.
    func purchase(
        _ productId: String,
        quantity: Int64,
        inclusive: Int64,
        tax: Int64,
        country: String? = nil,
        name: String
    ) throws(NoSale) -> Purchase {
        let country = country ?? taxCountry
        let price = try currency.price(inclusive, of: name)
        // A metered line without usage has quantity 0.
        let quantity = quantity == 0 && price == 0 ? 1 : quantity
        guard quantity > 0 else { throw .held(.quantity, "the quantity of \(name) is not above 0: \(quantity)") }
        guard quantity <= Purchase.largestQuantity else {
            throw .held(.quantity, "the quantity of \(name) is more than \(Purchase.largestQuantity): \(quantity)")
        }
        return Purchase(
            productId: productId,
            quantity: quantity,
            currency: currency.code,
            inclusive: price,
            tax: try self.tax(tax, of: price, country, name: name),
            taxCountry: country
        )
    }

    /// A tax of 0 counts only where Stripe computed it; else the rate that is configured for the country applies.
    private func tax(_ tax: Int64, of price: Decimal, _ country: String?, name: String) throws(NoSale) -> Purchase.Tax?
    {
        if price == 0 { return .amount(0) }
        if tax != 0 { return .amount(try currency.tax(tax, of: price, name: name)) }
        return isTaxComputed ? .amount(0) : country.flatMap { account.taxRates[$0] }.map(Purchase.Tax.rate)
    }
}

extension GroupInterpretation {
    /// The reported product of a price: by the configuration, else its lookup key, else its product.
    ///
    /// - Returns: nil for a product that the configuration leaves out.
    mutating func productId(of price: StripePrice, account: PaymentAccount, name: String) throws(NoSale) -> String? {
        var price = price
        if let configured = price.configured(in: account) {
            return configured == PaymentAccount.excluded ? nil : configured
        }
        if !price.isComplete, let id = price.id.flatMap({ StripeObjectId(checking: $0) }),
            id.rawValue.hasPrefix("price_")
        {
            let request = PaymentRequest.price(id)
            if canFetch || fetched.answers[request] != nil {
                guard let answer = answer(request) else {
                    throw .waiting(.price, "\(request.path) has the lookup_key of \(name)")
                }
                if let object = answer.first { price = try StripePrice(price: object) }
            }
        }
        let configured = price.configured(in: account)
        if configured == PaymentAccount.excluded { return nil }
        let productId = configured ?? price.lookupKey ?? price.product
        guard let productId, (1...256).contains(productId.unicodeScalars.count) else {
            throw .held(.product, "\(name) names no price or product")
        }
        guard !productId.unicodeScalars.contains(where: \.isControlOrDirection) else {
            throw .held(.product, "the product of \(name) has control characters; map the price under stripe.products")
        }
        return productId
    }
}

extension StripePrice {
    /// True for what the configuration leaves out by the ids that the price itself has.
    func isExcluded(by account: PaymentAccount) -> Bool { configured(in: account) == PaymentAccount.excluded }

    fileprivate func configured(in account: PaymentAccount) -> String? {
        id.flatMap { account.products[$0] } ?? product.flatMap { account.products[$0] }
    }
}

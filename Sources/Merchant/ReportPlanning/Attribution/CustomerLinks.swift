import ExternalPurchaseCore
import Ledger

/// The customers of tokens and checkouts; the first link stays, in the order in which sales arrived.
struct CustomerLinks {
    private(set) var customers: [ExternalPurchaseId: CustomerId] = [:]
    private(set) var checkouts: [CheckoutId: Checkout] = [:]
    /// Tokens that a sale or its checkout names.
    private(set) var named: Set<ExternalPurchaseId> = []

    /// - Parameters:
    ///   - tokens: the tokens by id.
    ///   - sales: the sales in order of arrival.
    init(tokens: [ExternalPurchaseId: TokenRecord], checkouts known: [Checkout], sales: [SaleRecord]) {
        for token in tokens.values { customers[token.id] = token.customerId }
        for checkout in known { checkouts[checkout.checkoutId] = checkout }
        for checkout in known.sorted(by: { $0.checkoutId < $1.checkoutId }) {
            if let token = checkout.externalPurchaseId, let customer = checkout.customerId {
                link(token, to: customer)
            }
        }
        for record in sales where record.sale.purchase != nil { add(record.sale, tokens: tokens) }
    }

    /// The token and customer that a buy names, directly or by its checkout.
    struct CustomerHint {
        /// The named token, which may not have arrived yet.
        var token: ExternalPurchaseId?
        var customer: CustomerId?
        var notes: Set<SaleNote> = []
    }

    func hint(of sale: Sale) -> CustomerHint {
        let checkout = sale.checkoutId.flatMap { checkouts[$0] }
        var hint = CustomerHint(token: sale.externalPurchaseId ?? checkout?.externalPurchaseId)
        let said = [hint.token.flatMap { customers[$0] }, checkout?.customerId, sale.customerId].compactMap { $0 }
        hint.customer = said.first
        if Set(said).count > 1 { hint.notes.insert(.customerContradiction) }
        if let token = sale.externalPurchaseId, let carried = checkout?.externalPurchaseId, token != carried {
            hint.notes.insert(.checkoutContradiction)
        }
        return hint
    }

    private mutating func add(_ sale: Sale, tokens: [ExternalPurchaseId: TokenRecord]) {
        let hint = hint(of: sale)
        if let token = hint.token, tokens[token] != nil {
            named.insert(token)
            if let customer = hint.customer { link(token, to: customer) }
        }
        guard let checkoutId = sale.checkoutId else { return }
        var checkout = checkouts[checkoutId] ?? Checkout(checkoutId: checkoutId, bundleId: sale.bundleId)
        if checkout.externalPurchaseId == nil, let token = hint.token, tokens[token] != nil {
            checkout.externalPurchaseId = token
            checkout.isTokenFromSale = true
        }
        if checkout.customerId == nil, let customer = hint.customer {
            checkout.customerId = customer
            checkout.isCustomerFromSale = true
        }
        checkouts[checkoutId] = checkout
    }

    private mutating func link(_ token: ExternalPurchaseId, to customer: CustomerId) {
        if customers[token] == nil { customers[token] = customer }
    }
}

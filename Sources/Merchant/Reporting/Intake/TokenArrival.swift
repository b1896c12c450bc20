package import ExternalPurchaseCore
package import Ledger

/// A text that arrived as a token, with the data that came with it.
package struct TokenArrival: Hashable, Sendable {
    package var text: String
    var source: TokenSource
    package var customerId: CustomerId?
    package var checkoutId: CheckoutId?
    var storefront: StorefrontCode?
    var notes: Set<TokenNote>

    package init(
        text: String,
        source: TokenSource,
        customerId: CustomerId? = nil,
        checkoutId: CheckoutId? = nil,
        storefront: StorefrontCode? = nil,
        notes: Set<TokenNote> = []
    ) {
        self.text = text
        self.source = source
        self.customerId = customerId
        self.checkoutId = checkoutId
        self.storefront = storefront
        self.notes = notes
    }
}

/// The result of storing a token, for its sender.
package struct TokenReceipt: Hashable, Sendable {
    package let token: StoredToken
    /// False if the ledger already had the token (TK-67).
    package let isNew: Bool
    /// The warnings of the decoder about a token that it repaired or accepted in spite of a defect.
    package let warnings: [TokenWarning]
}

/// The outcome of a visit to a landing address; the customer is redirected in every case.
package enum LandingOutcome: Hashable, Sendable {
    /// The query contains no token: an ordinary visit.
    case withoutToken
    /// The token is stored; the shop gets `checkout`, which is the same for every visit with this token.
    case recorded(TokenReceipt)
    /// The text is in quarantine for the operator (TK-68, TK-75); the shop gets no checkout.
    case quarantined
    /// The ledger could not store the visit: its raw query waits in the spool file under this checkout.
    case spooled(CheckoutId)
    /// Neither ledger nor spool file could store the visit: the redirect carries both parameters to the shop.
    case forwarded(token: String, bundleId: BundleId?)

    /// The `checkout` parameter of the redirect.
    package var checkoutId: CheckoutId? {
        switch self {
        case .recorded(let receipt): receipt.token.checkoutId
        case .spooled(let checkoutId): checkoutId
        case .withoutToken, .quarantined, .forwarded: nil
        }
    }
}

package import ExternalPurchaseCore
package import Ledger

/// A text that arrived as a token, with what came along.
package struct TokenArrival: Hashable, Sendable {
    package var text: String
    package var source: TokenSource
    package var customerId: CustomerId?
    package var checkoutId: CheckoutId?
    package var storefront: StorefrontCode?
    package var flags: Set<TokenFlag>

    package init(
        text: String,
        source: TokenSource,
        customerId: CustomerId? = nil,
        checkoutId: CheckoutId? = nil,
        storefront: StorefrontCode? = nil,
        flags: Set<TokenFlag> = []
    ) {
        self.text = text
        self.source = source
        self.customerId = customerId
        self.checkoutId = checkoutId
        self.storefront = storefront
        self.flags = flags
    }
}

/// What the sender of a token is told.
package struct TokenReceipt: Hashable, Sendable {
    package let token: StoredToken
    /// False for a token that the ledger already had (TK-67).
    package let isNew: Bool
    /// What the decoder repaired or let pass.
    package let warnings: [TokenWarning]

    package init(token: StoredToken, isNew: Bool, warnings: [TokenWarning]) {
        self.token = token
        self.isNew = isNew
        self.warnings = warnings
    }
}

/// What becomes of a visit to a landing address; the customer is redirected in every case.
package enum LandingOutcome: Hashable, Sendable {
    /// No token in the query: an ordinary visit.
    case withoutToken
    /// The token is stored; the shop gets `checkout`, the same for the same token.
    case recorded(TokenReceipt)
    /// The text is kept aside for the operator (TK-68, TK-75); the shop gets no checkout.
    case quarantined
    /// The store failed: the raw query waits in the spool file under this checkout.
    case spooled(CheckoutId)
    /// Store and spool failed: the redirect carries both parameters on.
    case carriedOn(token: String, bundleId: BundleId?)

    /// What goes into the redirect's `checkout` parameter.
    package var checkoutId: CheckoutId? {
        switch self {
        case .recorded(let receipt): receipt.token.checkoutId
        case .spooled(let checkoutId): checkoutId
        case .withoutToken, .quarantined, .carriedOn: nil
        }
    }
}

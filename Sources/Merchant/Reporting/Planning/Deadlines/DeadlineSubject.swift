package import ExternalPurchaseCore

/// The data of a token from which its deadline is computed.
package struct DeadlineToken: Hashable, Sendable {
    package let id: ExternalPurchaseId
    package let bundleId: BundleId
    /// Nil for a plain token.
    let type: TokenType?
    let createdAt: Timestamp
    /// Nil for a token that does not expire.
    let expiresAt: Timestamp?
    /// The storefront given when the token was received.
    let storefront: StorefrontCode?
    /// The tax countries of the token's sales, ISO 3166-1 alpha-3 (OB-11).
    let taxCountries: [String]
    /// When the ledger received the token.
    let receivedAt: Timestamp
    /// True when Apple accepted a report of the token, or a person submitted it by hand (OB-62).
    let isReported: Bool
    /// True for a token without sales that only visits of the landing address named.
    ///
    /// It is reported by its deadline but never counts as late, because a forged token looks the same (TK-74).
    var isUnconfirmed: Bool
    /// The reason why it is not sent automatically; nil when it is.
    let heldFor: String?
    /// True when a person must act before it can be reported; false if it only waits.
    let needsReview: Bool
    /// The time of the first report without sales; nil if the deadline rules alone determine it (NT-65).
    let answerAt: Timestamp?

    init(
        id: ExternalPurchaseId,
        bundleId: BundleId,
        type: TokenType?,
        createdAt: Timestamp,
        expiresAt: Timestamp? = nil,
        storefront: StorefrontCode? = nil,
        taxCountries: [String] = [],
        receivedAt: Timestamp? = nil,
        isReported: Bool = false,
        isUnconfirmed: Bool = false,
        heldFor: String? = nil,
        needsReview: Bool? = nil,
        answerAt: Timestamp? = nil
    ) {
        self.id = id
        self.bundleId = bundleId
        self.type = type
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.storefront = storefront
        self.taxCountries = taxCountries
        self.receivedAt = receivedAt ?? createdAt
        self.isReported = isReported
        self.isUnconfirmed = isUnconfirmed
        self.heldFor = heldFor
        self.needsReview = needsReview ?? (heldFor != nil)
        self.answerAt = answerAt
    }

    /// The same token without tax countries.
    var withoutTaxCountries: DeadlineToken {
        guard !taxCountries.isEmpty else { return self }
        return DeadlineToken(
            id: id,
            bundleId: bundleId,
            type: type,
            createdAt: createdAt,
            expiresAt: expiresAt,
            storefront: storefront,
            receivedAt: receivedAt,
            isReported: isReported,
            isUnconfirmed: isUnconfirmed,
            heldFor: heldFor,
            needsReview: needsReview,
            answerAt: answerAt
        )
    }
}

/// The data of a line item from which its deadline is computed.
package struct DeadlineLineItem: Hashable, Sendable {
    package let id: LineItemId
    package let bundleId: BundleId
    /// The environment in which the sale counts; production for a sale of which nothing says more (OB-51).
    let environment: AppStoreEnvironment
    /// The line item's `creationDate`.
    let createdAt: Timestamp
    /// The time at which the sale was settled and could be sent; nil until then.
    let settledAt: Timestamp?
    /// The token on which it is reported; nil in the state `no-token` (OB-63).
    package let token: ExternalPurchaseId?
    /// The known type of that token.
    let tokenKind: ObligationOrigin.Token
    /// The storefront given when the token was received.
    let storefront: StorefrontCode?
    /// ISO 3166-1 alpha-3.
    let taxCountry: String?
    /// When the ledger received the sale.
    let receivedAt: Timestamp
    /// True when Apple accepted it, or a person submitted it by hand (OB-62).
    let isReported: Bool
    /// The reason why it is not sent automatically; nil when it is.
    let heldFor: String?
    /// True when a person must act before it can be reported (RR-45, RR-47, errors); false if it only waits.
    let needsReview: Bool

    init(
        id: LineItemId,
        bundleId: BundleId,
        environment: AppStoreEnvironment? = nil,
        createdAt: Timestamp,
        settledAt: Timestamp? = nil,
        token: ExternalPurchaseId? = nil,
        tokenKind: ObligationOrigin.Token = .none,
        storefront: StorefrontCode? = nil,
        taxCountry: String? = nil,
        receivedAt: Timestamp? = nil,
        isReported: Bool = false,
        heldFor: String? = nil,
        needsReview: Bool? = nil
    ) {
        self.id = id
        self.bundleId = bundleId
        self.environment = environment ?? token?.environment ?? .production
        self.createdAt = createdAt
        self.settledAt = settledAt
        self.token = token
        self.tokenKind = tokenKind
        self.storefront = storefront
        self.taxCountry = taxCountry
        self.receivedAt = receivedAt ?? createdAt
        self.isReported = isReported
        self.heldFor = heldFor
        self.needsReview = needsReview ?? (heldFor != nil)
    }
}

/// A token whose first report has a deadline, or a line item.
package enum DeadlineSubject: Hashable, Sendable {
    case token(DeadlineToken)
    case lineItem(DeadlineLineItem)

    /// The reason why it is not sent automatically; nil when it is.
    package var heldFor: String? {
        switch self {
        case .token(let token): token.heldFor
        case .lineItem(let item): item.heldFor
        }
    }

    /// True when a person must act first.
    package var needsReview: Bool {
        switch self {
        case .token(let token): token.needsReview
        case .lineItem(let item): item.needsReview
        }
    }

    /// True for a token in the state ``DeadlineState/unconfirmed``.
    package var isUnconfirmed: Bool {
        guard case .token(let token) = self else { return false }
        return token.isUnconfirmed
    }

    /// When the ledger received the token or sale.
    var receivedAt: Timestamp {
        switch self {
        case .token(let token): token.receivedAt
        case .lineItem(let item): item.receivedAt
        }
    }
}

extension DeadlineSubject {
    var isToken: Bool {
        guard case .token = self else { return false }
        return true
    }

    var bundleId: BundleId {
        switch self {
        case .token(let token): token.bundleId
        case .lineItem(let item): item.bundleId
        }
    }

    /// The environment in which the token or sale counts.
    var environment: AppStoreEnvironment {
        switch self {
        case .token(let token): token.id.environment
        case .lineItem(let item): item.environment
        }
    }

    /// Returns the subject with its deadline and programmes.
    func entry(by rules: DeadlineRules) -> DeadlineEntry {
        switch self {
        case .token(let token):
            DeadlineEntry(subject: self, due: rules.deadline(of: token), selection: rules.selection(of: token))
        case .lineItem(let item):
            DeadlineEntry(subject: self, due: rules.deadline(of: item), selection: rules.selection(of: item))
        }
    }
}

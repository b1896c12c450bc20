package import ExternalPurchaseCore

/// What decides when a token that no accepted report names has to be reported: its row without the texts.
package struct OpenToken: Hashable, Sendable {
    /// The place in the order of arrival, from 1.
    package let sequence: Int64
    package let bundleId: BundleId
    package let externalPurchaseId: ExternalPurchaseId
    /// Nil for a plain token, and where only notifications have named it.
    package let type: TokenType?
    package let createdAt: Timestamp
    package let expiresAt: Timestamp?
    package let storefront: StorefrontCode?
    package let state: TokenState
    package let flags: Set<TokenFlag>
    package let firstSeen: FirstSeen
    /// True until somebody other than Apple names it, its text in hand (NT-64, NT-65).
    package let isKnownFromNotificationsOnly: Bool
    /// True for a token that only visits to the landing address named, that Apple has not confirmed, and that no sale is
    /// tied to (TK-74).
    ///
    /// Whether Apple knows it, only the answer to its report tells.
    package let isUnconfirmedVisit: Bool
    /// The tax countries of the sales on it in their newest version, sorted; none where a storefront makes them
    /// needless (OB-11).
    package let taxCountries: [String]
    package let customerId: CustomerId?
    /// True while a report of it waits for a person because Apple or the pre-flight refused it.
    package let hasRefusedReport: Bool

    package init(
        sequence: Int64,
        bundleId: BundleId,
        externalPurchaseId: ExternalPurchaseId,
        type: TokenType?,
        createdAt: Timestamp,
        expiresAt: Timestamp?,
        storefront: StorefrontCode?,
        state: TokenState,
        flags: Set<TokenFlag>,
        firstSeen: FirstSeen,
        isKnownFromNotificationsOnly: Bool,
        isUnconfirmedVisit: Bool,
        taxCountries: [String],
        customerId: CustomerId?,
        hasRefusedReport: Bool
    ) {
        self.sequence = sequence
        self.bundleId = bundleId
        self.externalPurchaseId = externalPurchaseId
        self.type = type
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.storefront = storefront
        self.state = state
        self.flags = flags
        self.firstSeen = firstSeen
        self.isKnownFromNotificationsOnly = isKnownFromNotificationsOnly
        self.isUnconfirmedVisit = isUnconfirmedVisit
        self.taxCountries = taxCountries
        self.customerId = customerId
        self.hasRefusedReport = hasRefusedReport
    }

    /// The open row of a token.
    package init(
        _ stored: StoredToken,
        isUnconfirmedVisit: Bool = false,
        taxCountries: [String] = [],
        hasRefusedReport: Bool = false
    ) {
        self.init(
            sequence: stored.sequence,
            bundleId: stored.token.bundleId,
            externalPurchaseId: stored.token.externalPurchaseId,
            type: stored.token.tokenType,
            createdAt: stored.token.tokenCreationDate,
            expiresAt: stored.token.tokenExpirationDate,
            storefront: stored.storefront,
            state: stored.state,
            flags: stored.flags,
            firstSeen: stored.firstSeen,
            isKnownFromNotificationsOnly: stored.isKnownFromNotificationsOnly,
            isUnconfirmedVisit: isUnconfirmedVisit,
            taxCountries: stored.storefront == nil ? taxCountries : [],
            customerId: stored.customerId,
            hasRefusedReport: hasRefusedReport
        )
    }
}

package import ExternalPurchaseCore

/// The data that decide when an unreported token must be reported, without the token's texts.
package struct OpenToken: Hashable, Sendable {
    /// The sequence number in order of arrival, from 1.
    package let sequence: Int64
    package let bundleId: BundleId
    package let externalPurchaseId: ExternalPurchaseId
    /// Nil for a plain token and while only notifications have named the token.
    package let type: TokenType?
    package let createdAt: Timestamp
    package let expiresAt: Timestamp?
    package let storefront: StorefrontCode?
    package let state: TokenState
    package let reporting: TokenReporting
    package let endpoint: BaseURLStatus
    package let firstSeen: FirstSeen
    /// True until a source other than Apple delivers the text of the token (NT-64, NT-65).
    package let isKnownFromNotificationsOnly: Bool
    /// True for an unconfirmed token without sales that only visits of the landing address named (TK-74).
    ///
    /// Only Apple's response to its report tells whether such a token is genuine.
    package let isUnconfirmedVisit: Bool
    /// The tax countries of the token's sales in their newest version, sorted.
    ///
    /// Empty if a storefront already determines the region (OB-11).
    package var taxCountries: [String]
    package let customerId: CustomerId?
    /// True while a report of the token waits for a person because Apple or the pre-flight refused it.
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
        reporting: TokenReporting,
        endpoint: BaseURLStatus,
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
        self.reporting = reporting
        self.endpoint = endpoint
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
            reporting: stored.reporting,
            endpoint: stored.endpoint,
            firstSeen: stored.firstSeen,
            isKnownFromNotificationsOnly: stored.isKnownFromNotificationsOnly,
            isUnconfirmedVisit: isUnconfirmedVisit,
            taxCountries: stored.storefront == nil ? taxCountries : [],
            customerId: stored.customerId,
            hasRefusedReport: hasRefusedReport
        )
    }
}

package import ExternalPurchaseCore

/// What can be asked about tokens.
///
/// Lists are in the order of arrival unless it says otherwise.
package protocol TokenQueries {
    func token(_ id: ExternalPurchaseId, of bundleId: BundleId) throws(LedgerError) -> StoredToken?
    /// Tokens of that id under any app.
    func tokens(withId id: ExternalPurchaseId) throws(LedgerError) -> [StoredToken]
    func tokens(of customer: CustomerId, app bundleId: BundleId) throws(LedgerError) -> [StoredToken]
    func tokens(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredToken]
    /// Tokens made before a moment that no accepted report names and whose duty has not ended (TK-74), by their
    /// creation date.
    func tokensUnreported(
        in scope: ReportingScope,
        madeBefore: Timestamp,
        _ page: TimePage
    ) throws(LedgerError) -> [StoredToken]
    /// Every token that no accepted report names, those that Apple does not know included, one at a time and in any
    /// order; nil takes all apps.
    func eachOpenToken(
        of bundleId: BundleId?,
        _ body: (OpenToken) throws(LedgerError) -> Void
    ) throws(LedgerError)
    /// Tokens made in a span of time, the end excluded, by their creation date.
    func tokens(
        in scope: ReportingScope,
        madeFrom: Timestamp,
        until: Timestamp,
        _ page: TimePage
    ) throws(LedgerError) -> [StoredToken]
    /// Every later source that the token was seen from and every contradicting text, the first one first; the first
    /// source of all stands in the token itself.
    func observations(of id: ExternalPurchaseId, app bundleId: BundleId) throws(LedgerError) -> [TokenObservation]
    func quarantinedTokens(_ page: LedgerPage) throws(LedgerError) -> [QuarantinedToken]
    /// True when that text is kept already.
    func isQuarantined(_ text: String, as reason: QuarantinedToken.Reason) throws(LedgerError) -> Bool
}

/// A set of tokens of one customer that stand for the same thing: same type, creation and expiration (RR-62).
package struct TokenPeriod: Hashable, Sendable {
    package let type: TokenType?
    package let creationDate: Timestamp
    package let expirationDate: Timestamp?

    package init(type: TokenType?, creationDate: Timestamp, expirationDate: Timestamp?) {
        self.type = type
        self.creationDate = creationDate
        self.expirationDate = expirationDate
    }
}

extension StoredToken {
    package var period: TokenPeriod {
        TokenPeriod(
            type: token.tokenType,
            creationDate: token.tokenCreationDate,
            expirationDate: token.tokenExpirationDate
        )
    }
}

extension TokenQueries {
    /// The customer's tokens of one period.
    package func tokens(
        of customer: CustomerId,
        app bundleId: BundleId,
        in period: TokenPeriod
    ) throws(LedgerError) -> [StoredToken] {
        try tokens(of: customer, app: bundleId).filter { $0.period == period }
    }
}

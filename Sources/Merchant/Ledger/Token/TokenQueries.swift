package import ExternalPurchaseCore

/// Queries of tokens.
///
/// Lists are in order of arrival unless stated otherwise.
package protocol TokenQueries {
    func token(_ id: ExternalPurchaseId, of bundleId: BundleId) throws(LedgerError) -> StoredToken?
    /// Tokens of that id in all apps.
    func tokens(withId id: ExternalPurchaseId) throws(LedgerError) -> [StoredToken]
    func tokens(of customer: CustomerId, app bundleId: BundleId) throws(LedgerError) -> [StoredToken]
    func tokens(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredToken]
    /// Tokens created before a moment that have no accepted report and must still be reported, by creation date.
    ///
    /// Tokens that Apple does not know are left out (TK-74).
    func tokensUnreported(
        in scope: ReportingScope,
        madeBefore: Timestamp,
        _ page: TimePage
    ) throws(LedgerError) -> [StoredToken]
    /// Every token without an accepted report, including those unknown to Apple, one at a time in unspecified order.
    ///
    /// - Parameter bundleId: the app; nil means all apps.
    func eachOpenToken(
        of bundleId: BundleId?,
        _ body: (OpenToken) throws(LedgerError) -> Void
    ) throws(LedgerError)
    /// Tokens created in a time range, excluding its end, sorted by creation date.
    func tokens(
        in scope: ReportingScope,
        madeFrom: Timestamp,
        until: Timestamp,
        _ page: TimePage
    ) throws(LedgerError) -> [StoredToken]
    /// The later sources and contradicting texts of the token, oldest first.
    ///
    /// The first source is in the token itself.
    func observations(of id: ExternalPurchaseId, app bundleId: BundleId) throws(LedgerError) -> [TokenObservation]
    func quarantinedTokens(_ page: LedgerPage) throws(LedgerError) -> [QuarantinedToken]
    /// Whether that text is already quarantined for that reason.
    func isQuarantined(_ text: String, as reason: QuarantinedToken.Reason) throws(LedgerError) -> Bool
}

/// Tokens of one customer with the same type, creation and expiration, of which one is reported (RR-62).
package struct TokenPeriod: Hashable, Sendable {
    package let type: TokenType?
    package let creationDate: Timestamp
    package let expirationDate: Timestamp?
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

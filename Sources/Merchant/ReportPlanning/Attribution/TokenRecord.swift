package import ExternalPurchaseCore
package import Ledger

/// What planning needs to know of a token: its fields, how it came in, and which reports of it exist.
package struct TokenRecord: Hashable, Sendable {
    package var token: ExternalPurchaseToken
    /// When it was first seen otherwise than in a notification; of a token known from notifications only, when it
    /// was first seen at all.
    package var receivedAt: Timestamp
    /// How it came in; `notification` only while nothing but Apple has named it (RR-62, NT-65).
    package var source: TokenSource
    package var customerId: CustomerId?
    package var state: TokenState
    /// The statuses of its reports, accepted or on their way.
    package var reported: Set<ReportStatus>
    /// True when a report holds sales on it, also one that was refused.
    package var holdsReportedSales: Bool
    /// True when an earlier plan chose it for its period; the choice stays (RR-60).
    package var wasChosen: Bool

    package init(
        token: ExternalPurchaseToken,
        receivedAt: Timestamp,
        source: TokenSource = .app,
        customerId: CustomerId? = nil,
        state: TokenState = .unconfirmed,
        reported: Set<ReportStatus> = [],
        holdsReportedSales: Bool = false,
        wasChosen: Bool = false
    ) {
        self.token = token
        self.receivedAt = receivedAt
        self.source = source
        self.customerId = customerId
        self.state = state
        self.reported = reported
        self.holdsReportedSales = holdsReportedSales
        self.wasChosen = wasChosen
    }

    /// A token as the ledger keeps it.
    package init(
        _ stored: StoredToken,
        reported: Set<ReportStatus> = [],
        holdsReportedSales: Bool = false,
        wasChosen: Bool = false
    ) {
        self.init(
            token: stored.token,
            receivedAt: stored.firstSeen.time,
            source: stored.firstSeen.source,
            customerId: stored.customerId,
            state: stored.state,
            reported: reported,
            holdsReportedSales: holdsReportedSales,
            wasChosen: wasChosen
        )
    }

    package var id: ExternalPurchaseId { token.externalPurchaseId }

    /// From creation to expiration, both included (TK-35); a custom link token without an end is never active.
    package func isActive(at moment: Timestamp) -> Bool {
        guard let expiration = token.tokenExpirationDate else { return false }
        return token.tokenCreationDate <= moment && moment <= expiration
    }

    /// Whether Apple takes a buy of that moment on it: only expiring tokens have a range (E36).
    package func takesBuy(at moment: Timestamp) -> Bool {
        token.tokenExpirationDate == nil || isActive(at: moment)
    }
}

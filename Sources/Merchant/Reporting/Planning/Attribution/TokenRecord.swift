package import ExternalPurchaseCore
package import Ledger

/// The data of a token that planning needs: its fields, its arrival, and its reports.
package struct TokenRecord: Hashable, Sendable {
    var token: ExternalPurchaseToken
    /// When the token first arrived from a source other than a notification.
    ///
    /// For a token known from notifications only, the time of the first notification.
    var receivedAt: Timestamp
    /// The source of the token; `notification` only while no other source has named it (RR-62, NT-65).
    var source: TokenSource
    var customerId: CustomerId?
    var customerClaim: CustomerClaim
    var state: TokenState
    /// The statuses of its reports that are accepted or in transit.
    var reported: Set<ReportStatus>
    /// True when a report with sales of the token exists, including a refused one.
    var holdsReportedSales: Bool
    /// True when an earlier plan chose it for its period; the choice stays (RR-60).
    var wasChosen: Bool
    /// True for a token of one purchase that public arrivals name for several checkouts, each with other claims (TK-78).
    var claimsSeveral = false
    /// True for a confirmed token of one purchase that public arrivals alone name for several checkouts.
    var isNamedForSeveral = false

    init(
        token: ExternalPurchaseToken,
        receivedAt: Timestamp,
        source: TokenSource = .app,
        customerId: CustomerId? = nil,
        customerClaim: CustomerClaim = .none,
        state: TokenState = .unconfirmed,
        reported: Set<ReportStatus> = [],
        holdsReportedSales: Bool = false,
        wasChosen: Bool = false
    ) {
        self.token = token
        self.receivedAt = receivedAt
        self.source = source
        self.customerId = customerId
        self.customerClaim = customerClaim
        self.state = state
        self.reported = reported
        self.holdsReportedSales = holdsReportedSales
        self.wasChosen = wasChosen
    }

    /// Creates a record from a stored token.
    package init(
        _ stored: StoredToken,
        reported: Set<ReportStatus> = [],
        holdsReportedSales: Bool = false
    ) {
        self.init(
            token: stored.token,
            receivedAt: stored.firstSeen.time,
            source: stored.isVouchedFor ? .app : stored.firstSeen.source,
            customerId: stored.customerId,
            customerClaim: !stored.isCustomerClaimed ? .none : stored.customerSource == .sales ? .sale : .arrival,
            state: stored.state,
            reported: reported,
            holdsReportedSales: holdsReportedSales,
            wasChosen: stored.periodChoice == .chosen
        )
    }

    /// Who links the token to its customer (TK-78).
    enum CustomerClaim: Hashable, Sendable {
        /// An authenticated source, or a sale that names the token; also for a token without customer.
        case none
        /// A sale, through a checkout that only public arrivals link to the token.
        case sale
        /// A public arrival that named the customer.
        case arrival
    }

    package var id: ExternalPurchaseId { token.externalPurchaseId }

    /// Whether the moment lies between creation and expiration, both included (TK-35).
    ///
    /// A moment in whole seconds is after a creation in the same second.
    /// A custom link token without an expiration is never active.
    func isActive(at moment: Timestamp) -> Bool {
        guard let expiration = token.tokenExpirationDate else { return false }
        return token.tokenCreationDate <= moment.upperBound && moment <= expiration
    }

    /// Whether Apple accepts a buy of that moment on the token; only expiring tokens have a range (E36).
    package func takesBuy(at moment: Timestamp) -> Bool {
        token.tokenExpirationDate == nil || isActive(at: moment)
    }
}

extension StoredToken {
    /// True if an authenticated arrival or a person named the customer of a token that a visit brought first.
    fileprivate var isVouchedFor: Bool {
        firstSeen.source == .website && customerId != nil && customerSource == .stated && !isCustomerClaimed
    }
}

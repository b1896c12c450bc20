package import ExternalPurchaseCore

/// Where tokens, sales and reports are kept: every method commits wholly or not at all.
///
/// A transaction is a closure, so that judging a report against the history and writing it are one step; what the
/// steps are is decided in one place, for every store alike. Closed to conformances outside this package.
package protocol LedgerStore: Sendable {
    /// Reads a consistent state.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerReading) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value

    /// Commits what the closure did, durably before the return; rolls it back when the closure throws.
    ///
    /// One closure runs at a time. It may run only once and must not wait for anything.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerTransaction) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value
}

/// One page of a list in the order of arrival.
package struct LedgerPage: Hashable, Sendable {
    /// Rows after this sequence; 0 begins at the first.
    package var after: Int64
    package var limit: Int

    package init(after: Int64 = 0, limit: Int = 100) {
        self.after = after
        self.limit = limit
    }
}

/// What can be asked of a ledger.
///
/// Lists are in the order of arrival unless it says otherwise.
package protocol LedgerReading {
    func token(_ id: ExternalPurchaseId, of bundleId: BundleId) throws(LedgerError) -> StoredToken?
    /// Tokens of that id under any app.
    func tokens(withId id: ExternalPurchaseId) throws(LedgerError) -> [StoredToken]
    func tokens(of customer: CustomerId, app bundleId: BundleId) throws(LedgerError) -> [StoredToken]
    func tokens(_ page: LedgerPage) throws(LedgerError) -> [StoredToken]
    func tokensSetAside(_ page: LedgerPage) throws(LedgerError) -> [TokenSetAside]

    func checkout(_ id: CheckoutId, of bundleId: BundleId) throws(LedgerError) -> Checkout?

    func sale(_ id: SaleId, of bundleId: BundleId) throws(LedgerError) -> StoredSale?
    func sales(_ page: LedgerPage) throws(LedgerError) -> [StoredSale]
    func refunds(of buy: SaleId, app bundleId: BundleId) throws(LedgerError) -> [StoredSale]
    /// Held sales without a report.
    func heldSales(_ page: LedgerPage) throws(LedgerError) -> [StoredSale]
    /// Planned sales of a token that no report holds.
    func plannedSales(
        on token: ExternalPurchaseId,
        of bundleId: BundleId,
        limit: Int
    ) throws(LedgerError) -> [StoredSale]
    /// The tokens with planned sales that no report holds and without an unaccepted report (SA-74), made up to a
    /// moment and with a sale received up to another, the longest waiting first.
    func tokensToReport(
        in scope: ReportingScope,
        madeUntil: Timestamp,
        soldUntil: Timestamp,
        limit: Int
    ) throws(LedgerError) -> [ExternalPurchaseId]

    func report(_ id: RequestIdentifier, in scope: ReportingScope) throws(LedgerError) -> StoredReport?
    func reports(_ page: LedgerPage) throws(LedgerError) -> [StoredReport]
    func reports(in scope: ReportingScope, state: [ReportState], limit: Int) throws(LedgerError) -> [StoredReport]
    func sales(in report: RequestIdentifier, of scope: ReportingScope) throws(LedgerError) -> [StoredSale]

    /// True when a `LINE_ITEM` report of the token was accepted (E8).
    func hasAcceptedLineItems(_ token: ExternalPurchaseId, of scope: ReportingScope) throws(LedgerError) -> Bool
    /// The newest accepted versions of those ids, and of the items that reference one of them (RR-7, RR-20).
    func newestAccepted(
        _ ids: Set<LineItemId>,
        in scope: ReportingScope
    ) throws(LedgerError) -> [LineItemId: AcceptedVersion]
}

/// What can be done to a ledger in one transaction.
///
/// Nothing is ever deleted.
package protocol LedgerTransaction: LedgerReading {
    /// Stores a token and returns it with its sequence.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when the app has a token of that id.
    func insert(_ token: StoredToken) throws(LedgerError) -> StoredToken
    /// Changes state, customer and flags; the token itself and its text never change.
    func update(_ token: StoredToken) throws(LedgerError)
    /// Keeps a text that is no token of the merchant's; a repetition changes nothing.
    func setAside(_ text: TokenSetAside) throws(LedgerError)
    /// Stores or changes what a checkout carries.
    func put(_ checkout: Checkout) throws(LedgerError)
    /// Stores a sale and returns it with its sequence.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when the app has a sale of that id or line item.
    func insert(_ sale: StoredSale) throws(LedgerError) -> StoredSale
    /// Changes the attribution of a sale that no report holds.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when a report holds it or its token is not stored.
    func update(_ attribution: Attribution, of sale: SaleId, app bundleId: BundleId) throws(LedgerError)
    /// Stores a report with the sales that it holds, which no other report may hold.
    ///
    /// - Throws: ``LedgerError/conflict(_:)``.
    func insert(_ report: StoredReport, holding sales: [SaleId]) throws(LedgerError) -> StoredReport
    /// Changes state, attempts, answer and errors of a report that is not accepted yet; `accepted` adds its items to
    /// the accepted history in the same step (SA-73).
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` for an accepted report.
    func update(_ report: StoredReport, accepting items: [ReceivedLineItem]) throws(LedgerError)
}

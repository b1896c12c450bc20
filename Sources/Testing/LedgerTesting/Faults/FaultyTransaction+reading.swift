import ExternalPurchaseCore
import Ledger

// Forwards every query to the real transaction unless the next step must fail.
extension FaultyTransaction {
    // MARK: TokenQueries

    func token(_ id: ExternalPurchaseId, of bundleId: BundleId) throws(LedgerError) -> StoredToken? {
        try step()
        return try base.token(id, of: bundleId)
    }

    func tokens(withId id: ExternalPurchaseId) throws(LedgerError) -> [StoredToken] {
        try step()
        return read(try base.tokens(withId: id))
    }

    func tokens(of customer: CustomerId, app bundleId: BundleId) throws(LedgerError) -> [StoredToken] {
        try step()
        return note(try base.tokens(of: customer, app: bundleId))
    }

    func tokens(
        _ query: CustomerTokenQuery,
        of customer: CustomerId,
        app bundleId: BundleId
    ) throws(LedgerError) -> [StoredToken] {
        try step()
        return note(try base.tokens(query, of: customer, app: bundleId))
    }

    func tokens(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredToken] {
        try step()
        return read(try base.tokens(matching: filter, page))
    }

    func tokensUnreported(
        in scope: ReportingScope,
        madeBefore: Timestamp,
        _ page: TimePage
    ) throws(LedgerError) -> [StoredToken] {
        try step()
        return read(try base.tokensUnreported(in: scope, madeBefore: madeBefore, page))
    }

    func eachOpenToken(
        of bundleId: BundleId?,
        _ body: (OpenToken) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        try step()
        try base.eachOpenToken(of: bundleId, body)
    }

    func tokens(
        in scope: ReportingScope,
        madeFrom: Timestamp,
        until: Timestamp,
        _ page: TimePage
    ) throws(LedgerError) -> [StoredToken] {
        try step()
        return read(try base.tokens(in: scope, madeFrom: madeFrom, until: until, page))
    }

    func claimedTokens(of customer: CustomerId, app bundleId: BundleId) throws(LedgerError) -> [StoredToken] {
        try step()
        return try base.claimedTokens(of: customer, app: bundleId)
    }

    func observations(of id: ExternalPurchaseId, app bundleId: BundleId) throws(LedgerError) -> [TokenObservation] {
        try step()
        return read(try base.observations(of: id, app: bundleId))
    }

    func quarantinedTokens(_ page: LedgerPage) throws(LedgerError) -> [QuarantinedToken] {
        try step()
        return read(try base.quarantinedTokens(page))
    }

    func isQuarantined(_ text: String, as reason: QuarantinedToken.Reason) throws(LedgerError) -> Bool {
        try step()
        return try base.isQuarantined(text, as: reason)
    }

    // MARK: CustomerQueries

    func customer(_ id: CustomerId, of bundleId: BundleId) throws(LedgerError) -> StoredCustomer? {
        try step()
        return try base.customer(id, of: bundleId)
    }

    func customers(_ page: LedgerPage) throws(LedgerError) -> [StoredCustomer] {
        try step()
        return read(try base.customers(page))
    }

    func checkout(_ id: CheckoutId, of bundleId: BundleId) throws(LedgerError) -> Checkout? {
        try step()
        return try base.checkout(id, of: bundleId)
    }

    func claims(
        on checkout: CheckoutId,
        of bundleId: BundleId,
        in environment: AppStoreEnvironment,
        limit: Int
    ) throws(LedgerError) -> [ExternalPurchaseId] {
        try step()
        return try base.claims(on: checkout, of: bundleId, in: environment, limit: limit)
    }

    func claimedCheckouts(
        of token: ExternalPurchaseId,
        app bundleId: BundleId
    ) throws(LedgerError) -> [CheckoutId] {
        try step()
        return try base.claimedCheckouts(of: token, app: bundleId)
    }

    func taps(_ page: LedgerPage) throws(LedgerError) -> [LinkTap] {
        try step()
        return read(try base.taps(page))
    }

    func taps(on token: ExternalPurchaseId, of bundleId: BundleId) throws(LedgerError) -> [LinkTap] {
        try step()
        return note(try base.taps(on: token, of: bundleId))
    }

    func taps(
        of customer: CustomerId,
        app bundleId: BundleId,
        from: Timestamp,
        through: Timestamp
    ) throws(LedgerError) -> [LinkTap] {
        try step()
        return read(try base.taps(of: customer, app: bundleId, from: from, through: through))
    }

    // MARK: SaleQueries

    func sale(_ id: SaleId, of bundleId: BundleId) throws(LedgerError) -> StoredSale? {
        try step()
        return try base.sale(id, of: bundleId)
    }

    func sale(ofLineItem id: LineItemId, of bundleId: BundleId) throws(LedgerError) -> SaleId? {
        try step()
        return try base.sale(ofLineItem: id, of: bundleId)
    }

    func sales(_ page: LedgerPage) throws(LedgerError) -> [StoredSale] {
        try step()
        return note(try base.sales(page))
    }

    func sales(matching filter: SaleFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredSale] {
        try step()
        return note(try base.sales(matching: filter, page))
    }

    func sales(_ query: SaleQuery, _ page: LedgerPage) throws(LedgerError) -> [StoredSale] {
        try step()
        return note(try base.sales(query, page))
    }

    func sales(
        of bundleId: BundleId,
        occurredFrom: Timestamp,
        until: Timestamp,
        _ page: TimePage
    ) throws(LedgerError) -> [StoredSale] {
        try step()
        return read(try base.sales(of: bundleId, occurredFrom: occurredFrom, until: until, page))
    }

    func refunds(of buy: SaleId, app bundleId: BundleId) throws(LedgerError) -> [StoredSale] {
        try step()
        return note(try base.refunds(of: buy, app: bundleId))
    }

    func versions(of sale: SaleId, app bundleId: BundleId) throws(LedgerError) -> [SaleVersion] {
        try step()
        return note(try base.versions(of: sale, app: bundleId))
    }

    func waitingSaleChanges(_ page: LedgerPage) throws(LedgerError) -> [SaleChange] {
        try step()
        return note(try base.waitingSaleChanges(page))
    }

    func changes(of sale: SaleId, app bundleId: BundleId) throws(LedgerError) -> [SaleChange] {
        try step()
        return note(try base.changes(of: sale, app: bundleId))
    }

    func heldSales(_ page: LedgerPage) throws(LedgerError) -> [StoredSale] {
        try step()
        return note(try base.heldSales(page))
    }

    func eachOpenSale(
        of bundleId: BundleId?,
        _ body: (OpenSale) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        try step()
        try base.eachOpenSale(of: bundleId, body)
    }

    func plannedSales(
        on token: ExternalPurchaseId,
        of bundleId: BundleId,
        limit: Int
    ) throws(LedgerError) -> [StoredSale] {
        try step()
        return read(try base.plannedSales(on: token, of: bundleId, limit: limit))
    }

    func tokensToReport(
        in scope: ReportingScope,
        madeUntil: Timestamp,
        sold: ClosedRange<Timestamp>,
        limit: Int
    ) throws(LedgerError) -> [ExternalPurchaseId] {
        try step()
        return read(try base.tokensToReport(in: scope, madeUntil: madeUntil, sold: sold, limit: limit))
    }

    // MARK: ReportQueries

    func report(_ id: RequestIdentifier, in scope: ReportingScope) throws(LedgerError) -> StoredReport? {
        try step()
        return try base.report(id, in: scope)
    }

    func reports(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredReport] {
        try step()
        return note(try base.reports(matching: filter, page))
    }

    func reports(in scope: ReportingScope, state: [ReportState], limit: Int) throws(LedgerError) -> [StoredReport] {
        try step()
        return note(try base.reports(in: scope, state: state, limit: limit))
    }

    func reports(on token: ExternalPurchaseId, of bundleId: BundleId) throws(LedgerError) -> [StoredReport] {
        try step()
        return note(try base.reports(on: token, of: bundleId))
    }

    func reportSummary(
        of token: ExternalPurchaseId,
        app bundleId: BundleId
    ) throws(LedgerError) -> TokenReportSummary {
        try step()
        return try base.reportSummary(of: token, app: bundleId)
    }

    func sales(in report: RequestIdentifier, of scope: ReportingScope) throws(LedgerError) -> [StoredSale] {
        try step()
        return note(try base.sales(in: report, of: scope))
    }

    // MARK: LineItemQueries

    func lineItemVersions(_ id: LineItemId, in scope: ReportingScope) throws(LedgerError) -> [LineItemVersion] {
        try step()
        return read(try base.lineItemVersions(id, in: scope))
    }

    func lineItems(
        in scope: ReportingScope,
        createdFrom: Timestamp,
        until: Timestamp,
        _ page: TimePage
    ) throws(LedgerError) -> [LineItemVersion] {
        try step()
        return read(try base.lineItems(in: scope, createdFrom: createdFrom, until: until, page))
    }

    func hasAcceptedLineItems(_ token: ExternalPurchaseId, of scope: ReportingScope) throws(LedgerError) -> Bool {
        try step()
        return try base.hasAcceptedLineItems(token, of: scope)
    }

    func newestAccepted(
        _ ids: Set<LineItemId>,
        in scope: ReportingScope
    ) throws(LedgerError) -> [LineItemId: AcceptedVersion] {
        try step()
        let newest = try base.newestAccepted(ids, in: scope)
        count(ids.count)
        _ = note(Array(newest.keys))
        return newest
    }

    // MARK: NotificationQueries

    func paymentEvent(_ id: PaymentEventId, of provider: PaymentProvider) throws(LedgerError) -> StoredPaymentEvent? {
        try step()
        return try base.paymentEvent(id, of: provider)
    }

    func paymentEvents(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredPaymentEvent] {
        try step()
        return read(try base.paymentEvents(matching: filter, page))
    }

    func firstHeldPaymentEvent(of bundleId: BundleId) throws(LedgerError) -> StoredPaymentEvent? {
        try step()
        return try base.firstHeldPaymentEvent(of: bundleId)
    }

    func paymentEvents(
        about objects: Set<String>,
        of provider: PaymentProvider
    ) throws(LedgerError) -> [StoredPaymentEvent] {
        try step()
        return read(try base.paymentEvents(about: objects, of: provider))
    }

    func fetchedPaymentObject(
        _ request: String,
        of provider: PaymentProvider
    ) throws(LedgerError) -> FetchedPaymentObject? {
        try step()
        return try base.fetchedPaymentObject(request, of: provider)
    }

    func notification(_ uuid: NotificationUUID) throws(LedgerError) -> StoredNotification? {
        try step()
        return try base.notification(uuid)
    }

    func notifications(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredNotification] {
        try step()
        return read(try base.notifications(matching: filter, page))
    }

    func notificationsToDo(_ page: LedgerPage) throws(LedgerError) -> [StoredNotification] {
        try step()
        return read(try base.notificationsToDo(page))
    }

    func newestNotification(
        ofType type: NotificationType,
        app bundleId: BundleId
    ) throws(LedgerError) -> StoredNotification? {
        try step()
        return try base.newestNotification(ofType: type, app: bundleId)
    }

    func notifications(
        about token: ExternalPurchaseId,
        app bundleId: BundleId
    ) throws(LedgerError) -> [StoredNotification] {
        try step()
        return read(try base.notifications(about: token, app: bundleId))
    }

    func isQuarantined(_ uuid: NotificationUUID, as reason: String) throws(LedgerError) -> Bool {
        try step()
        return try base.isQuarantined(uuid, as: reason)
    }

    func quarantinedNotifications(_ page: LedgerPage) throws(LedgerError) -> [QuarantinedNotification] {
        try step()
        return read(try base.quarantinedNotifications(page))
    }

    func notificationRefusals() throws(LedgerError) -> [NotificationRefusals] {
        try step()
        return read(try base.notificationRefusals())
    }

    func notificationHistoryPosition(of scope: ReportingScope) throws(LedgerError) -> Timestamp? {
        try step()
        return try base.notificationHistoryPosition(of: scope)
    }

    // MARK: ReviewQueries

    func reviewItems(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [ReviewItem] {
        try step()
        return read(try base.reviewItems(matching: filter, page))
    }

    func openReviewItems(_ page: LedgerPage) throws(LedgerError) -> [ReviewItem] {
        try step()
        return read(try base.openReviewItems(page))
    }

    func openReviewItems(of kind: ReviewKind, app bundleId: BundleId) throws(LedgerError) -> [ReviewItem] {
        try step()
        return read(try base.openReviewItems(of: kind, app: bundleId))
    }

    func reviewItems(about subject: ReviewSubject, app bundleId: BundleId) throws(LedgerError) -> [ReviewItem] {
        try step()
        return read(try base.reviewItems(about: subject, app: bundleId))
    }

    // MARK: CorrectionQueries

    func correction(_ id: CorrectionId, of bundleId: BundleId) throws(LedgerError) -> StoredCorrection? {
        try step()
        return try base.correction(id, of: bundleId)
    }

    func corrections(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredCorrection] {
        try step()
        return read(try base.corrections(matching: filter, page))
    }

    func openCorrections(_ page: LedgerPage) throws(LedgerError) -> [StoredCorrection] {
        try step()
        return read(try base.openCorrections(page))
    }

    // MARK: ManualExportQueries

    func manualExport(_ id: ManualExportId, of bundleId: BundleId) throws(LedgerError) -> ManualExport? {
        try step()
        return try base.manualExport(id, of: bundleId)
    }

    func manualExports(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [ManualExport] {
        try step()
        return read(try base.manualExports(matching: filter, page))
    }

    func sales(in export: ManualExportId, of bundleId: BundleId) throws(LedgerError) -> [StoredSale] {
        try step()
        return read(try base.sales(in: export, of: bundleId))
    }

    // MARK: InvoiceQueries

    func invoices(_ page: LedgerPage) throws(LedgerError) -> [StoredInvoice] {
        try step()
        return read(try base.invoices(page))
    }

    // MARK: AccessQueries

    func apiKeys() throws(LedgerError) -> [StoredAPIKey] {
        try step()
        return read(try base.apiKeys())
    }

    func users() throws(LedgerError) -> [StoredUser] {
        try step()
        return read(try base.users())
    }

    // MARK: RetentionQueries

    func purgePlan(before cut: Timestamp) throws(LedgerError) -> PurgePlan {
        try step()
        return try base.purgePlan(before: cut)
    }

    // MARK: AuditQueries

    func auditEntries(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [AuditEntry] {
        try step()
        return read(try base.auditEntries(matching: filter, page))
    }

    func lastAuditEntry() throws(LedgerError) -> AuditEntry? {
        try step()
        return try base.lastAuditEntry()
    }

    func auditHead() throws(LedgerError) -> AuditHead? {
        try step()
        return try base.auditHead()
    }

    // MARK: AlertQueries, CountsQueries

    func recordedAlerts(among eventIds: [String]) throws(LedgerError) -> Set<String> {
        try step()
        return try base.recordedAlerts(among: eventIds)
    }

    func undeliveredAlerts(limit: Int) throws(LedgerError) -> [AlertMessage] {
        try step()
        return read(try base.undeliveredAlerts(limit: limit))
    }

    func counts() throws(LedgerError) -> LedgerCounts {
        try step()
        return try base.counts()
    }
}

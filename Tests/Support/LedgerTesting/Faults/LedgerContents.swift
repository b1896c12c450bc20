package import ExternalPurchaseCore
package import Ledger

/// The complete contents of a ledger, for tests that compare ledgers or states of one ledger.
package struct LedgerContents: Hashable, Sendable {
    package var tokens: [StoredToken] = []
    package var observations: [TokenObservation] = []
    package var quarantinedTokens: [QuarantinedToken] = []
    package var customers: [StoredCustomer] = []
    package var checkouts: [Checkout] = []
    package var claims: [CheckoutId] = []
    package var taps: [LinkTap] = []
    package var sales: [StoredSale] = []
    package var saleVersions: [SaleVersion] = []
    package var saleChanges: [SaleChange] = []
    package var reports: [StoredReport] = []
    package var lineItems: [LineItemVersion] = []
    package var notifications: [StoredNotification] = []
    package var paymentEvents: [StoredPaymentEvent] = []
    package var quarantinedNotifications: [QuarantinedNotification] = []
    package var refusals: [NotificationRefusals] = []
    package var historyPositions: [ReportingScope: Timestamp] = [:]
    package var review: [ReviewItem] = []
    package var corrections: [StoredCorrection] = []
    package var exports: [ManualExport] = []
    package var undeliveredAlerts: [AlertMessage] = []
    package var counts = LedgerCounts()
    package var invoices: [StoredInvoice] = []
    package var apiKeys: [StoredAPIKey] = []
    package var users: [StoredUser] = []
    package var leases: [StoredLease] = []
    package var requestedReports: [ReportingScope: [ExternalPurchaseId]] = [:]
    package var audit: [AuditEntry] = []

    /// Reads a complete ledger.
    ///
    /// Checkouts are found through the tokens that name them.
    package init(_ ledger: LedgerQueries) throws(LedgerError) {
        try ledger.eachToken { token throws(LedgerError) in
            tokens.append(token)
            observations += try ledger.observations(of: token.token.externalPurchaseId, app: token.token.bundleId)
            claims += try ledger.claimedCheckouts(
                of: token.token.externalPurchaseId,
                app: token.token.bundleId
            )
            if let checkout = try ledger.checkout(token.checkoutId, of: token.token.bundleId) {
                checkouts.append(checkout)
            }
            if let position = try ledger.notificationHistoryPosition(of: token.scope) {
                historyPositions[token.scope] = position
            }
        }
        quarantinedTokens = try ledger.quarantinedTokens(LedgerPage(limit: .max))
        try ledger.eachCustomer { customer throws(LedgerError) in customers.append(customer) }
        try ledger.eachTap { tap throws(LedgerError) in taps.append(tap) }
        try ledger.eachSale { sale throws(LedgerError) in
            sales.append(sale)
            saleVersions += try ledger.versions(of: sale.sale.saleId, app: sale.sale.bundleId)
            saleChanges += try ledger.changes(of: sale.sale.saleId, app: sale.sale.bundleId)
        }
        var scopes: Set<ReportingScope> = []
        try ledger.eachReport { report throws(LedgerError) in
            reports.append(report)
            scopes.insert(report.scope)
        }
        for scope in scopes.sorted(by: { $0.description < $1.description }) {
            try ledger.eachLineItem(
                in: scope,
                createdFrom: Timestamp(milliseconds: .min),
                until: Timestamp(milliseconds: .max)
            ) { item throws(LedgerError) in lineItems.append(item) }
        }
        try ledger.eachNotification { notification throws(LedgerError) in notifications.append(notification) }
        try ledger.eachPaymentEvent { event throws(LedgerError) in paymentEvents.append(event) }
        quarantinedNotifications = try ledger.quarantinedNotifications(LedgerPage(limit: .max))
        refusals = try ledger.notificationRefusals()
        review = try ledger.reviewItems(LedgerPage(limit: .max))
        try ledger.eachCorrection { correction throws(LedgerError) in corrections.append(correction) }
        try ledger.eachManualExport { export throws(LedgerError) in exports.append(export) }
        undeliveredAlerts = try ledger.undeliveredAlerts(limit: .max)
        counts = try ledger.counts()
        try ledger.eachInvoice { invoice throws(LedgerError) in invoices.append(invoice) }
        apiKeys = try ledger.apiKeys()
        users = try ledger.users()
        leases = try ledger.leases()
        for scope in Set(tokens.map(\.scope)) {
            requestedReports[scope] = try ledger.requestedReports(in: scope, limit: .max)
        }
        try ledger.eachAuditEntry { entry throws(LedgerError) in audit.append(entry) }
    }
}

extension LedgerStore {
    /// The complete present contents.
    package func contents() async throws(LedgerError) -> LedgerContents {
        try await read { ledger throws(LedgerError) in try LedgerContents(ledger) }
    }
}

import ExternalPurchaseCore
import Ledger

/// The rows, which are never deleted, and their indexes.
///
/// A row's sequence is its place in the array, from 1.
struct MemoryLedger: Sendable {
    var tokens: [StoredToken] = []
    var observations: [TokenObservation] = []
    var quarantinedTokens: [QuarantinedToken] = []
    var lastQuarantinedToken: Int64 = 0
    var customers: [StoredCustomer] = []
    var taps: [LinkTap] = []
    var sales: [StoredSale] = []
    var reports: [StoredReport] = []
    var sentItems: [SentItem] = []
    var notifications: [StoredNotification] = []
    var quarantinedNotifications: [QuarantinedNotification] = []
    var review: [ReviewItem] = []
    var corrections: [StoredCorrection] = []
    var exports: [ManualExport] = []
    var saleChanges: [SaleChange] = []
    var invoices: [StoredInvoice] = []
    var audit: [AuditEntry] = []
    var alertMessages: [AlertMessage] = []
    var deadlineRules: [StoredDeadlineRules] = []

    var checkouts: [AppKey<CheckoutId>: Checkout] = [:]
    /// What was told, by the id of the event.
    var alerts: [String: AlertMark] = [:]
    var refusals: [String: NotificationRefusals] = [:]
    var historyPositions: [ReportingScope: Timestamp] = [:]
    /// Every version of a sale, the arrival first.
    var saleVersions: [AppKey<SaleId>: [SaleVersion]] = [:]
    /// Accepted versions by scope and id, the newest last.
    var accepted: [ScopeKey<LineItemId>: [AcceptedVersion]] = [:]
    /// Items whose newest or an older accepted version references an id.
    var referrers: [ScopeKey<LineItemId>: [LineItemId]] = [:]

    var deadlines: [StoredDeadline.Subject: MemoryDeadline] = [:]
    /// Those whose row changed since they were computed.
    var changedDeadlines: [StoredDeadline.Subject: Bool] = [:]

    var tokenPlaces: [AppKey<ExternalPurchaseId>: Int] = [:]
    var tokenPlacesById: [ExternalPurchaseId: [Int]] = [:]
    var tokenPlacesByCustomer: [AppKey<CustomerId>: [Int]] = [:]
    var observationPlaces: [AppKey<ExternalPurchaseId>: [Int]] = [:]
    var customerPlaces: [AppKey<CustomerId>: Int] = [:]
    var salePlaces: [AppKey<SaleId>: Int] = [:]
    var salePlacesByToken: [AppKey<ExternalPurchaseId>: [Int]] = [:]
    var salePlacesByBuy: [AppKey<SaleId>: [Int]] = [:]
    /// The sale that each line item belongs to.
    var saleOfLineItem: [AppKey<LineItemId>: SaleId] = [:]
    /// Sales that no report and no export holds.
    var openSales: [Int: Bool] = [:]
    var salePlacesByReport: [ScopeKey<RequestIdentifier>: [Int]] = [:]
    var reportPlaces: [ScopeKey<RequestIdentifier>: Int] = [:]
    var reportPlacesByToken: [AppKey<ExternalPurchaseId>: [Int]] = [:]
    /// Reports that are not accepted.
    var openReports: [Int: Bool] = [:]
    var sentItemPlaces: [ScopeKey<LineItemId>: [Int]] = [:]
    var notificationPlaces: [NotificationUUID: Int] = [:]

    /// Where in which report a version of a line item stands.
    struct SentItem: Sendable {
        let scope: ReportingScope
        let requestIdentifier: RequestIdentifier
        let item: ReceivedLineItem
    }
}

/// A name that is unique within one app.
struct AppKey<Name: Hashable & Sendable>: Hashable, Sendable {
    let bundleId: BundleId
    let name: Name

    init(_ bundleId: BundleId, _ name: Name) {
        self.bundleId = bundleId
        self.name = name
    }
}

/// A name that is unique within one app and environment.
struct ScopeKey<Name: Hashable & Sendable>: Hashable, Sendable {
    let scope: ReportingScope
    let name: Name

    init(_ scope: ReportingScope, _ name: Name) {
        self.scope = scope
        self.name = name
    }
}

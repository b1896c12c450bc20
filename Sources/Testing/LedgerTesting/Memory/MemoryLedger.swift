import ExternalPurchaseCore
import Ledger

/// The rows, which are never deleted, and their indexes.
///
/// A row's sequence number is its index in the array plus 1.
struct MemoryLedger: Sendable {
    struct PaymentRequest: Hashable, Sendable {
        let provider: PaymentProvider
        let request: String
    }

    var tokens: [StoredToken] = []
    var observations: [TokenObservation] = []
    var quarantinedTokens: [QuarantinedToken] = []
    var lastQuarantinedToken: Int64 = 0
    var customers: [StoredCustomer] = []
    var taps: [LinkTap] = []
    var claims: [CheckoutClaim] = []
    var sales: [StoredSale] = []
    var reports: [StoredReport] = []
    var sentItems: [SentItem] = []
    var notifications: [StoredNotification] = []
    var paymentEvents: [StoredPaymentEvent] = []
    var paymentObjects: [PaymentRequest: FetchedPaymentObject] = [:]
    var quarantinedNotifications: [QuarantinedNotification] = []
    var review: [ReviewItem] = []
    var corrections: [StoredCorrection] = []
    var exports: [ManualExport] = []
    var saleChanges: [SaleChange] = []
    var invoices: [StoredInvoice] = []
    var apiKeys: [StoredAPIKey] = []
    var users: [StoredUser] = []
    var audit: [AuditEntry] = []
    var alertMessages: [AlertMessage] = []
    var deadlineRules: [StoredDeadlineRules] = []

    var checkouts: [AppKey<CheckoutId>: Checkout] = [:]
    /// Recorded alert steps by event id.
    var alerts: [String: AlertMark] = [:]
    var refusals: [String: NotificationRefusals] = [:]
    var historyPositions: [ReportingScope: Timestamp] = [:]
    /// Every version of a sale, the arrival first.
    var saleVersions: [AppKey<SaleId>: [SaleVersion]] = [:]
    /// Accepted versions by scope and id, oldest first.
    var accepted: [ScopeKey<LineItemId>: [AcceptedVersion]] = [:]
    /// The number of all accepted versions.
    var acceptedCount: Int64 = 0
    /// For each id, the items that reference it in any accepted version.
    var referrers: [ScopeKey<LineItemId>: [LineItemId]] = [:]

    var leases: [LeaseName: StoredLease] = [:]
    var reportRequests: [ReportingScope: [ExternalPurchaseId]] = [:]

    var deadlines: [StoredDeadline.Subject: MemoryDeadline] = [:]
    /// The subjects whose row changed since their deadline was computed.
    var changedDeadlines: [StoredDeadline.Subject: Bool] = [:]

    var tokenPlaces: [AppKey<ExternalPurchaseId>: Int] = [:]
    var tokenPlacesById: [ExternalPurchaseId: [Int]] = [:]
    var tokenPlacesByCustomer: [AppKey<CustomerId>: [Int]] = [:]
    var observationPlaces: [AppKey<ExternalPurchaseId>: [Int]] = [:]
    var customerPlaces: [AppKey<CustomerId>: Int] = [:]
    var salePlaces: [AppKey<SaleId>: Int] = [:]
    var salePlacesByToken: [AppKey<ExternalPurchaseId>: [Int]] = [:]
    var salePlacesByBuy: [AppKey<SaleId>: [Int]] = [:]
    /// The sale of each line item.
    var saleOfLineItem: [AppKey<LineItemId>: SaleId] = [:]
    /// The sales that are in no report and no export.
    var openSales: [Int: Bool] = [:]
    var salePlacesByReport: [ScopeKey<RequestIdentifier>: [Int]] = [:]
    var reportPlaces: [ScopeKey<RequestIdentifier>: Int] = [:]
    var reportPlacesByToken: [AppKey<ExternalPurchaseId>: [Int]] = [:]
    /// The reports that are not accepted.
    var openReports: [Int: Bool] = [:]
    var sentItemPlaces: [ScopeKey<LineItemId>: [Int]] = [:]
    var notificationPlaces: [NotificationUUID: Int] = [:]

    /// The position of a version of a line item in its report.
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

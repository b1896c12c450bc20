import ExternalPurchaseCore

/// A notification that was made, with every attempt to deliver it.
struct NotificationRecord: Hashable, Sendable, Identifiable {
    /// The `notificationUUID`.
    let id: String
    let bundleId: BundleId
    let environment: AppStoreEnvironment
    let type: NotificationType
    let subtype: NotificationSubtype?
    /// The token it is about; nil for a test.
    let externalPurchaseId: ExternalPurchaseId?
    /// The moment it was made, which orders history (NT-81).
    let madeAt: Timestamp
    /// The bytes that every attempt sends (NT-52); nil when the app had no address (NT-47).
    let signedPayload: String?
    /// The token of a test's status (NT-72).
    var testNotificationToken: String?
    /// What was spoilt on purpose (NT-94).
    var tampering: NotificationTampering?
    var attempts: [DeliveryAttempt] = []
    /// When it is tried again; nil when it was delivered or given up.
    var nextAttempt: Timestamp?

    var isDelivered: Bool { attempts.last?.result == .success }

    /// Waits after each attempt before the next one (NT-51).
    static func waits(in environment: AppStoreEnvironment) -> [Int64] {
        environment == .production ? [1, 12, 24, 48, 72].map { $0 * 3_600_000 } : []
    }
}

/// One attempt to deliver a notification (NT-53).
struct DeliveryAttempt: Hashable, Sendable {
    /// By the emulator's clock.
    let date: Timestamp
    let result: DeliveryResult
}

/// How an attempt ended, in Apple's words (NT-53).
enum DeliveryResult: String, Hashable, Sendable, CaseIterable {
    case success = "SUCCESS"
    case timedOut = "TIMED_OUT"
    case tlsIssue = "TLS_ISSUE"
    case circularRedirect = "CIRCULAR_REDIRECT"
    case noResponse = "NO_RESPONSE"
    case socketIssue = "SOCKET_ISSUE"
    case unsupportedCharset = "UNSUPPORTED_CHARSET"
    case invalidResponse = "INVALID_RESPONSE"
    case prematureClose = "PREMATURE_CLOSE"
    case unsuccessfulStatus = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    case other = "OTHER"
}

/// Every notification that was made, in the order of its making.
struct NotificationBook: Sendable {
    private(set) var records: [NotificationRecord] = []
    private var indexes: [NotificationRecord.ID: Int] = [:]
    private var tests: [String: Int] = [:]

    subscript(id: NotificationRecord.ID) -> NotificationRecord? { indexes[id].map { records[$0] } }

    /// The test notification behind the token of its status.
    func test(_ token: String) -> NotificationRecord? { tests[token].map { records[$0] } }

    /// Adds a notification, or replaces the one with its id.
    mutating func record(_ record: NotificationRecord) {
        if let index = indexes[record.id] {
            records[index] = record
        } else {
            indexes[record.id] = records.count
            if let token = record.testNotificationToken { tests[token] = records.count }
            records.append(record)
        }
    }
}

import ExternalPurchaseCore

/// A notification with all its delivery attempts.
struct NotificationRecord: Hashable, Sendable, Identifiable {
    /// The `notificationUUID`.
    let id: String
    let bundleId: BundleId
    let environment: AppStoreEnvironment
    let type: NotificationType
    let subtype: NotificationSubtype?
    /// The token that the notification is about; nil for a test.
    let externalPurchaseId: ExternalPurchaseId?
    /// When the notification was made.
    ///
    /// The history is ordered by it (NT-81).
    let madeAt: Timestamp
    /// The bytes that every attempt sends (NT-52); nil when the app had no URL (NT-47).
    let signedPayload: String?
    /// The token of a test notification's status (NT-72).
    var testNotificationToken: String?
    /// How the notification was tampered with (NT-94).
    var tampering: NotificationTampering?
    var attempts: [DeliveryAttempt] = []
    /// When the next attempt is due; nil after success or the last attempt.
    var nextAttempt: Timestamp?

    var isDelivered: Bool { attempts.last?.result == .success }

    /// The delays between an attempt and the next one (NT-51).
    static func waits(in environment: AppStoreEnvironment) -> [Duration] {
        environment == .production ? [1, 12, 24, 48, 72].map(Duration.hours) : []
    }
}

/// A delivery attempt (NT-53).
struct DeliveryAttempt: Hashable, Sendable {
    /// The time by the emulator's clock.
    let date: Timestamp
    let result: DeliveryResult
}

/// The result of an attempt, in Apple's words (NT-53).
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

/// All notifications in the order in which they were made.
struct NotificationBook: Sendable {
    private(set) var records: [NotificationRecord] = []
    private var indexes: [NotificationRecord.ID: Int] = [:]
    private var tests: [String: Int] = [:]

    subscript(id: NotificationRecord.ID) -> NotificationRecord? { indexes[id].map { records[$0] } }

    /// Returns the test notification with this status token.
    func test(_ token: String) -> NotificationRecord? { tests[token].map { records[$0] } }

    /// Adds a notification, or replaces the one with the same id.
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

package import ExternalPurchaseCore

/// A verified notification as received, with the result of its processing.
package struct StoredNotification: Hashable, Sendable {
    /// The sequence number in order of arrival, from 1; 0 before the row is stored.
    package var sequence: Int64
    package let uuid: NotificationUUID
    package let type: NotificationType
    package let subtype: NotificationSubtype?
    package let bundleId: BundleId?
    package let environment: AppStoreEnvironment?
    package let externalPurchaseId: ExternalPurchaseId?
    package let signedDate: Timestamp
    /// The signed text as received, which is evidence (OB-90).
    ///
    /// Nil for types without an effect, of which only the type's name is stored (NT-69).
    package let payload: String?
    package let arrival: NotificationArrival
    package let receivedAt: Timestamp
    /// Nil until the notification is processed.
    package var effect: NotificationEffect?

    package init(
        sequence: Int64 = 0,
        uuid: NotificationUUID,
        type: NotificationType,
        subtype: NotificationSubtype? = nil,
        bundleId: BundleId?,
        environment: AppStoreEnvironment?,
        externalPurchaseId: ExternalPurchaseId? = nil,
        signedDate: Timestamp,
        payload: String?,
        arrival: NotificationArrival,
        receivedAt: Timestamp,
        effect: NotificationEffect? = nil
    ) {
        self.sequence = sequence
        self.uuid = uuid
        self.type = type
        self.subtype = subtype
        self.bundleId = bundleId
        self.environment = environment
        self.externalPurchaseId = externalPurchaseId
        self.signedDate = signedDate
        self.payload = payload
        self.arrival = arrival
        self.receivedAt = receivedAt
        self.effect = effect
    }
}

extension StoredNotification {
    /// The fields of a notification, with their name in each record form.
    package static let fields = RecordFields<StoredNotification>([
        .init("sequence", in: .archive) { .integer($0.sequence) },
        .init("notificationUUID", in: .audit, .archive, .list) { .text($0.uuid.rawValue) },
        .init([.audit: "type", .archive: "type", .list: "notificationType"]) { .text($0.type.rawValue) },
        .init("subtype", in: .audit, .archive, .list) { .text($0.subtype?.rawValue) },
        .init("bundleId", in: .list) { .text($0.bundleId?.rawValue) },
        .init("environment", in: .archive, .list) { .text($0.environment?.rawValue) },
        .init("externalPurchaseId", in: .audit, .archive, .list) { .text($0.externalPurchaseId?.rawValue) },
        .init("signedDate", in: .audit, .archive, .list) { .time($0.signedDate) },
        .init("arrival", in: .audit, .archive, .list) { .text($0.arrival.rawValue) },
        .init("receivedAt", in: .archive, .list) { .time($0.receivedAt) },
        .init("doneAt", in: .archive) { .time($0.effect?.doneAt) },
        .init("effect", in: .archive, .list) { .text($0.effect?.detail) },
        .init("payloadSHA256", in: .audit) { .json($0.payload.map { .digest($0.utf8) }) },
    ])
}

/// The way a notification arrived.
package enum NotificationArrival: String, Hashable, Sendable, CaseIterable {
    /// Delivered by Apple.
    case delivered
    /// Found by the server in the notification history (NT-68).
    case history
}

/// The result of processing a notification, in one sentence, and its time.
package struct NotificationEffect: Hashable, Sendable {
    package let doneAt: Timestamp
    package let detail: String

    package init(doneAt: Timestamp, detail: String) {
        self.doneAt = doneAt
        self.detail = detail
    }
}

/// A verified notification that is meant for another app or environment, stored for inspection without an effect.
package struct QuarantinedNotification: Hashable, Sendable {
    /// The sequence number in order of arrival, from 1; 0 before the row is stored.
    package var sequence: Int64
    package let uuid: NotificationUUID
    /// The name of the failure, `wrong-app` or `wrong-environment`.
    package let reason: String
    package let payload: String
    package let receivedAt: Timestamp

    package init(
        sequence: Int64 = 0,
        uuid: NotificationUUID,
        reason: String,
        payload: String,
        receivedAt: Timestamp
    ) {
        self.sequence = sequence
        self.uuid = uuid
        self.reason = reason
        self.payload = payload
        self.receivedAt = receivedAt
    }
}

/// How often requests that claimed to be a notification were refused for one reason; their payloads are not stored.
package struct NotificationRefusals: Hashable, Sendable {
    /// The name of the failure.
    package let failure: String
    package let count: Int64
    package let lastAt: Timestamp

    package init(failure: String, count: Int64, lastAt: Timestamp) {
        self.failure = failure
        self.count = count
        self.lastAt = lastAt
    }
}

import ExternalPurchaseCore
import GRDB
import Ledger

extension SQLiteTransaction {
    func notification(_ uuid: NotificationUUID) throws(LedgerError) -> StoredNotification? {
        try rows("SELECT * FROM notifications WHERE uuid = ?", [uuid.rawValue]).decoded(storedNotification).first
    }

    func notifications(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredNotification] {
        try rows(.notifications, filter, page).decoded(storedNotification)
    }

    func notificationsToDo(_ page: LedgerPage) throws(LedgerError) -> [StoredNotification] {
        try rows(Query.notificationsToDo, [page.after, page.bound]).decoded(storedNotification)
    }

    func newestNotification(
        ofType type: NotificationType,
        app bundleId: BundleId
    ) throws(LedgerError) -> StoredNotification? {
        try rows(Query.newestNotification, [bundleId.rawValue, type.rawValue]).decoded(storedNotification).first
    }

    func notifications(
        about token: ExternalPurchaseId,
        app bundleId: BundleId
    ) throws(LedgerError) -> [StoredNotification] {
        try rows(Query.notificationsOfToken, [bundleId.rawValue, token.rawValue]).decoded(storedNotification)
    }

    func isQuarantined(_ uuid: NotificationUUID, as reason: String) throws(LedgerError) -> Bool {
        try !rows("SELECT 1 FROM notifications_set_aside WHERE uuid = ? AND reason = ?", [uuid.rawValue, reason])
            .isEmpty
    }

    func quarantinedNotifications(_ page: LedgerPage) throws(LedgerError) -> [QuarantinedNotification] {
        try rows(
            "SELECT * FROM notifications_set_aside WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [page.after, page.bound]
        ).decoded { row throws(LedgerError) in
            QuarantinedNotification(
                sequence: try row.integer("sequence"),
                uuid: NotificationUUID(try row.text("uuid")),
                reason: try row.text("reason"),
                payload: try row.text("payload"),
                receivedAt: try row.time("received_at")
            )
        }
    }

    func notificationRefusals() throws(LedgerError) -> [NotificationRefusals] {
        try rows("SELECT * FROM notification_refusals ORDER BY failure", []).decoded { row throws(LedgerError) in
            NotificationRefusals(
                failure: try row.text("failure"),
                count: try row.integer("count"),
                lastAt: try row.time("last_at")
            )
        }
    }

    func notificationHistoryPosition(of scope: ReportingScope) throws(LedgerError) -> Timestamp? {
        try rows(
            "SELECT position FROM notification_history WHERE bundle_id = ? AND environment = ?",
            [scope.bundleId.rawValue, scope.environment.rawValue]
        ).decoded { row throws(LedgerError) in try row.time("position") }.first
    }

    func insertRow(of notification: StoredNotification) throws(LedgerError) -> Int64 {
        try insert(
            """
            INSERT INTO notifications (uuid, type, subtype, bundle_id, environment, external_purchase_id, signed_date,
                payload, arrival, received_at, done_at, effect)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                notification.uuid.rawValue, notification.type.rawValue, notification.subtype?.rawValue,
                notification.bundleId?.rawValue, notification.environment?.rawValue,
                notification.externalPurchaseId?.rawValue, notification.signedDate.milliseconds, notification.payload,
                notification.arrival.rawValue, notification.receivedAt.milliseconds,
                notification.effect?.doneAt.milliseconds, notification.effect?.detail,
            ]
        )
    }

    func finishRow(of uuid: NotificationUUID, _ effect: NotificationEffect) throws(LedgerError) -> Int64 {
        try change(
            "UPDATE notifications SET done_at = ?, effect = ? WHERE uuid = ? AND done_at IS NULL",
            [effect.doneAt.milliseconds, effect.detail, uuid.rawValue],
            otherwise: "no such notification to do"
        )
    }

    func insertRow(of notification: QuarantinedNotification) throws(LedgerError) -> Int64 {
        try insert(
            "INSERT INTO notifications_set_aside (uuid, reason, payload, received_at) VALUES (?, ?, ?, ?)",
            [
                notification.uuid.rawValue, notification.reason, notification.payload,
                notification.receivedAt.milliseconds,
            ]
        )
    }

    func countRow(of failure: String, _ time: Timestamp) throws(LedgerError) -> Int64 {
        try run(
            """
            INSERT INTO notification_refusals (failure, count, last_at) VALUES (?, 1, ?)
            ON CONFLICT (failure) DO UPDATE SET count = count + 1, last_at = max(last_at, excluded.last_at)
            """,
            [failure, time.milliseconds]
        )
        return 0
    }

    func putRow(of scope: ReportingScope, _ position: Timestamp) throws(LedgerError) -> Int64 {
        try run(
            """
            INSERT INTO notification_history (bundle_id, environment, position) VALUES (?, ?, ?)
            ON CONFLICT (bundle_id, environment) DO UPDATE SET position = excluded.position
            """,
            [scope.bundleId.rawValue, scope.environment.rawValue, position.milliseconds]
        )
        return 0
    }

    private func storedNotification(_ row: Row) throws(LedgerError) -> StoredNotification {
        var effect: NotificationEffect?
        if let doneAt = try row.optionalTime("done_at") {
            effect = NotificationEffect(doneAt: doneAt, detail: try row.text("effect"))
        }
        return StoredNotification(
            sequence: try row.integer("sequence"),
            uuid: NotificationUUID(try row.text("uuid")),
            type: NotificationType(try row.text("type")),
            subtype: try row.optionalText("subtype").map { NotificationSubtype($0) },
            bundleId: try row.optionalText("bundle_id").map { BundleId($0) },
            environment: try row.optionalText("environment").flatMap(AppStoreEnvironment.init(rawValue:)),
            externalPurchaseId: try row.optionalText("external_purchase_id").map { ExternalPurchaseId($0) },
            signedDate: try row.time("signed_date"),
            payload: try row.optionalText("payload"),
            arrival: try row.known("arrival"),
            receivedAt: try row.time("received_at"),
            effect: effect
        )
    }
}

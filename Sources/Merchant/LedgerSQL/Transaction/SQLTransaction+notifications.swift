import ExternalPurchaseCore
import Ledger

extension SQLTransaction {
    func notification(_ uuid: NotificationUUID) throws(LedgerError) -> StoredNotification? {
        try query("SELECT * FROM notifications WHERE uuid = ?", [uuid.rawValue]).decoded(NotificationRow.record).first
    }

    func notifications(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredNotification] {
        try query(.notifications, filter, page).decoded(NotificationRow.record)
    }

    func notificationsToDo(_ page: LedgerPage) throws(LedgerError) -> [StoredNotification] {
        try query(Query.notificationsToDo, [page.after, page.bound]).decoded(NotificationRow.record)
    }

    func newestNotification(
        ofType type: NotificationType,
        app bundleId: BundleId
    ) throws(LedgerError) -> StoredNotification? {
        try query(Query.newestNotification, [bundleId.rawValue, type.rawValue]).decoded(NotificationRow.record).first
    }

    func notifications(
        about token: ExternalPurchaseId,
        app bundleId: BundleId
    ) throws(LedgerError) -> [StoredNotification] {
        try query(Query.notificationsOfToken, [bundleId.rawValue, token.rawValue]).decoded(NotificationRow.record)
    }

    func isQuarantined(_ uuid: NotificationUUID, as reason: String) throws(LedgerError) -> Bool {
        try !rows("SELECT 1 FROM quarantined_notifications WHERE uuid = ? AND reason = ?", [uuid.rawValue, reason])
            .isEmpty
    }

    func quarantinedNotifications(_ page: LedgerPage) throws(LedgerError) -> [QuarantinedNotification] {
        try query(
            "SELECT * FROM quarantined_notifications WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [page.after, page.bound]
        ).decoded(QuarantinedNotificationRow.record)
    }

    func notificationRefusals() throws(LedgerError) -> [NotificationRefusals] {
        try query("SELECT * FROM notification_refusals ORDER BY failure", []).decoded { row throws(LedgerError) in
            NotificationRefusals(
                failure: try row.text("failure"),
                count: try row.integer("count"),
                lastAt: try row.time("last_at")
            )
        }
    }

    func notificationHistoryPosition(of scope: ReportingScope) throws(LedgerError) -> Timestamp? {
        try query(
            "SELECT position FROM notification_history WHERE bundle_id = ? AND environment = ?",
            [scope.bundleId.rawValue, scope.environment.rawValue]
        ).decoded { row throws(LedgerError) in try row.time("position") }.first
    }

    func insertRow(of notification: StoredNotification) throws(LedgerError) -> Int64 {
        try insert(notification, into: NotificationRow.table)
    }

    func finishRow(of uuid: NotificationUUID, _ effect: NotificationEffect) throws(LedgerError) -> Int64 {
        try change(NotificationRow.finishing, to: effect, at: uuid.rawValue, otherwise: "no such notification to do")
    }

    func insertRow(of notification: QuarantinedNotification) throws(LedgerError) -> Int64 {
        try insert(notification, into: QuarantinedNotificationRow.table)
    }

    func countRow(of failure: String, _ time: Timestamp) throws(LedgerError) -> Int64 {
        try run(
            """
            INSERT INTO notification_refusals (failure, count, last_at) VALUES (?, 1, ?)
            ON CONFLICT (failure) DO UPDATE SET count = notification_refusals.count + 1,
                last_at = CASE WHEN notification_refusals.last_at < excluded.last_at THEN excluded.last_at
                    ELSE notification_refusals.last_at END
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
}

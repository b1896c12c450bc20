package import ExternalPurchaseCore

extension LedgerQueries {
    package func notification(_ uuid: NotificationUUID) throws(LedgerError) -> StoredNotification? {
        try query("SELECT * FROM notifications WHERE uuid = ?", [uuid.rawValue]).decoded(NotificationRow.record).first
    }

    package func notifications(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError)
        -> [StoredNotification]
    {
        try query(.notifications, filter, page).decoded(NotificationRow.record)
    }

    /// Notifications that are not processed yet.
    package func notificationsToDo(_ page: LedgerPage) throws(LedgerError) -> [StoredNotification] {
        try query(Query.notificationsToDo, [page.after, page.bound]).decoded(NotificationRow.record)
    }

    /// An app's newest notification of a type by signing date, such as the last successful test (NT-69).
    package func newestNotification(
        ofType type: NotificationType,
        app bundleId: BundleId
    ) throws(LedgerError) -> StoredNotification? {
        try query(Query.newestNotification, [bundleId.rawValue, type.rawValue]).decoded(NotificationRow.record).first
    }

    /// Notifications about one token.
    package func notifications(
        about token: ExternalPurchaseId,
        app bundleId: BundleId
    ) throws(LedgerError) -> [StoredNotification] {
        try query(Query.notificationsOfToken, [bundleId.rawValue, token.rawValue]).decoded(NotificationRow.record)
    }

    /// Those of some notifications that are an app's.
    package func notifications(
        _ uuids: Set<NotificationUUID>,
        of bundleId: BundleId
    ) throws(LedgerError) -> Set<NotificationUUID> {
        let found = try queries(Query.notificationOfApp, withEach: uuids.map { [$0.rawValue, bundleId.rawValue] })
            .decoded(NotificationRow.uuid.read(from:))
        return Set(found.joined())
    }

    /// Whether the notification is already quarantined for that reason.
    package func isQuarantined(_ uuid: NotificationUUID, as reason: String) throws(LedgerError) -> Bool {
        try !rows("SELECT 1 FROM quarantined_notifications WHERE uuid = ? AND reason = ?", [uuid.rawValue, reason])
            .isEmpty
    }

    package func quarantinedNotifications(_ page: LedgerPage) throws(LedgerError) -> [QuarantinedNotification] {
        try query(
            "SELECT * FROM quarantined_notifications WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [page.after, page.bound]
        ).decoded(QuarantinedNotificationRow.record)
    }

    /// The refusal counters, sorted by failure name.
    package func notificationRefusals() throws(LedgerError) -> [NotificationRefusals] {
        try query("SELECT * FROM notification_refusals ORDER BY failure", []).decoded { row throws(LedgerError) in
            NotificationRefusals(
                failure: try row.text("failure"),
                count: try row.integer("count"),
                lastAt: try row.time("last_at")
            )
        }
    }

    /// The time up to which the notification history of an app was read (NT-68).
    package func notificationHistoryPosition(of scope: ReportingScope) throws(LedgerError) -> Timestamp? {
        try query(
            "SELECT position FROM notification_history WHERE bundle_id = ? AND environment = ?",
            [scope.bundleId.rawValue, scope.environment.rawValue]
        ).decoded { row throws(LedgerError) in try row.time("position") }.first
    }
}

extension LedgerTransaction {
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

extension LedgerTransaction {
    /// Stores a verified notification; one with a known UUID changes nothing (NT-60).
    ///
    /// - Returns: the notification as stored, and whether it is new.
    package func insert(
        _ notification: StoredNotification
    ) throws(LedgerError) -> (notification: StoredNotification, isNew: Bool) {
        if let known = try self.notification(notification.uuid) { return (known, false) }
        var notification = notification
        notification.sequence = try perform(.insertNotification(notification))
        return (notification, true)
    }

    /// Marks the processing of a notification as done.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when it is already done or not stored.
    package func finish(_ uuid: NotificationUUID, _ effect: NotificationEffect) throws(LedgerError) {
        try perform(.finishNotification(uuid, effect))
    }

    /// Stores a verified notification that is meant for another app or environment; a repetition changes nothing.
    package func quarantine(_ notification: QuarantinedNotification) throws(LedgerError) {
        if try isQuarantined(notification.uuid, as: notification.reason) { return }
        try perform(.quarantineNotification(notification))
    }

    /// Counts a refused request that claimed to be a notification.
    package func countRefusal(of failure: String, at time: Timestamp) throws(LedgerError) {
        try perform(.countRefusal(failure: failure, at: time))
    }

    /// Stores the time up to which an app's notification history was read; it never moves back (NT-68).
    package func moveHistoryPosition(of scope: ReportingScope, to position: Timestamp) throws(LedgerError) {
        if let known = try notificationHistoryPosition(of: scope), known >= position { return }
        try perform(.moveHistoryPosition(scope, position))
    }
}

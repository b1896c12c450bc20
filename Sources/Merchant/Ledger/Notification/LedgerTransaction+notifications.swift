package import ExternalPurchaseCore

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

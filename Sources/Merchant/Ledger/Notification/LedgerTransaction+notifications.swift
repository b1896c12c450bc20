package import ExternalPurchaseCore

extension LedgerTransaction {
    /// Stores a genuine notification; one whose UUID is known changes nothing (NT-60).
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

    /// Marks everything that follows from a notification as done.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when it was done before or is not stored.
    package func finish(_ uuid: NotificationUUID, _ effect: NotificationEffect) throws(LedgerError) {
        try perform(.finishNotification(uuid, effect))
    }

    /// Keeps a genuine notification that is meant for another app or environment; a repetition changes nothing.
    package func quarantine(_ notification: QuarantinedNotification) throws(LedgerError) {
        if try isQuarantined(notification.uuid, as: notification.reason) { return }
        try perform(.quarantineNotification(notification))
    }

    /// Counts something that claimed to be a notification and was refused.
    package func countRefusal(of failure: String, at time: Timestamp) throws(LedgerError) {
        try perform(.countRefusal(failure: failure, at: time))
    }

    /// Remembers up to when the notification history of an app was read; never moves back (NT-68).
    package func moveHistoryPosition(of scope: ReportingScope, to position: Timestamp) throws(LedgerError) {
        if let known = try notificationHistoryPosition(of: scope), known >= position { return }
        try perform(.moveHistoryPosition(scope, position))
    }
}

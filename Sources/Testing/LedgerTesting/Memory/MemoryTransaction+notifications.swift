import ExternalPurchaseCore
import Ledger

extension MemoryTransaction {
    func notification(_ uuid: NotificationUUID) -> StoredNotification? {
        ledger.notificationPlaces[uuid].map { ledger.notifications[$0] }
    }

    func notifications(matching filter: ListFilter, _ page: LedgerPage) -> [StoredNotification] {
        slice(ledger.notifications, page) { StoredNotification.listFields.matches($0, filter) }
    }

    func notificationsToDo(_ page: LedgerPage) -> [StoredNotification] {
        slice(ledger.notifications, page) { $0.effect == nil }
    }

    func newestNotification(ofType type: NotificationType, app bundleId: BundleId) -> StoredNotification? {
        // Of several with the same date, the one stored last, as returned by the database's index.
        ledger.notifications.filter { $0.type == type && $0.bundleId == bundleId }
            .max { ($0.signedDate, $0.sequence) < ($1.signedDate, $1.sequence) }
    }

    func notifications(about token: ExternalPurchaseId, app bundleId: BundleId) -> [StoredNotification] {
        ledger.notifications.filter { $0.externalPurchaseId == token && $0.bundleId == bundleId }
    }

    func isQuarantined(_ uuid: NotificationUUID, as reason: String) -> Bool {
        ledger.quarantinedNotifications.contains { $0.uuid == uuid && $0.reason == reason }
    }

    func quarantinedNotifications(_ page: LedgerPage) -> [QuarantinedNotification] {
        slice(ledger.quarantinedNotifications, page)
    }

    func notificationRefusals() -> [NotificationRefusals] {
        ledger.refusals.values.sorted { $0.failure.utf8.lexicographicallyPrecedes($1.failure.utf8) }
    }

    func notificationHistoryPosition(of scope: ReportingScope) -> Timestamp? { ledger.historyPositions[scope] }

    func add(_ notification: StoredNotification) throws(LedgerError) -> Int64 {
        guard ledger.notificationPlaces[notification.uuid] == nil else { throw .conflict("the UUID is known") }
        var notification = notification
        notification.sequence = Int64(ledger.notifications.count + 1)
        set(\.notificationPlaces, notification.uuid, ledger.notifications.count)
        return append(notification, to: \.notifications)
    }

    func finish(_ uuid: NotificationUUID, with effect: NotificationEffect) throws(LedgerError) {
        guard let place = ledger.notificationPlaces[uuid], ledger.notifications[place].effect == nil else {
            throw .conflict("no such notification to do")
        }
        var done = ledger.notifications[place]
        done.effect = effect
        replace(place, in: \.notifications, by: done)
    }

    func add(_ notification: QuarantinedNotification) -> Int64 {
        var notification = notification
        notification.sequence = Int64(ledger.quarantinedNotifications.count + 1)
        return append(notification, to: \.quarantinedNotifications)
    }

    func count(_ failure: String, _ time: Timestamp) {
        let old = ledger.refusals[failure]
        let counted = NotificationRefusals(
            failure: failure,
            count: (old?.count ?? 0) + 1,
            lastAt: max(old?.lastAt ?? time, time)
        )
        set(\.refusals, failure, counted)
    }
}

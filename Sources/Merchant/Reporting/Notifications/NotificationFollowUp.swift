import ExternalPurchaseCore
import Ledger

/// The action that a stored notification still requires (NT-63 to NT-66).
enum NotificationFollowUp: Hashable, Sendable {
    /// No action is required; contains the reason.
    case done(String)
    /// A report of the token has to be sent now.
    case report
    /// The decision has to wait until a given time.
    case wait(until: Timestamp)
    /// Apple considers the token unreported although it accepted this report, which has to be retrieved.
    case fetch(StoredReport)

    /// Decides on the action from the present state of the ledger.
    ///
    /// - Parameters:
    ///   - notification: the notification.
    ///   - unrecognizedWait: the time to wait for a device to deliver a token that only a notification has named
    ///     (NT-65).
    ///   - now: the current time.
    ///   - ledger: the ledger.
    static func of(
        _ notification: StoredNotification,
        unrecognizedWait: Duration,
        now: Timestamp,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> NotificationFollowUp {
        guard let bundleId = notification.bundleId, let id = notification.externalPurchaseId,
            let token = try ledger.token(id, of: bundleId)
        else { return .done("it names no token") }
        let reports = try ledger.reports(on: id, of: bundleId)
        if let open = reports.first(where: { $0.state.isOpen && $0.state != .needsAttention }) {
            return .done("report \(open.requestIdentifier) is on its way")
        }
        if notification.subtype == .activeTokenReminder {
            // Decided duplicates and delayed sales are reported now; a token without either waits for its due date.
            return .report
        }
        if let accepted = reports.last(where: { $0.state == .accepted }) { return .fetch(accepted) }
        if let held = reports.first(where: { $0.state == .needsAttention }) {
            return .done("report \(held.requestIdentifier) waits for a person")
        }
        if token.isKnownFromNotificationsOnly {
            let moment = notification.receivedAt + unrecognizedWait
            if moment > now, !notification.receivedAt.isAhead(of: now) { return .wait(until: moment) }
        }
        return .report
    }
}

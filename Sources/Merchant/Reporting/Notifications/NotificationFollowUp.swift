import ExternalPurchaseCore
import Ledger

/// What a stored notification still asks for (NT-63 to NT-66).
enum NotificationFollowUp: Hashable, Sendable {
    /// Nothing more: why.
    case done(String)
    /// A report of the token, now.
    case report
    /// The same, not before a moment.
    case wait(until: Timestamp)
    /// Apple says that a token is unreported whose report it accepted: ask for that report.
    case ask(StoredReport)

    /// Decides by what the ledger knows now.
    ///
    /// - Parameter unrecognizedWait: how long a device may still deliver a token that only Apple has named, ms (NT-65).
    static func of(
        _ notification: StoredNotification,
        unrecognizedWait: Int64,
        now: Timestamp,
        in ledger: any LedgerQueries
    ) throws(LedgerError) -> NotificationFollowUp {
        guard let bundleId = notification.bundleId, let id = notification.externalPurchaseId,
            let token = try ledger.token(id, of: bundleId)
        else { return .done("it names no token") }
        let reports = try ledger.reports(on: id, of: bundleId)
        if let open = reports.first(where: { $0.state.isOpen && $0.state != .needsAttention }) {
            return .done("report \(open.requestIdentifier) is on its way")
        }
        if notification.subtype == .activeTokenReminder {
            // Duplicates that are decided and sales that rest go now; a token without either waits for its due date.
            return .report
        }
        if let accepted = reports.last(where: { $0.state == .accepted }) { return .ask(accepted) }
        if let held = reports.first(where: { $0.state == .needsAttention }) {
            return .done("report \(held.requestIdentifier) waits for a person")
        }
        if token.isKnownFromNotificationsOnly {
            let moment = notification.receivedAt.advanced(byMilliseconds: unrecognizedWait)
            if moment > now { return .wait(until: moment) }
        }
        return .report
    }
}

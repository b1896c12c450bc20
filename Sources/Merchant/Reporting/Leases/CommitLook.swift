import Ledger

/// What new entries of the audit log call for at a server that did not make them.
struct CommitLook: Sendable {
    /// The newest entry; nil for an empty ledger.
    var newest: Int64?
    /// Whether held sales may find what they waited for.
    var mayAttributeSales = false
    var mayFollowNotifications = false

    /// The number of entries that are read; after more of them everything is looked at.
    private static let most = 500
    /// The entries after which no held sale finds what it waited for; a new sale that ties its checkout has an entry of that, too.
    private static let others: Set<String> = [
        "sale-stored", "customer-seen", "payment-event-stored", "payment-event-changed", "payment-object-fetched",
        "report-written", "report-changed", "sale-attributed", "notification-stored", "notification-done",
        "notification-set-aside", "attention-opened", "escalated", "escalation-delivered", "key-created", "key-revoked",
        "user-password-set", "user-removed", "user-role-set", "history-read", "webhook-redelivered",
    ]

    init(after seen: Int64?, in ledger: LedgerQueries) throws(LedgerError) {
        newest = try ledger.lastAuditEntry()?.sequence
        guard let seen, let newest, newest > seen else { return }
        let entries = try ledger.auditEntries(LedgerPage(after: seen, limit: Self.most))
        let isMore = entries.count == Self.most
        mayAttributeSales = isMore || entries.contains { !Self.others.contains($0.kind) }
        mayFollowNotifications = isMore || entries.contains { $0.kind == "notification-stored" }
    }
}

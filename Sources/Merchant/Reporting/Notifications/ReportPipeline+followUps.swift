import AppStoreServerClient
import ExternalPurchaseCore
import Ledger
import Logging

/// Carries out the actions that stored notifications require (NT-63 to NT-66).
extension ReportPipeline {
    /// The work that stored notifications require.
    struct FollowUps: Hashable, Sendable {
        /// The time at which the next waiting notification can be handled.
        var next: Timestamp?
    }

    /// Handles the notifications whose effect is not done (NT-63 to NT-66).
    func followNotifications() async throws(LedgerError) -> FollowUps {
        var followUps = FollowUps()
        var page = LedgerPage(limit: 200)
        while true {
            let (wait, current, clock) = (settings.unrecognizedWait, page, dependencies.now)
            let decided = try await store.read { ledger throws(LedgerError) in
                var decided: [(StoredNotification, NotificationFollowUp)] = []
                let notifications = try ledger.notificationsToDo(current)
                // Read after them, so that none was received later than now.
                let now = clock()
                for notification in notifications {
                    let next = try NotificationFollowUp.of(notification, unrecognizedWait: wait, now: now, in: ledger)
                    decided.append((notification, next))
                }
                return decided
            }
            for (notification, next) in decided { try await follow(notification, next, &followUps) }
            guard decided.count == page.limit, let last = decided.last else { return followUps }
            page.after = last.0.sequence
        }
    }

    private func follow(
        _ notification: StoredNotification,
        _ next: NotificationFollowUp,
        _ followUps: inout FollowUps
    ) async throws(LedgerError) {
        guard let bundleId = notification.bundleId, let token = notification.externalPurchaseId else {
            return try await finish(notification, "it names no token")
        }
        let scope = ReportingScope(bundleId: bundleId, environment: token.environment)
        switch next {
        case .done(let detail):
            try await finish(notification, detail)
        case .wait(let moment):
            followUps.next = min(followUps.next ?? moment, moment)
        case .report where apps[bundleId]?.environments.contains(token.environment) != true:
            try await finish(
                notification,
                "the app has no base URL for \(token.environment.rawValue): the token is held"
            )
        case .report:
            let isReminder = notification.subtype == .activeTokenReminder
            if isReminder, try await !callsForReport(token, in: scope) {
                return try await finish(notification, "nothing waits to be reported")
            }
            let now = dependencies.now()
            try await store.write { ledger throws(LedgerError) in
                let detail = "what the token calls for is reported now"
                try ledger.finish(notification.uuid, NotificationEffect(doneAt: now, detail: detail))
                try ledger.requestReport(of: token, in: scope)
            }
        case .fetch(let report):
            if try await !fetch(for: report, because: notification) {
                // Apple gave no response, so the retrieval is repeated after a minute.
                let again = dependencies.now() + .minutes(1)
                followUps.next = min(followUps.next ?? again, again)
            }
        }
    }

    /// Returns whether the token has delayed sales or is a decided duplicate (NT-63).
    private func callsForReport(_ token: ExternalPurchaseId, in scope: ReportingScope) async throws(LedgerError) -> Bool
    {
        let (settings, now) = (settings, dependencies.now())
        return try await store.read { ledger throws(LedgerError) in
            let plan = try MerchantPlanner.plan(
                settings,
                touching: [.token(token)],
                of: scope.bundleId,
                extent: .pending,
                in: ledger,
                now: now
            ).plan
            return switch plan.tokens[token]?.report {
            case .lineItems(let ready, _): !ready.isEmpty
            case .status(let status): status == .duplicateToken
            case .nothing, nil: false
            }
        }
    }

    /// Retrieves an accepted report whose token Apple considers unreported; Apple's copy decides (NT-66).
    ///
    /// - Returns: false if Apple gave no conclusive response.
    private func fetch(
        for report: StoredReport,
        because notification: StoredNotification
    ) async throws(LedgerError) -> Bool {
        guard let client = apps[report.scope.bundleId]?.client else { return false }
        let answered = await client.retrieve(report.requestIdentifier, environment: report.scope.environment)
        switch answered.outcome {
        case .found:
            try await finish(notification, "Apple has report \(report.requestIdentifier) of the token")
            return true
        case .notFound:
            let now = dependencies.now()
            try await store.write { ledger throws(LedgerError) in
                _ = try ledger.open(
                    ReviewItem(
                        bundleId: report.scope.bundleId,
                        kind: .unreportedButAccepted,
                        subject: .token(report.externalPurchaseId),
                        detail:
                            "Apple accepted report \(report.requestIdentifier) of this token and does not have it any "
                            + "more; ask Apple before sending it again",
                        openedAt: now
                    )
                )
            }
            try await finish(
                notification,
                "Apple does not have report \(report.requestIdentifier): a person is requested"
            )
            return true
        case .refused, .unauthorized, .rateLimited, .serverError, .noAnswer:
            logger.warning("an unreported token waits for Apple's copy of its report")
            return false
        }
    }

    private func finish(_ notification: StoredNotification, _ detail: String) async throws(LedgerError) {
        let now = dependencies.now()
        try await store.write { ledger throws(LedgerError) in
            try ledger.finish(notification.uuid, NotificationEffect(doneAt: now, detail: detail))
        }
    }
}

package import AppStoreNotifications
import ExternalPurchaseCore
package import Ledger
import Logging

/// The outcome of a received notification.
package enum NotificationOutcome: Hashable, Sendable {
    /// The notification is genuine and new; it is stored with the token that it names.
    case stored(StoredNotification)
    /// The UUID of the notification is known; nothing was changed (NT-60).
    case known
    /// The notification is not genuine or not for this server.
    case refused(NotificationRefusal)
}

/// The outcome of a notification from the history.
struct FoundNotification: Hashable, Sendable {
    let outcome: NotificationOutcome
    /// The signing date; nil if the notification is not genuine.
    let signedDate: Timestamp?
}

/// Verifies App Store notifications and records each genuine one once (spec/06 section 6).
///
/// The effects of a notification are committed with it, or carried out later by ``ReportSender``, so that the response
/// to Apple never waits for a report (NT-60).
package struct NotificationIntake: Sendable {
    let store: any LedgerStore
    let apps: [BundleId: RegisteredApp]
    /// Verifies notifications; nil refuses all of them.
    let verifier: (any NotificationVerifying)?
    let planner: MerchantPlanner
    let dependencies: ReportingDependencies
    let logger: Logger
    let signals: SenderSignals

    /// Records the body of a delivery (spec/06 section 6).
    ///
    /// - Throws: ``RequestError/notStored(_:)``.
    package func receive(body: [UInt8]) async throws(RequestError) -> NotificationOutcome {
        guard let verifier else { return .refused(NotificationRefusal(.chainUntrusted)) }
        let outcome: NotificationOutcome
        do {
            outcome = try await recordDelivery(body, verifier)
        } catch {
            throw .notStored(error)
        }
        try await signal(outcome)
        return outcome
    }

    /// Records a notification that was found in the history (NT-68).
    ///
    /// - Throws: ``RequestError/notStored(_:)``.
    func takeFound(_ signedPayload: String) async throws(RequestError) -> FoundNotification {
        guard let verifier else {
            return FoundNotification(outcome: .refused(NotificationRefusal(.chainUntrusted)), signedDate: nil)
        }
        let found: FoundNotification
        do {
            found = try await record(signedPayload, arrival: .history, verifier)
        } catch {
            throw .notStored(error)
        }
        try await signal(found.outcome)
        return found
    }

    private func signal(_ outcome: NotificationOutcome) async throws(RequestError) {
        guard case .stored(let notification) = outcome else { return }
        signals.notificationStored()
        guard let bundleId = notification.bundleId, let id = notification.externalPurchaseId else { return }
        let token = try await store.shortRead { ledger throws(LedgerError) in try ledger.token(id, of: bundleId) }
        if token != nil { signals.tokenStored() }
    }

    private func recordDelivery(
        _ body: [UInt8],
        _ verifier: any NotificationVerifying
    ) async throws(LedgerError) -> NotificationOutcome {
        let signedPayload: String
        do throws(NotificationRefusal) {
            signedPayload = try NotificationBody.signedPayload(in: body)
        } catch {
            return try await refuse(error, payload: nil)
        }
        return try await record(signedPayload, arrival: .delivered, verifier).outcome
    }

    /// Records a signed payload from a delivery or from the history (NT-68, NT-84).
    ///
    /// - Returns: the outcome, and the signing date of a genuine notification.
    private func record(
        _ signedPayload: String,
        arrival: NotificationArrival,
        _ verifier: any NotificationVerifying
    ) async throws(LedgerError) -> FoundNotification {
        let payload: NotificationPayload
        do throws(NotificationRefusal) {
            payload = try await verifier.payload(of: signedPayload)
        } catch {
            return FoundNotification(outcome: try await refuse(error, payload: signedPayload), signedDate: nil)
        }
        if dependencies.now() < payload.signedDate { await dependencies.refresh() }
        // Not the signing date where this clock is still behind it: that would look like a moment which a clock that
        // was ahead has written, so that nothing would wait for a device (NT-65, SA-75).
        let now = dependencies.now()
        // For types without effect only the name is stored (NT-69).
        let isKept = payload.externalPurchaseToken != nil || payload.notificationType == .test
        let notification = StoredNotification(
            uuid: payload.notificationUUID,
            type: payload.notificationType,
            subtype: payload.subtype,
            bundleId: payload.bundleId,
            environment: payload.environment?.known,
            externalPurchaseId: payload.externalPurchaseToken?.externalPurchaseId,
            signedDate: payload.signedDate,
            payload: isKept ? signedPayload : nil,
            arrival: arrival,
            receivedAt: now
        )
        var endpoint = BaseURLStatus.configured
        if let token = payload.externalPurchaseToken, let app = apps[token.bundleId],
            !app.environments.contains(token.environment)
        {
            endpoint = .missing
        }
        let planner = planner
        let outcome = try await store.write { [endpoint] ledger throws(LedgerError) -> NotificationOutcome in
            let (stored, isNew) = try ledger.insert(notification)
            guard isNew else { return .known }
            let detail = try Self.recordToken(
                of: payload,
                at: now,
                endpoint,
                planner: planner,
                in: ledger
            )
            if let detail { try ledger.finish(stored.uuid, NotificationEffect(doneAt: now, detail: detail)) }
            return .stored(stored)
        }
        return FoundNotification(outcome: outcome, signedDate: payload.signedDate)
    }

    /// Records the token that a notification names (NT-61, NT-62).
    ///
    /// - Returns: the effect as text if no further action is required; otherwise nil.
    private static func recordToken(
        of payload: NotificationPayload,
        at now: Timestamp,
        _ endpoint: BaseURLStatus,
        planner: MerchantPlanner,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> String? {
        guard let token = payload.externalPurchaseToken else {
            return payload.notificationType == .test ? "the test arrived" : "no effect: not about external purchases"
        }
        let candidate = StoredToken(
            token: token,
            text: nil,
            state: .confirmed,
            firstSeen: FirstSeen(source: .notification, time: now),
            checkoutId: CheckoutId(of: token),
            endpoint: endpoint
        )
        let merged = try ledger.merge(candidate)
        if merged.contradicts {
            _ = try ledger.open(
                ReviewItem(
                    bundleId: token.bundleId,
                    kind: .contradiction,
                    subject: .token(token.externalPurchaseId),
                    detail: "a notification gives the token other dates, type or app than it came with; "
                        + "compare its sightings",
                    openedAt: now
                )
            )
        }
        try planner.replan(
            touching: [.token(token.externalPurchaseId)]
                + (try ledger.salesKeys(claimedBy: token.externalPurchaseId, app: token.bundleId)),
            of: token.bundleId,
            extent: .pending,
            in: ledger,
            now: now
        )
        switch payload.subtype {
        case .unreported, .activeTokenReminder: return nil
        case .created: return merged.outcome == .new ? "the token is on record" : "the token was on record"
        default: return "the token is on record; the subtype is not known"
        }
    }

    private func refuse(
        _ refusal: NotificationRefusal,
        payload: String?
    ) async throws(LedgerError) -> NotificationOutcome {
        let now = dependencies.now()
        // The payload of a notification that is not genuine is neither stored nor logged (NT-39).
        logger.warning("notification refused", metadata: ["failure": "\(refusal.failure.rawValue)"])
        try await store.write { ledger throws(LedgerError) in
            try ledger.countRefusal(of: refusal.failure.rawValue, at: now)
            guard let uuid = refusal.payload?.notificationUUID, let payload else { return }
            try ledger.quarantine(
                QuarantinedNotification(uuid: uuid, reason: refusal.failure.rawValue, payload: payload, receivedAt: now)
            )
        }
        return .refused(refusal)
    }
}

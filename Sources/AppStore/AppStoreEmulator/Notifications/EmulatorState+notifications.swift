import ExternalPurchaseCore
import SwiftASN1
import X509

extension EmulatorState {
    // MARK: Making

    /// Creates a notification about a token and schedules its first delivery attempt.
    @discardableResult
    func notify(
        _ subtype: NotificationSubtype,
        of token: ExternalPurchaseToken,
        tampering: NotificationTampering? = nil
    ) -> NotificationRecord {
        let payload = NotificationPayload(
            notificationType: .externalPurchaseToken,
            subtype: subtype,
            notificationUUID: freshNotificationUUID(),
            signedDate: now,
            externalPurchaseToken: token
        )
        return make(payload, for: token.bundleId, in: token.environment, tampering: tampering)
    }

    /// Creates a test notification (NT-70 to NT-73).
    ///
    /// - Returns: the token of its status; nil when the app has no URL for the environment.
    func test(_ bundleId: BundleId, in environment: AppStoreEnvironment) -> String? {
        guard let app = apps[bundleId], app.notificationURLs?.address(in: environment) != nil else { return nil }
        let payload = NotificationPayload(
            notificationType: .test,
            notificationUUID: freshNotificationUUID(),
            signedDate: now,
            data: NotificationData(
                bundleId: bundleId,
                appAppleId: environment == .production ? app.appAppleId : nil,
                environment: NotificationEnvironment(environment)
            )
        )
        let token = "\(dependencies.uuidText())_\(now.milliseconds)"
        make(payload, for: bundleId, in: environment, testNotificationToken: token)
        return token
    }

    /// Returns a random id that no notification has.
    ///
    /// After a restart with the same seed, the generator repeats its bytes.
    private func freshNotificationUUID() -> NotificationUUID {
        var text = dependencies.uuidText()
        for _ in 0..<4 * (notifications.records.count + 64) where notifications[text] != nil {
            text = dependencies.uuidText()
        }
        return NotificationUUID(rawValue: text)
    }

    @discardableResult
    private func make(
        _ payload: NotificationPayload,
        for bundleId: BundleId,
        in environment: AppStoreEnvironment,
        tampering: NotificationTampering? = nil,
        testNotificationToken: String? = nil
    ) -> NotificationRecord {
        let hasAddress = apps[bundleId]?.notificationURLs?.address(in: environment) != nil
        var record = NotificationRecord(
            id: payload.notificationUUID.rawValue,
            bundleId: bundleId,
            environment: environment,
            type: payload.notificationType,
            subtype: payload.subtype,
            externalPurchaseId: payload.externalPurchaseToken?.externalPurchaseId,
            madeAt: now,
            signedPayload: hasAddress ? signed(payload, tampering: tampering) : nil,
            testNotificationToken: testNotificationToken,
            tampering: tampering
        )
        if record.signedPayload != nil { record.nextAttempt = now }
        keep(record)
        clock.recordEvent(machine: dependencies.now())
        if let moment = record.nextAttempt {
            plan(DueEvent(moment: moment, kind: .attempt(record.id)))
            wake()
        }
        return record
    }

    /// Signs a payload; nil when no certificate can be issued any more, as after the end of the chain in 2045.
    private func signed(_ payload: NotificationPayload, tampering: NotificationTampering?) -> String? {
        if tampering == nil, let seal = dependencies.seal { return seal(payload.encoded()) }
        do {
            if try chain.renew(at: now, dependencies: dependencies) { store(.chain(ChainRecord(chain))) }
            return try tampering?.signed(payload, by: chain, dependencies: dependencies)
                ?? chain.signed(payload.encoded())
        } catch {
            return nil
        }
    }

    private func keep(_ record: NotificationRecord) {
        notifications.record(record)
        store(.notification(StoredNotification(record)))
        events.send(.notification(record, at: now))
    }

    // MARK: Delivering

    /// Makes one delivery attempt, and schedules the next one when it fails (NT-51).
    func attempt(_ id: NotificationRecord.ID) async {
        guard let record = notifications[id], record.nextAttempt != nil, let signedPayload = record.signedPayload,
            let address = apps[record.bundleId]?.notificationURLs?.address(in: record.environment)
        else { return }
        let (began, date) = (generation, now)
        let result = await sender.deliver(
            signedPayload,
            to: address,
            timeout: settings.notifications.timeout,
            isBodyTampered: record.tampering == .bodyUnreadable
        )
        // A reset in the meantime removed the notification; an interrupted attempt does not count.
        guard generation == began, !Task.isCancelled, var record = notifications[id] else { return }
        record.attempts.append(DeliveryAttempt(date: date, result: result))
        record.nextAttempt = nil
        let waits = NotificationRecord.waits(in: record.environment)
        if result != .success, record.attempts.count <= waits.count {
            let next = date.advanced(by: waits[record.attempts.count - 1])
            record.nextAttempt = next
            plan(DueEvent(moment: next, kind: .attempt(id)))
        }
        keep(record)
        wake()
    }

    // MARK: Control

    /// Sends a notification about a token now and waits for its first delivery attempt (NT-94).
    func send(_ order: NotificationOrder) async throws(EmulatorInputError) -> NotificationRecord {
        guard let token = tokens[order.externalPurchaseId]?.token else {
            throw EmulatorInputError(
                "unknown-token",
                field: "externalPurchaseId",
                "no token \(order.externalPurchaseId) is on record; POST /emulator/v1/tokens mints or registers one"
            )
        }
        let made = notify(order.subtype, of: token, tampering: order.tampering)
        await settle(until: now)
        return notifications[made.id] ?? made
    }

    /// The root certificate as DER (NT-92).
    var rootCertificate: [UInt8] { chain.root.der }

    /// The root certificate as PEM (NT-92).
    var rootPEM: [UInt8] {
        get throws(EmulatorInputError) {
            do {
                return Array(try chain.root.certificate.serializeAsPEM().pemString.utf8) + [0x0A]
            } catch {
                throw EmulatorInputError("no-root", "the root cannot be written: \(error)")
            }
        }
    }
}

/// The request of `POST /emulator/v1/notifications`.
struct NotificationOrder: Sendable {
    var externalPurchaseId: ExternalPurchaseId
    var subtype: NotificationSubtype
    var tampering: NotificationTampering?
}

extension NotificationURLs {
    func address(in environment: AppStoreEnvironment) -> String? {
        environment == .production ? production : sandbox
    }
}

package import ExternalPurchaseCore
package import Ledger
import Logging
package import Payments
import Synchronization

/// Receives events of Stripe: verifies each, stores it once, and applies it in the same transaction.
///
/// An event that cannot be applied yet stays stored and is applied again when a connected event or a fetched object
/// arrives, so that the order of deliveries does not matter.
package struct StripeIntake: Sendable {
    let application: StripeApplication
    let store: any LedgerStore
    let settings: StripeSettings
    let dependencies: ReportingDependencies
    let logger: Logger
    let signals: SenderSignals
    let worker: StripeWorker

    /// The outcome of a delivery.
    package enum Outcome: Hashable, Sendable {
        case stored(StoredPaymentEvent, isNew: Bool)
        /// The signature is wrong; nothing is stored.
        case refused(StripeSignature.Failure)
        /// The body is signed, but it is not an event.
        case unreadable(StripeEventError)
    }

    /// Receives the body of a webhook request.
    ///
    /// - Parameters:
    ///   - body: the bytes as received.
    ///   - signature: the value of the header `Stripe-Signature`.
    ///   - machineTime: the machine's clock, with which the signature's time is compared, also if the server follows
    ///     another clock.
    /// - Throws: ``RequestError/notStored(_:)``.
    package func receive(
        body: [UInt8],
        signature: String?,
        machineTime: Timestamp
    ) async throws(RequestError) -> Outcome {
        let secrets = settings.entries.flatMap { entry in
            entry.signingSecrets.map { (secret: $0, bundleId: entry.account.bundleId) }
        }
        let match: Int
        do throws(StripeSignature.Failure) {
            match = try StripeSignature.verify(
                body,
                header: signature,
                secrets: secrets.map(\.secret),
                now: machineTime
            )
        } catch {
            logger.warning("a Stripe event was refused", metadata: ["failure": "\(error)"])
            return .refused(error)
        }
        let event: StripeEvent
        do throws(StripeEventError) {
            event = try StripeEvent(body: body)
        } catch {
            return .unreadable(error)
        }
        // Entries that share a signing secret share an account; metadata then selects the app.
        let apps = Set(secrets.filter { $0.secret == secrets[match].secret }.map(\.bundleId)).sorted()
        return try await receive(event, of: apps, arrival: .delivered)
    }

    /// Stores and applies an event whose origin is verified.
    package func receive(
        _ event: StripeEvent,
        of apps: [BundleId],
        arrival: PaymentEventArrival
    ) async throws(RequestError) -> Outcome {
        let now = dependencies.now()
        if event.created > now { await dependencies.refresh() }
        let arrived = StoredPaymentEvent(event, of: apps, arrival: arrival, receivedAt: now)
        do throws(LedgerError) {
            return try await storeAndApply(arrived)
        } catch {
            // Stripe repeats a refused event for three days only: it is stored even if it cannot be applied now.
            logger.error("an event of Stripe is not applied", metadata: ["event": "\(event.id)", "reason": "\(error)"])
        }
        do throws(LedgerError) {
            let (stored, isNew) = try await store.write { ledger throws(LedgerError) in try ledger.insert(arrived) }
            worker.wake(for: stored.eventId)
            return .stored(stored, isNew: isNew)
        } catch {
            throw .notStored(error)
        }
    }

    private func storeAndApply(_ arrived: StoredPaymentEvent) async throws(LedgerError) -> Outcome {
        let (event, isNew, applied) = try await store.write { ledger throws(LedgerError) in
            let (stored, isNew) = try ledger.insert(arrived)
            guard isNew else { return (stored, false, StripeApplication.Applied()) }
            let applied = try application.apply(groupOf: stored, in: ledger)
            return (try ledger.paymentEvent(stored.eventId, of: .stripe) ?? stored, true, applied)
        }
        finish(applied, of: event.eventId)
        if isNew { worker.wake(afterArrivalOf: event) }
        return .stored(event, isNew: isNew)
    }

    /// Notifies the sender, and requests what the event waits for.
    private func finish(_ applied: StripeApplication.Applied, of id: PaymentEventId) {
        application.signal(applied)
        if applied.needsFetch { worker.wake(for: id) }
    }

    /// Applies an event again, after the configuration or the ledger changed.
    ///
    /// - Throws: ``RequestError/unknown(_:)`` for an unknown event.
    package func applyAgain(_ id: PaymentEventId) async throws(RequestError) -> StoredPaymentEvent {
        let applied: (event: StoredPaymentEvent?, StripeApplication.Applied)
        do throws(LedgerError) {
            applied = try await store.write { ledger throws(LedgerError) in
                guard let stored = try ledger.paymentEvent(id, of: .stripe) else {
                    return (nil, StripeApplication.Applied())
                }
                let applied = try application.apply(groupOf: stored, in: ledger)
                return (try ledger.paymentEvent(id, of: .stripe), applied)
            }
        } catch {
            throw .notStored(error)
        }
        guard let event = applied.event else { throw .unknown("there is no event \(id.rawValue.quoted)") }
        finish(applied.1, of: id)
        return event
    }

    /// An event that the present interpretation reads otherwise than the one that was applied.
    package struct Reinterpreted: Hashable, Sendable {
        package let before: StoredPaymentEvent
        package let now: PaymentEventResult
    }

    /// Applies the present interpretation to stored events, each payment in a transaction of its own.
    ///
    /// - Parameters:
    ///   - start: the earliest creation time of the events; nil for all.
    ///   - isDryRun: true if nothing is changed.
    ///   - report: gets each event whose state or sales change.
    /// - Throws: ``RequestError/notStored(_:)``; what was reported before is stored.
    package func reinterpret(
        since start: Timestamp?,
        isDryRun: Bool,
        report: (Reinterpreted) -> Void
    ) async throws(RequestError) {
        // The later events of payments that were read with an earlier one.
        var read: Set<PaymentEventId> = []
        var page = LedgerPage(limit: 500)
        do throws(LedgerError) {
            while true {
                let position = page
                let events = try await store.read { ledger throws(LedgerError) in
                    try ledger.paymentEvents(matching: ListFilter(), position)
                }
                for event in events where read.remove(event.eventId) == nil && event.result.state != .dismissed {
                    if let start, event.createdAt < start { continue }
                    let (applied, changes) = try await reapply(event, isDryRun: isDryRun)
                    read.formUnion(applied.events.lazy.filter { $0.sequence > event.sequence }.map(\.eventId))
                    if !isDryRun { finish(applied, of: event.eventId) }
                    for change in changes { report(change) }
                }
                guard let last = events.last else { return }
                page.after = last.sequence
            }
        } catch {
            throw .notStored(error)
        }
    }

    private func reapply(
        _ event: StoredPaymentEvent,
        isDryRun: Bool
    ) async throws(LedgerError) -> (StripeApplication.Applied, [Reinterpreted]) {
        let found = Mutex((StripeApplication.Applied(), [Reinterpreted]()))
        do throws(LedgerError) {
            try await store.write { ledger throws(LedgerError) in
                let applied = try application.apply(groupOf: event, in: ledger)
                var changes: [Reinterpreted] = []
                for before in applied.events {
                    guard let now = try ledger.paymentEvent(before.eventId, of: .stripe)?.result else { continue }
                    let isSame = now.state == before.result.state && now.sales == before.result.sales
                    if !isSame { changes.append(Reinterpreted(before: before, now: now)) }
                }
                found.withLock { $0 = (applied, changes) }
                // Nothing of a dry run is committed.
                if isDryRun { throw .stopped }
            }
        } catch .stopped where isDryRun {
            return found.withLock(\.self)
        }
        return found.withLock(\.self)
    }

    /// Sets an event aside that is held or waits; it counts nowhere until it is applied again.
    ///
    /// - Throws: ``RequestError/unknown(_:)`` for an unknown event; ``RequestError/conflict(_:)`` for one that is decided.
    package func dismiss(
        _ id: PaymentEventId,
        reason: String,
        by author: String?
    ) async throws(RequestError) -> StoredPaymentEvent {
        let dismissed: (event: StoredPaymentEvent?, StripeApplication.Applied?)
        do throws(LedgerError) {
            dismissed = try await store.write { ledger throws(LedgerError) in
                guard let stored = try ledger.paymentEvent(id, of: .stripe) else { return (nil, nil) }
                switch stored.result.state {
                case .applied, .notUsed: return (stored, nil)
                case .dismissed: return (stored, StripeApplication.Applied())
                case .received, .waiting, .held: break
                }
                let applied = try application.dismiss(stored, reason: reason, by: author, in: ledger)
                return (try ledger.paymentEvent(id, of: .stripe), applied)
            }
        } catch {
            throw .notStored(error)
        }
        guard let event = dismissed.event else { throw .unknown("there is no event \(id.rawValue.quoted)") }
        guard let applied = dismissed.1 else {
            throw .conflict(
                "the event is \(event.result.state.rawValue): only one that is held or waits can be set aside"
            )
        }
        application.signal(applied)
        return event
    }
}

extension StoredPaymentEvent {
    /// Creates the row of an event of Stripe, with the members that its application uses.
    init(_ event: StripeEvent, of apps: [BundleId], arrival: PaymentEventArrival, receivedAt: Timestamp) {
        self.init(
            eventId: PaymentEventId(event.id),
            provider: .stripe,
            apps: apps,
            bundleId: apps.count == 1 ? apps.first : apps.first { $0 == event.bundleId },
            type: event.type,
            isLive: event.isLive,
            createdAt: event.created,
            arrival: arrival,
            receivedAt: receivedAt,
            content: event.reduced,
            customerId: event.customerId,
            objects: Set(event.objectIds.map(\.rawValue)).union(event.references.map(\.name))
        )
    }
}

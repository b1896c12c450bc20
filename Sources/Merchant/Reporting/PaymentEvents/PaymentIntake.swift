package import ExternalPurchaseCore
package import Ledger
import Logging
package import Payments
import Synchronization

/// Receives payment events: verifies each, stores it once, and applies it in the same transaction.
///
/// An event that cannot be applied yet stays stored and is applied again when a connected event or a fetched object
/// arrives, so that the order of deliveries does not matter.
package struct PaymentIntake: Sendable {
    let application: PaymentApplication
    let store: any LedgerStore
    let sources: PaymentSources
    let dependencies: ReportingDependencies
    let logger: Logger
    let signals: SenderSignals
    let worker: PaymentWorker

    /// The outcome of a delivery.
    package enum Outcome: Hashable, Sendable {
        case stored(StoredPaymentEvent, isNew: Bool)
        /// Nothing is stored.
        case refused(PaymentRefusal)
    }

    /// Whether payments of a provider are received.
    package func receives(_ provider: PaymentProvider) -> Bool { sources[provider] != nil }

    /// Receives a webhook request of a provider.
    ///
    /// - Throws: ``RequestError/notStored(_:)``; ``RequestError/unknown(_:)`` where the configuration has no entry of the
    ///   provider; ``RequestError/conflict(_:)`` for a known id with other content, where the provider's ids are those of states.
    package func receive(
        _ delivery: PaymentDelivery,
        of provider: PaymentProvider
    ) async throws(RequestError) -> Outcome {
        let source = try source(of: provider)
        let event: PaymentEvent
        do throws(PaymentRefusal) {
            event = try source.receive(delivery)
        } catch {
            if case .signature = error {
                logger.warning("an event of \(provider.title) was refused", metadata: ["failure": "\(error)"])
            }
            return .refused(error)
        }
        return try await receive(event, of: provider, arrival: .delivered)
    }

    private func source(of provider: PaymentProvider) throws(RequestError) -> any PaymentSource {
        guard let source = sources[provider] else {
            throw .unknown("the configuration has no entry of \(provider.title)")
        }
        return source
    }

    /// Stores and applies an event whose origin is verified.
    package func receive(
        _ event: PaymentEvent,
        of provider: PaymentProvider,
        arrival: PaymentEventArrival
    ) async throws(RequestError) -> Outcome {
        let now = dependencies.now()
        if event.createdAt > now { await dependencies.refresh() }
        let arrived = StoredPaymentEvent(event, of: provider, arrival: arrival, receivedAt: now)
        let provided = try source(of: provider).object(provided: event)
        let stored: (event: StoredPaymentEvent, isNew: Bool)
        do throws(LedgerError) {
            stored = try await storeAndApply(arrived, provided)
        } catch {
            // A provider repeats a refused event for some days only: it is stored even if it cannot be applied now.
            logger.error(
                "an event of \(provider.title) is not applied",
                metadata: ["event": "\(event.id)", "reason": "\(error)"]
            )
            do throws(LedgerError) {
                stored = try await store.write { ledger throws(LedgerError) in try ledger.insert(arrived) }
                worker.wake(for: PaymentWorker.Key(stored.event))
            } catch {
                throw .notStored(error)
            }
        }
        if event.isExact, !stored.isNew, try await !says(stored.event, event) {
            throw .conflict("\(event.id) is known with other content; a changed state has a higher version")
        }
        return .stored(stored.event, isNew: stored.isNew)
    }

    /// Whether a repeated event has the content that is stored, in which an erased customer has a pseudonym.
    private func says(_ stored: StoredPaymentEvent, _ event: PaymentEvent) async throws(RequestError) -> Bool {
        if stored.content == event.content { return true }
        guard let known = stored.customerId, let named = event.customerId, known != named, let app = stored.bundleId
        else {
            return false
        }
        let isErased: Bool
        do throws(LedgerError) {
            isErased = try await store.read { ledger throws(LedgerError) in
                try ledger.customer(known, of: app)?.erasedAt != nil
            }
        } catch {
            throw .notStored(error)
        }
        func text(_ value: JSONValue) -> String { String(decoding: value.encoded(), as: UTF8.self) }
        let (old, new) = (text(.string(named.rawValue)), text(.string(known.rawValue)))
        return isErased && text(event.content).replacing(old, with: new) == text(stored.content)
    }

    private func storeAndApply(
        _ arrived: StoredPaymentEvent,
        _ provided: FetchedPaymentObject?
    ) async throws(LedgerError) -> (event: StoredPaymentEvent, isNew: Bool) {
        let now = dependencies.now()
        let (event, isNew, applied) = try await store.write(expecting: PaymentGroupReader.expectedRows(of: arrived)) {
            ledger throws(LedgerError) in
            let (stored, isNew) = try ledger.insert(arrived)
            guard isNew else { return (stored, false, PaymentApplication.Applied()) }
            if let provided { try put(provided, of: stored.provider, in: ledger) }
            let applied = try application.apply(groupOf: stored, isNew: true, at: now, in: ledger)
            return (try ledger.paymentEvent(stored.eventId, of: stored.provider) ?? stored, true, applied)
        }
        finish(applied, of: event)
        if isNew { worker.wake(afterArrivalOf: event, provides: provided != nil) }
        return (event, isNew)
    }

    /// Keeps what an event says of a shared object, unless a newer one has said it.
    private func put(
        _ object: FetchedPaymentObject,
        of provider: PaymentProvider,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        let known = try ledger.fetchedPaymentObject(object.request, of: provider)
        if known.map({ $0.fetchedAt > object.fetchedAt }) ?? false { return }
        try ledger.put(object, of: provider)
    }

    /// Notifies the sender, and requests what the event waits for.
    private func finish(_ applied: PaymentApplication.Applied, of event: StoredPaymentEvent) {
        application.signal(applied)
        if applied.needsFetch { worker.wake(for: PaymentWorker.Key(event)) }
    }

    /// Applies an event again, after the configuration or the ledger changed.
    ///
    /// An event that the ledger refuses for what it would store is held, as by the worker.
    ///
    /// - Throws: ``RequestError/unknown(_:)`` for an unknown event; ``RequestError/notStored(_:)``.
    package func applyAgain(_ id: PaymentEventId) async throws(RequestError) -> StoredPaymentEvent {
        let applied: (event: StoredPaymentEvent?, PaymentApplication.Applied)
        let now = dependencies.now()
        do throws(LedgerError) {
            applied = try await store.write { ledger throws(LedgerError) in
                guard let stored = try ledger.paymentEvent(id) else { return (nil, PaymentApplication.Applied()) }
                guard sources[stored.provider] != nil else { return (stored, PaymentApplication.Applied()) }
                let applied = try application.apply(groupOf: stored, at: now, in: ledger)
                return (try ledger.paymentEvent(id, of: stored.provider), applied)
            }
        } catch {
            guard let stored = try await event(id), await worker.hold(stored, refusedWith: error),
                let held = try await event(id)
            else { throw .notStored(error) }
            return held
        }
        guard let event = applied.event else { throw .unknown("there is no event \(id.rawValue.quoted)") }
        _ = try source(of: event.provider)
        finish(applied.1, of: event)
        return event
    }

    private func event(_ id: PaymentEventId) async throws(RequestError) -> StoredPaymentEvent? {
        do throws(LedgerError) {
            return try await store.read { ledger throws(LedgerError) in try ledger.paymentEvent(id) }
        } catch {
            throw .notStored(error)
        }
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
        var read: Set<PaymentWorker.Key> = []
        var page = LedgerPage(limit: 500)
        do throws(LedgerError) {
            while true {
                let position = page
                let events = try await store.read { ledger throws(LedgerError) in
                    try ledger.paymentEvents(matching: ListFilter(), position)
                }
                for event in events
                where read.remove(PaymentWorker.Key(event)) == nil && event.result.state != .dismissed {
                    guard sources[event.provider] != nil else { continue }
                    if let start, event.createdAt < start { continue }
                    let (applied, changes) = try await reapply(event, isDryRun: isDryRun)
                    let later = applied.events.filter { $0.sequence > event.sequence }
                    read.formUnion(later.map { PaymentWorker.Key($0) })
                    if !isDryRun { finish(applied, of: event) }
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
    ) async throws(LedgerError) -> (PaymentApplication.Applied, [Reinterpreted]) {
        let found = Mutex((PaymentApplication.Applied(), [Reinterpreted]()))
        let now = dependencies.now()
        do throws(LedgerError) {
            try await store.write { ledger throws(LedgerError) in
                let applied = try application.apply(groupOf: event, at: now, in: ledger)
                var changes: [Reinterpreted] = []
                for before in applied.events {
                    guard let now = try ledger.paymentEvent(before.eventId, of: before.provider)?.result else {
                        continue
                    }
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
        let dismissed: (event: StoredPaymentEvent?, PaymentApplication.Applied?)
        let now = dependencies.now()
        do throws(LedgerError) {
            dismissed = try await store.write { ledger throws(LedgerError) in
                guard let stored = try ledger.paymentEvent(id) else { return (nil, nil) }
                switch stored.result.state {
                case .applied, .notUsed: return (stored, nil)
                case .dismissed: return (stored, PaymentApplication.Applied())
                case .received, .waiting, .held: break
                }
                let applied = try application.dismiss(stored, reason: reason, by: author, at: now, in: ledger)
                return (try ledger.paymentEvent(id, of: stored.provider), applied)
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

extension PaymentSource {
    /// What an event says of an object that many payments share, as it is stored.
    fileprivate func object(provided event: PaymentEvent) -> FetchedPaymentObject? {
        event.provided.map { provided in
            FetchedPaymentObject(
                request: storedName(of: provided.request, for: event.apps),
                objectId: nil,
                content: .array([provided.answer]),
                fetchedAt: event.createdAt
            )
        }
    }
}

extension StoredPaymentEvent {
    /// Creates the row of an event.
    init(_ event: PaymentEvent, of provider: PaymentProvider, arrival: PaymentEventArrival, receivedAt: Timestamp) {
        self.init(
            eventId: PaymentEventId(event.id),
            provider: provider,
            apps: event.apps,
            bundleId: event.apps.count == 1 ? event.apps.first : event.apps.first { $0 == event.bundleId },
            type: event.type,
            isLive: event.isLive,
            createdAt: event.createdAt,
            arrival: arrival,
            receivedAt: receivedAt,
            content: event.content,
            customerId: event.customerId,
            objects: event.objects
        )
    }
}

import ExternalPurchaseCore
import Ledger
import Logging
import ServiceLifecycle

/// Sends changes to webhooks as events: in the order of each subject, at least once, under an id that stays.
///
/// A change becomes a delivery in the transaction that moves the webhook's position in the feed, so that a kill loses and
/// repeats none. Each webhook has a task of its own, so that none waits for another one's receiver.
package struct WebhookSender: Service {
    private let store: DeadlineMaintainingStore
    private let webhooks: [EventWebhook]
    /// The app of the review item about an event of no app.
    private let app: BundleId?
    private let leases: LeaseKeeper
    private let dependencies: ReportingDependencies
    private let logger: Logger

    /// The time between two looks at the feed.
    private static let every = Duration.seconds(1)
    /// The longest pause after rounds in which a receiver accepted nothing.
    private static let longestPause = Duration.seconds(30)
    /// The number of events that one transaction makes, and those of the last entries that it reads besides.
    private static let page = 200
    /// The number of events that are sent to a webhook at once, each of another subject.
    private static let together = 8
    /// The number of events that a round sends, after which the server may end or give up the work.
    private static let round = 64
    /// The time after which an event that is not accepted is parked.
    static let patience = Duration.days(3)
    private static let firstWait = Duration.seconds(5)
    private static let longestWait = Duration.hours(6)
    /// How long accepted deliveries are kept.
    private static let memory = Duration.days(30)

    init(
        store: DeadlineMaintainingStore,
        webhooks: [EventWebhook],
        app: BundleId?,
        leases: LeaseKeeper,
        dependencies: ReportingDependencies,
        logger: Logger
    ) {
        self.store = store
        self.webhooks = webhooks
        self.app = app
        self.leases = leases
        self.dependencies = dependencies
        self.logger = logger
    }

    /// Runs until shutdown.
    package func run() async {
        await cancelWhenGracefulShutdown { [self] in
            await withTaskGroup { group in
                for webhook in webhooks { group.addTask { await run(webhook) } }
            }
        }
    }

    private func run(_ webhook: EventWebhook) async {
        var failures = 0
        var lookedAt: Timestamp?
        while !Task.isCancelled {
            let now = dependencies.now()
            let sinceLook = lookedAt?.duration(to: now) ?? Self.longestWait
            if sinceLook < .zero || sinceLook >= Self.longestWait, await look(at: webhook) { lookedAt = now }
            let round = await round(of: webhook)
            failures = round == .failed ? failures + 1 : 0
            if round == .more { continue }
            // A receiver that accepts nothing is asked less often, however many events wait for it.
            let wait = failures == 0 ? Self.every : min(Self.longestPause, Self.every * (1 << min(failures, 10)))
            guard (try? await dependencies.sleep(wait)) != nil else { return }
        }
    }

    /// What a round found.
    enum Round: Hashable, Sendable {
        /// Nothing to do for now.
        case idle
        case more
        /// Of what was sent nothing was accepted, or the ledger could not be used.
        case failed
    }

    /// Turns new changes into deliveries and attempts those that are due.
    func round(of webhook: EventWebhook) async -> Round {
        guard let permit = leases.begin(.maintenance) else { return .idle }
        defer { leases.end(.maintenance) }
        let store = store.under(permit.claim)
        do throws(LedgerError) {
            try await collect(for: webhook, in: store)
            return try await send(to: webhook, in: store)
        } catch {
            logger.error("a webhook waits", metadata: ["webhook": "\(webhook.name)", "error": "\(error)"])
            return .failed
        }
    }

    // MARK: From changes to deliveries

    private func collect(for webhook: EventWebhook, in store: DeadlineMaintainingStore) async throws(LedgerError) {
        while !Task.isCancelled {
            let now = dependencies.now()
            let read = try await store.read { ledger throws(LedgerError) in
                try ledger.events(for: webhook, at: now, most: Self.page)
            }
            guard let read else { return }
            try await store.write { ledger throws(LedgerError) in
                guard try ledger.webhookPosition(webhook.name) == read.start else { return }
                try ledger.insert(read.deliveries, upTo: read.end, of: webhook.name)
                try ledger.removeDeliveries(acceptedBefore: now.advanced(by: .zero - Self.memory), limit: 5 * Self.page)
            }
        }
    }

    // MARK: Sending

    /// What a round waits for.
    private enum Step: Sendable {
        case answer(WebhookDelivery, DeliveryAnswer)
        /// Time to look at the feed again, while receivers let requests hang.
        case look
    }

    /// Sends what is due, each further event when one before it was answered, so that one that hangs holds up no other
    /// record.
    private func send(to webhook: EventWebhook, in store: DeadlineMaintainingStore) async throws(LedgerError) -> Round {
        let sent = await withTaskGroup(of: Step.self) { group -> Result<Round, LedgerError> in
            defer { group.cancelAll() }
            var underway: Set<Int64> = []
            var (started, isLooking, hasAccepted, failures) = (0, false, false, 0)
            do throws(LedgerError) {
                while true {
                    // One that accepted nothing gets no more in this round, and one that stops accepting few.
                    let free = failures == 0 || hasAccepted && failures < Self.together
                    if free, underway.count < Self.together, started < Self.round, !Task.isCancelled {
                        for delivery in try await due(for: webhook, underway, in: store) {
                            underway.insert(delivery.sequence)
                            started += 1
                            group.addTask {
                                .answer(delivery, await webhook.deliver(delivery.body, delivery.eventId))
                            }
                        }
                    }
                    if underway.isEmpty { break }
                    if !isLooking {
                        isLooking = true
                        group.addTask {
                            try? await dependencies.sleep(Self.every)
                            return .look
                        }
                    }
                    switch await group.next() {
                    case .answer(let delivery, let answer):
                        underway.remove(delivery.sequence)
                        // A request that was given up because the server ends says nothing about its receiver.
                        if Task.isCancelled, answer.error != nil { continue }
                        let isAccepted = try await record(answer, of: delivery, to: webhook, in: store)
                        hasAccepted = hasAccepted || isAccepted
                        failures = isAccepted ? 0 : failures + 1
                    case .look:
                        isLooking = false
                        try await collect(for: webhook, in: store)
                    case nil: break
                    }
                }
            } catch {
                return .failure(error)
            }
            return .success(started == 0 ? .idle : hasAccepted ? .more : .failed)
        }
        return try sent.get()
    }

    /// Reads what is due beside what is underway, as much as is sent at once.
    private func due(
        for webhook: EventWebhook,
        _ underway: Set<Int64>,
        in store: DeadlineMaintainingStore
    ) async throws(LedgerError) -> ArraySlice<WebhookDelivery> {
        let now = dependencies.now()
        let read = { () async throws(LedgerError) in
            try await store.read { ledger throws(LedgerError) in
                try ledger.dueDeliveries(of: webhook.name, at: now, limit: Self.together + underway.count)
            }
        }
        var due = try await read()
        if !due.allSatisfy(webhook.takes) {
            // A person had one sent again that the webhook takes no longer.
            try await fit(webhook, in: store)
            due = try await read()
        }
        return due.filter { !underway.contains($0.sequence) }.prefix(Self.together - underway.count)
    }

    /// - Returns: whether the event was accepted.
    private func record(
        _ answer: DeliveryAnswer,
        of delivery: WebhookDelivery,
        to webhook: EventWebhook,
        in store: DeadlineMaintainingStore
    ) async throws(LedgerError) -> Bool {
        let now = dependencies.now()
        let outcome = outcome(of: delivery, answer, at: now)
        let attempt = WebhookAttempt(at: now, status: answer.status, error: answer.error)
        let app = delivery.subject.bundleId ?? app
        try await store.write { ledger throws(LedgerError) in
            try ledger.record([(delivery.sequence, attempt, outcome)])
            guard outcome == .parked, let app else { return }
            let reason = "the last one, delivery \(delivery.sequence) (\(delivery.type)): \(answer.error ?? "")"
            try ledger.openParked(webhook.name, reason, of: app, at: now)
        }
        if outcome == .delivered { return true }
        logger.warning(
            outcome == .parked
                ? "a webhook did not accept an event, which is parked" : "a webhook did not accept an event",
            metadata: [
                "webhook": "\(webhook.name)", "delivery": "\(delivery.sequence)", "event": "\(delivery.eventId)",
                "reason": "\(answer.error ?? "")", "attempts": "\(delivery.attempts + 1)",
            ]
        )
        return false
    }

    /// Waits of 5, 20, 80 … seconds up to 6 hours, plus a random share of up to a quarter, for three days.
    private func outcome(of delivery: WebhookDelivery, _ answer: DeliveryAnswer, at now: Timestamp) -> WebhookOutcome {
        guard answer.error != nil else { return .delivered }
        // A clock that was ahead does not count. After 5 s and three times what has passed, the next attempt is 5, 25,
        // 105 … s after the first one.
        let passed = max(.zero, delivery.triedSince?.duration(to: now) ?? .zero)
        if passed >= Self.patience { return .parked }
        let wait = min(Self.longestWait, Self.firstWait + passed * 3)
        return .again(at: now.advanced(by: wait * (1 + dependencies.random() / 4)))
    }

    // MARK: What waits

    /// Looks at what waits, at the start and every six hours.
    ///
    /// - Returns: false if another server sends, or the ledger could not be used.
    func look(at webhook: EventWebhook) async -> Bool {
        guard let permit = leases.begin(.maintenance) else { return false }
        defer { leases.end(.maintenance) }
        let store = store.under(permit.claim)
        let (now, app) = (dependencies.now(), app)
        do throws(LedgerError) {
            try await fit(webhook, in: store)
            // A person who resolves an item may not know of all that is parked, and nothing else tells of it.
            try await store.write { ledger throws(LedgerError) in
                for (parkedApp, _) in try ledger.parkedDeliveries(of: webhook.name) {
                    guard let app = parkedApp.rawValue.isEmpty ? app : parkedApp else { continue }
                    try ledger.openParked(webhook.name, nil, of: app, at: now)
                }
            }
            let names = Set(webhooks.map(\.name))
            let left = try await store.read { ledger throws(LedgerError) in
                var left: [(name: String, count: Int)] = []
                for name in try ledger.webhooks() where !names.contains(name) {
                    left.append((name, try ledger.waitingDeliveries(of: name)))
                }
                return left.filter { $0.count > 0 }
            }
            for (name, count) in left where webhook.name == webhooks.first?.name {
                logger.warning(
                    "events wait for a webhook that is not configured; they go out when its name comes back",
                    metadata: ["webhook": "\(name)", "events": "\(count)"]
                )
            }
            return true
        } catch {
            logger.error("a webhook waits", metadata: ["webhook": "\(webhook.name)", "error": "\(error)"])
            return false
        }
    }

    private func fit(_ webhook: EventWebhook, in store: DeadlineMaintainingStore) async throws(LedgerError) {
        let now = dependencies.now()
        let removed = try await store.write { ledger throws(LedgerError) in
            try ledger.fitDeliveries(
                of: webhook.name,
                to: Set(webhook.types.map(\.rawValue)),
                of: webhook.apps,
                horizon: now.advanced(by: Self.longestWait * 2),
                at: now
            )
        }
        if removed > 0 {
            logger.warning(
                "events that a webhook takes no longer are dropped; the feed of changes has them",
                metadata: ["webhook": "\(webhook.name)", "events": "\(removed)"]
            )
        }
    }
}

extension LedgerQueries {
    /// The number of entries that are read at once.
    private static var entries: Int { 20 }
    /// The largest number of entries that one transaction reads.
    private static var mostEntries: Int { 1_000 }

    /// The deliveries of the changes after a webhook's position; nil if there are no further entries.
    ///
    /// A new webhook starts with the next change: the feed has the earlier ones.
    fileprivate func events(
        for webhook: EventWebhook,
        at now: Timestamp,
        most: Int
    ) throws(LedgerError) -> (deliveries: [WebhookDelivery], start: String?, end: String)? {
        guard let text = try webhookPosition(webhook.name) else {
            guard let last = try lastAuditEntry() else { return ([], nil, ChangeCursor.beginning.text) }
            var reader = ChangeReader(in: self)
            return ([], nil, try reader.changes(of: last) { _ in false }.end.text)
        }
        guard let start = ChangeCursor(text) else { throw .corrupt("the webhook '\(webhook.name)' is at \(text)") }
        var page = ChangeFeed.Page(next: start)
        // Entries are read whole, few at a time, because one may tell of many changes.
        for _ in 0..<(Self.mostEntries / Self.entries) where page.changes.count < most {
            let part = try changes(after: page.next, limit: .max, most: Self.entries, where: webhook.selects)
            guard let part else {
                throw .corrupt("the webhook '\(webhook.name)' is at \(text), which the audit log does not contain")
            }
            if part.next == page.next { break }
            page.changes += part.changes
            page.next = part.next
        }
        if page.next == start { return nil }
        let deliveries = page.changes.map { change in
            WebhookDelivery(
                webhook: webhook.name,
                eventId: change.eventId,
                type: change.type.rawValue,
                subject: WebhookDelivery.Subject(
                    bundleId: change.bundleId,
                    kind: change.subject.kind.rawValue,
                    id: change.subject.id
                ),
                body: change.json.encoded(),
                madeAt: now
            )
        }
        return (deliveries, text, page.next.text)
    }
}

extension LedgerTransaction {
    /// Opens the review item of the parked events of an app, of which there is one at a time.
    fileprivate func openParked(
        _ webhook: String,
        _ reason: String?,
        of app: BundleId,
        at now: Timestamp
    ) throws(LedgerError) {
        let count = try parkedDeliveries(of: webhook).values.reduce(0, +)
        _ = try open(
            ReviewItem(
                bundleId: app,
                kind: .webhookParked,
                subject: .app,
                detail:
                    "the webhook '\(webhook)' has not accepted \(count) \(count == 1 ? "event" : "events") for three days"
                    + "\(reason.map { "; \($0)" } ?? ""). Later events of the same records wait behind them. Repair the receiver, "
                    + "then have each sent again: GET /v1/deliveries?state=parked lists them, "
                    + "POST /v1/deliveries/ID/redeliver sends",
                openedAt: now
            )
        )
    }
}

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
        while !Task.isCancelled {
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

    private func send(to webhook: EventWebhook, in store: DeadlineMaintainingStore) async throws(LedgerError) -> Round {
        let now = dependencies.now()
        let due = try await store.read { ledger throws(LedgerError) in
            try ledger.dueDeliveries(of: webhook.name, at: now, limit: Self.together)
        }
        if due.isEmpty { return .idle }
        let answers = await withTaskGroup(of: (WebhookDelivery, DeliveryAnswer).self) { group in
            for delivery in due {
                group.addTask { (delivery, await webhook.deliver(delivery.body, delivery.eventId)) }
            }
            var answers: [(WebhookDelivery, DeliveryAnswer)] = []
            for await answer in group { answers.append(answer) }
            return answers
        }
        let end = dependencies.now()
        // A request that was given up because the server ends says nothing about its receiver.
        let results = answers.filter { !Task.isCancelled || $0.1.error == nil }.map { delivery, answer in
            (delivery, answer, outcome(of: delivery, answer, at: end))
        }
        let app = app
        try await store.write { ledger throws(LedgerError) in
            try ledger.record(
                results.map { delivery, answer, outcome in
                    (delivery.sequence, WebhookAttempt(at: end, status: answer.status, error: answer.error), outcome)
                }
            )
            for (delivery, answer, outcome) in results {
                guard outcome == .parked, let app = delivery.subject.bundleId ?? app else { continue }
                _ = try ledger.open(delivery.reviewItem(answer.error ?? "", of: app, at: end))
            }
        }
        for (delivery, answer, outcome) in results where outcome != .delivered {
            logger.warning(
                outcome == .parked
                    ? "a webhook did not accept an event, which is parked" : "a webhook did not accept an event",
                metadata: [
                    "webhook": "\(webhook.name)", "delivery": "\(delivery.sequence)", "event": "\(delivery.eventId)",
                    "reason": "\(answer.error ?? "")", "attempts": "\(delivery.attempts + 1)",
                ]
            )
        }
        return results.contains { $0.2 == .delivered } ? .more : .failed
    }

    /// Waits of 5, 20, 80 … seconds up to 6 hours, plus a random share of up to a quarter, for three days.
    private func outcome(of delivery: WebhookDelivery, _ answer: DeliveryAnswer, at now: Timestamp) -> WebhookOutcome {
        guard answer.error != nil else { return .delivered }
        if let first = delivery.triedSince, first.duration(to: now) >= Self.patience { return .parked }
        let wait = min(Self.longestWait, Self.firstWait * (1 << min(2 * delivery.attempts, 20)))
        return .again(at: now.advanced(by: wait * (1 + dependencies.random() / 4)))
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

extension WebhookDelivery {
    /// One item of an app is open at a time, whatever else is parked meanwhile.
    fileprivate func reviewItem(_ reason: String, of app: BundleId, at now: Timestamp) -> ReviewItem {
        ReviewItem(
            bundleId: app,
            kind: .webhookParked,
            subject: .app,
            detail:
                "the webhook '\(webhook)' has not accepted delivery \(sequence) (\(type)) for three days: \(reason). Later "
                + "events of the same record wait behind it. Repair the receiver, then have it sent again: "
                + "POST /v1/deliveries/\(sequence)/redeliver; GET /v1/deliveries?state=parked lists all",
            openedAt: now
        )
    }
}

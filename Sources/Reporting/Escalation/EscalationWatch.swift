import ExternalPurchaseCore
package import Ledger
import Logging
import Obligations
import ServiceLifecycle

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Tells what crosses a distance to its due date, becomes overdue, or comes to wait for a person (OB-51).
///
/// What was told is kept in the ledger together with the message that tells it, so that a restart neither repeats nor
/// forgets. Messages are delivered in their order and at least once; nothing else waits for them.
package actor EscalationWatch: Service {
    private let store: any LedgerStore
    private let lookout: DueLookout
    private let settings: EscalationSettings
    private let receiver: (any EscalationReceiver)?
    private let counts: EscalationCounts
    private let surroundings: Surroundings
    private let logger: Logger
    private nonisolated let wakes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private nonisolated let messages = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// What stands past a step and was told, as ``DueLook/Passed/mark``; spares the question to the ledger.
    private var known: Set<Int> = []
    private var failures = 0

    /// Most events of one message; the others follow at once in another.
    private static let most = 10_000
    /// Longest time between two looks at attention items, and at the clock; ms.
    private static let attentionEvery: Int64 = 5_000
    /// Longest wait between two attempts, in seconds.
    private static let longestWait: Int64 = 300

    init(
        store: any LedgerStore,
        lookout: DueLookout,
        settings: EscalationSettings,
        receiver: (any EscalationReceiver)?,
        counts: EscalationCounts,
        surroundings: Surroundings,
        logger: Logger
    ) {
        self.store = store
        self.lookout = lookout
        self.settings = settings
        self.receiver = receiver
        self.counts = counts
        self.surroundings = surroundings
        self.logger = logger
    }

    /// Says that the time jumped.
    package nonisolated func wake() {
        wakes.continuation.yield()
        messages.continuation.yield()
    }

    /// Runs until shutdown.
    package func run() async {
        wake()
        await cancelWhenGracefulShutdown { [self] in
            await withTaskGroup { group in
                group.addTask { await self.watch() }
                group.addTask { await self.deliver() }
            }
        }
        lookAlarm?.cancel()
        deliveryAlarm?.cancel()
    }

    // MARK: Looking

    private func watch() async {
        var nextLook = surroundings.now()
        var iterator = wakes.stream.makeAsyncIterator()
        while await iterator.next() != nil {
            do throws(LedgerError) {
                try await tellAttention()
                let now = surroundings.now()
                if now >= nextLook, surroundings.clockDoubt() == nil {
                    let took = try await tellDue()
                    // A big ledger is looked at less often, so that looking never takes more than a twentieth.
                    nextLook = now.advanced(byMilliseconds: max(settings.every, 20 * took))
                }
            } catch {
                logger.error("escalations wait", metadata: ["error": "\(error)"])
            }
            lookAlarm?.cancel()
            lookAlarm = alarm(wakes.continuation, after: min(settings.every, Self.attentionEvery))
        }
    }

    /// Looks once at everything, and tells what is new; for tests and programs that look by themselves.
    package func look() async throws(LedgerError) {
        try await tellAttention()
        _ = try await tellDue()
    }

    /// - Returns: how long the look took, in ms.
    private func tellDue() async throws(LedgerError) -> Int64 {
        let (settings, rules) = (settings, lookout.rules)
        var seen: DueLookout.Seen
        repeat {
            seen = try await lookout.look(known: known, limit: Self.most) { passed, now in
                guard !settings.tellsScheduled, passed.step != .overdue, passed.subject.heldFor == nil else {
                    return true
                }
                let moment = passed.subject.entry(by: rules).sendMoment(rules.settings)
                return moment.map { $0 < now } ?? true
            }
            known = seen.told
            let events = seen.new.map { passed in
                EscalationEvent(passed.subject.entry(by: rules), passed.step, crossedAt: passed.passedAt)
            }
            try await tell(events, at: seen.look.now, rules.settings)
            known.formUnion(seen.new.map(\.mark))
        } while seen.hasMore
        return Int64(seen.took / .milliseconds(1))
    }

    private var lastAttention: Int64?

    private func tellAttention() async throws(LedgerError) {
        guard settings.tellsReview else { return }
        var page = LedgerPage(after: lastAttention ?? 0, limit: 500)
        while true {
            let current = page
            let items = try await store.read { ledger throws(LedgerError) in try ledger.openAttentionItems(current) }
            try await tell(items.map(EscalationEvent.init), at: surroundings.now(), .defaults)
            if let last = items.last { lastAttention = last.sequence }
            guard items.count == page.limit, let last = items.last else { return }
            page.after = last.sequence
        }
    }

    /// Remembers the events that were not told before, with their message, and logs them.
    private func tell(
        _ events: [EscalationEvent],
        at now: Timestamp,
        _ dueSettings: DueSettings
    ) async throws(LedgerError) {
        if events.isEmpty { return }
        let (first, hasReceiver, messageId) = (settings.first, receiver != nil, surroundings.uuid().uuidString)
        let new = try await store.write { ledger throws(LedgerError) in
            let told = try ledger.escalationsTold(among: events.map(\.id))
            let new = events.filter { !told.contains($0.id) }
            if new.isEmpty { return new }
            let message = EscalationMessageBody(
                messageId: messageId.lowercased(),
                madeAt: now,
                events: new,
                first: first,
                settings: dueSettings
            )
            try ledger.tell(
                new.map { EscalationMark(eventId: $0.id, crossedAt: $0.crossedAt) },
                by: hasReceiver
                    ? EscalationMessage(messageId: message.messageId, madeAt: now, body: message.bytes) : nil
            )
            return new
        }
        for event in new.prefix(first) { event.log(to: logger, at: now) }
        if new.count > first {
            logger.error("more than a log should hold came due", metadata: ["others": "\(new.count - first)"])
        }
        counts.add(new.map(\.step))
        if !new.isEmpty { messages.continuation.yield() }
    }

    // MARK: Delivering

    private func deliver() async {
        guard receiver != nil else { return }
        var iterator = messages.stream.makeAsyncIterator()
        while await iterator.next() != nil {
            let wait = await deliverWaiting()
            deliveryAlarm?.cancel()
            deliveryAlarm = alarm(messages.continuation, after: wait ?? Self.attentionEvery)
        }
    }

    /// Delivers what waits, in its order, up to the first that is not taken.
    ///
    /// - Returns: how long to wait before the next attempt, in ms; nil when nothing waits.
    package func deliverWaiting() async -> Int64? {
        guard let receiver else { return nil }
        while !Task.isCancelled {
            do throws(LedgerError) {
                let waiting = try await store.read { ledger throws(LedgerError) in
                    try ledger.undeliveredEscalations(limit: 1)
                }
                guard let message = waiting.first, let body = message.body else { return nil }
                if let refusal = await receiver.take(body, messageId: message.messageId) {
                    return noteFailure(refusal)
                }
                let now = surroundings.now()
                try await store.write { ledger throws(LedgerError) in try ledger.delivered(message.sequence, at: now) }
                failures = 0
            } catch {
                return noteFailure("\(error)")
            }
        }
        return nil
    }

    /// 1, 2, 4 … 300 s with up to a quarter more by chance.
    private func noteFailure(_ reason: String) -> Int64 {
        let seconds = min(Self.longestWait, Int64(1) << Int64(min(failures, 20)))
        failures += 1
        logger.warning(
            "the webhook did not take an escalation; it is tried again",
            metadata: ["reason": "\(reason)", "attempts": "\(failures)", "seconds": "\(seconds)"]
        )
        return Int64(Double(seconds * 1_000) * (1 + surroundings.random() / 4))
    }

    // MARK: Waiting

    private var lookAlarm: Task<Void, Never>?
    private var deliveryAlarm: Task<Void, Never>?

    private func alarm(
        _ continuation: AsyncStream<Void>.Continuation,
        after milliseconds: Int64
    ) -> Task<Void, Never> {
        let sleep = surroundings.sleep
        return Task {
            do {
                try await sleep(.milliseconds(max(milliseconds, 10)))
                continuation.yield()
            } catch {
                // Cancelled: an earlier wake took its place.
            }
        }
    }
}

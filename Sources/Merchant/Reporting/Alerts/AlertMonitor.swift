import ExternalPurchaseCore
package import Ledger
import Logging
import ReportPlanning
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
package actor AlertMonitor: Service {
    private let store: any LedgerStore
    private let scanner: DeadlineScanner
    private let settings: AlertSettings
    private let receiver: (any AlertReceiver)?
    private let counts: AlertCounts
    private let dependencies: ReportingDependencies
    private let logger: Logger
    private nonisolated let wakes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private nonisolated let messages = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// The marks of what is past a step and has an alert; they spare the question to the ledger.
    private var known: Set<Int> = []
    private var failures = 0

    /// The most events of one message; the others follow at once in the next.
    private static let most = 10_000
    /// The longest time between two queries of the review items, and two readings of the clock, in milliseconds.
    private static let reviewEvery: Int64 = 5_000
    /// Longest wait between two attempts, in seconds.
    private static let longestWait: Int64 = 300

    init(
        store: any LedgerStore,
        scanner: DeadlineScanner,
        settings: AlertSettings,
        receiver: (any AlertReceiver)?,
        counts: AlertCounts,
        dependencies: ReportingDependencies,
        logger: Logger
    ) {
        self.store = store
        self.scanner = scanner
        self.settings = settings
        self.receiver = receiver
        self.counts = counts
        self.dependencies = dependencies
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
        var nextLook = dependencies.now()
        var iterator = wakes.stream.makeAsyncIterator()
        while await iterator.next() != nil {
            do throws(LedgerError) {
                try await tellReview()
                let now = dependencies.now()
                if now >= nextLook, dependencies.clockDoubt() == nil {
                    let took = try await tellDue()
                    // A large ledger is scanned less often, so that scans take at most a twentieth of the time.
                    nextLook = now.advanced(byMilliseconds: max(settings.every, 20 * took))
                }
            } catch {
                logger.error("alerts wait", metadata: ["error": "\(error)"])
            }
            lookAlarm?.cancel()
            lookAlarm = alarm(wakes.continuation, after: min(settings.every, Self.reviewEvery))
        }
    }

    /// Looks once at everything, and tells what is new; for tests and programs that look by themselves.
    package func look() async throws(LedgerError) {
        try await tellReview()
        _ = try await tellDue()
    }

    /// - Returns: how long the scan took, in ms.
    private func tellDue() async throws(LedgerError) -> Int64 {
        let (settings, rules) = (settings, scanner.calculator.rules)
        var scan: DeadlineScanner.Scan
        repeat {
            scan = try await scanner.scan(known: known, limit: Self.most) { passed, now in
                guard !settings.tellsScheduled, passed.step != .overdue, passed.subject.heldFor == nil else {
                    return true
                }
                let moment = passed.subject.entry(by: rules).sendMoment(rules.settings)
                return moment.map { $0 < now } ?? true
            }
            known = scan.alerted
            let events = scan.new.map { passed in
                AlertEvent(passed.subject.entry(by: rules), passed.step, crossedAt: passed.at)
            }
            try await tell(events, at: scan.now, rules.settings)
            known.formUnion(scan.new.map(\.mark))
        } while scan.hasMore
        return Int64(scan.duration / .milliseconds(1))
    }

    private var lastReview: Int64?

    private func tellReview() async throws(LedgerError) {
        guard settings.tellsReview else { return }
        var page = LedgerPage(after: lastReview ?? 0, limit: 500)
        while true {
            let current = page
            let items = try await store.read { ledger throws(LedgerError) in try ledger.openReviewItems(current) }
            try await tell(items.map(AlertEvent.init), at: dependencies.now(), .defaults)
            if let last = items.last { lastReview = last.sequence }
            guard items.count == page.limit, let last = items.last else { return }
            page.after = last.sequence
        }
    }

    /// Remembers the events that were not told before, with their message, and logs them.
    private func tell(
        _ events: [AlertEvent],
        at now: Timestamp,
        _ dueSettings: DeadlineSettings
    ) async throws(LedgerError) {
        if events.isEmpty { return }
        let (first, hasReceiver, messageId) = (settings.first, receiver != nil, dependencies.uuid().uuidString)
        let new = try await store.write { ledger throws(LedgerError) in
            let told = try ledger.alertsTold(among: events.map(\.id))
            let new = events.filter { !told.contains($0.id) }
            if new.isEmpty { return new }
            let message = AlertMessageBody(
                messageId: messageId.lowercased(),
                madeAt: now,
                events: new,
                first: first,
                settings: dueSettings
            )
            try ledger.tell(
                new.map { AlertMark(eventId: $0.id, crossedAt: $0.crossedAt) },
                by: hasReceiver
                    ? AlertMessage(messageId: message.messageId, madeAt: now, body: message.bytes) : nil
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
            deliveryAlarm = alarm(messages.continuation, after: wait ?? Self.reviewEvery)
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
                    try ledger.undeliveredAlerts(limit: 1)
                }
                guard let message = waiting.first, let body = message.body else { return nil }
                if let refusal = await receiver.take(body, messageId: message.messageId) {
                    return noteFailure(refusal)
                }
                let now = dependencies.now()
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
            "the webhook did not accept an alert; it is sent again",
            metadata: ["reason": "\(reason)", "attempts": "\(failures)", "seconds": "\(seconds)"]
        )
        return Int64(Double(seconds * 1_000) * (1 + dependencies.random() / 4))
    }

    // MARK: Waiting

    private var lookAlarm: Task<Void, Never>?
    private var deliveryAlarm: Task<Void, Never>?

    private func alarm(
        _ continuation: AsyncStream<Void>.Continuation,
        after milliseconds: Int64
    ) -> Task<Void, Never> {
        let sleep = dependencies.sleep
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

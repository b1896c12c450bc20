import ExternalPurchaseCore
import Ledger
import Logging
import ServiceLifecycle

/// Sends an alert when a row passes a step towards its due date, becomes overdue, or needs review (OB-51).
///
/// The ledger stores each alert together with its message in one transaction, so that a restart neither repeats nor
/// loses an alert. Each way has messages of its own, which are delivered in order and at least once: a receiver that fails
/// holds up no other. No other part of the server waits for the delivery.
package actor AlertMonitor: Service {
    private let store: any LedgerStore
    private let scanner: DeadlineScanner
    private let settings: AlertSettings
    private nonisolated let routes: [Route]
    private let counts: AlertCounts
    private let leases: LeaseKeeper
    private let dependencies: ReportingDependencies
    private let logger: Logger
    private nonisolated let wakes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// The marks of passed steps that have an alert; they save queries to the ledger.
    private var known: Set<Int> = []
    /// The failed attempts since the last delivery on each way.
    private var failures: [AlertChannel: Int] = [:]

    /// A receiver, and what wakes its delivery.
    private struct Route: Sendable {
        let route: AlertRoute
        let messages = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The largest number of events in one message; further events follow in the next message.
    private static let most = 10_000
    /// The longest time between two queries of the review items, and between two readings of the clock.
    private static let reviewEvery = Duration.seconds(5)
    /// The longest wait between two delivery attempts.
    private static let longestWait = Duration.seconds(300)

    init(
        store: any LedgerStore,
        scanner: DeadlineScanner,
        settings: AlertSettings,
        routes: [AlertRoute],
        counts: AlertCounts,
        leases: LeaseKeeper,
        dependencies: ReportingDependencies,
        logger: Logger
    ) {
        self.leases = leases
        self.store = store
        self.scanner = scanner
        self.settings = settings
        self.routes = routes.map { Route(route: $0) }
        self.counts = counts
        self.dependencies = dependencies
        self.logger = logger
    }

    /// Wakes the monitor after the clock was changed.
    package nonisolated func wake() {
        wakes.continuation.yield()
        for route in routes { route.messages.continuation.yield() }
    }

    /// Runs until shutdown.
    package func run() async {
        wake()
        await cancelWhenGracefulShutdown { [self] in
            await withTaskGroup { group in
                group.addTask { await self.watch() }
                for route in self.routes { group.addTask { await self.deliver(by: route) } }
            }
        }
        scanTimer?.cancel()
        for timer in deliveryTimers.values { timer.cancel() }
    }

    // MARK: Scanning

    private func watch() async {
        var (scannedAt, nextScan) = (dependencies.now(), dependencies.now())
        var iterator = wakes.stream.makeAsyncIterator()
        while await iterator.next() != nil {
            do throws(LedgerError) {
                if leases.isElected { try await recordReviewItems() }
                let now = dependencies.now()
                // A clock that was ahead at the last scan does not put off the next one.
                if now >= nextScan || scannedAt.isAhead(of: now), dependencies.clockDoubt() == nil, leases.isElected {
                    let duration = try await recordDeadlines()
                    // A large ledger is scanned less often, so that scans take at most a twentieth of the time.
                    scannedAt = now
                    nextScan = now.advanced(by: max(settings.every, duration * 20))
                }
            } catch {
                logger.error("alerts wait", metadata: ["error": "\(error)"])
            }
            scanTimer?.cancel()
            scanTimer = timer(wakes.continuation, after: min(settings.every, Self.reviewEvery))
        }
    }

    /// Scans once for deadlines and review items and records alerts for new ones; used by tests and command-line tools.
    func scan() async throws(LedgerError) {
        try await recordReviewItems()
        _ = try await recordDeadlines()
    }

    /// - Returns: the duration of the scan.
    private func recordDeadlines() async throws(LedgerError) -> Duration {
        let (settings, rules) = (settings, scanner.calculator.rules)
        var scan: DeadlineScanner.Scan
        repeat {
            scan = try await scanner.scan(known: known, limit: Self.most) { passed, now in
                guard !settings.includesScheduled, passed.step != .overdue, passed.subject.heldFor == nil else {
                    return true
                }
                let moment = passed.subject.entry(by: rules).sendMoment(rules.settings)
                return moment.map { $0 < now } ?? true
            }
            known = scan.alerted
            let events = scan.new.map { passed in
                AlertEvent(passed.subject.entry(by: rules), passed.step, crossedAt: passed.at)
            }
            try await record(events, at: scan.now, rules.settings)
            known.formUnion(scan.new.map(\.mark))
        } while scan.hasMore
        return scan.duration
    }

    private var lastReview: Int64?

    private func recordReviewItems() async throws(LedgerError) {
        guard settings.includesReview else { return }
        var page = LedgerPage(after: lastReview ?? 0, limit: 500)
        while true {
            let current = page
            let items = try await store.read { ledger throws(LedgerError) in try ledger.openReviewItems(current) }
            try await record(items.map(AlertEvent.init), at: dependencies.now(), .defaults)
            if let last = items.last { lastReview = last.sequence }
            guard items.count == page.limit, let last = items.last else { return }
            page.after = last.sequence
        }
    }

    /// Stores and logs the events that have no alert yet, together with their message.
    private func record(
        _ events: [AlertEvent],
        at now: Timestamp,
        _ dueSettings: DeadlineSettings
    ) async throws(LedgerError) {
        if events.isEmpty { return }
        let first = settings.first
        let routes = routes.map { (route: $0.route, id: dependencies.uuid().uuidString.lowercased()) }
        let new = try await store.write { ledger throws(LedgerError) in
            let recorded = try ledger.recordedAlerts(among: events.map(\.id))
            let new = events.filter { !recorded.contains($0.id) }
            var unmarked = new.map { AlertMark(eventId: $0.id, crossedAt: $0.crossedAt, deadline: $0.deadline) }
            for (route, id) in routes {
                let told = new.filter { route.severities.contains($0.severity) }
                if told.isEmpty { continue }
                let body = AlertMessageBody(
                    messageId: id,
                    madeAt: now,
                    events: told,
                    first: first,
                    settings: dueSettings
                )
                // Each alert is marked once, with the first message that tells it.
                let ids = Set(told.map(\.id))
                let marks = unmarked.filter { ids.contains($0.eventId) }
                unmarked.removeAll { ids.contains($0.eventId) }
                try ledger.insertAlerts(
                    marks,
                    by: AlertMessage(messageId: id, madeAt: now, channel: route.channel, body: body.bytes)
                )
            }
            if !unmarked.isEmpty { try ledger.insertAlerts(unmarked, by: nil) }
            return new
        }
        for event in new.prefix(first) { event.log(to: logger, at: now) }
        if new.count > first {
            logger.error("more than a log should hold came due", metadata: ["others": "\(new.count - first)"])
        }
        counts.add(new.map(\.step))
        if !new.isEmpty { for route in self.routes { route.messages.continuation.yield() } }
    }

    // MARK: Delivery

    private func deliver(by route: Route) async {
        let channel = route.route.channel
        var iterator = route.messages.stream.makeAsyncIterator()
        while await iterator.next() != nil {
            let wait = leases.isElected ? await deliverWaiting(by: route.route) : nil
            deliveryTimers[channel]?.cancel()
            deliveryTimers[channel] = timer(route.messages.continuation, after: wait ?? Self.reviewEvery)
        }
    }

    /// Delivers the waiting messages on every way, one after another; used by tests.
    ///
    /// - Returns: the shortest time before a next attempt; nil if no message waits.
    func deliverWaiting() async -> Duration? {
        var waits: [Duration] = []
        for route in routes {
            if let wait = await deliverWaiting(by: route.route) { waits.append(wait) }
        }
        return waits.min()
    }

    /// Delivers the waiting messages of a way in order, up to the first that its receiver rejects.
    ///
    /// - Returns: the time before the next attempt; nil if no message waits.
    private func deliverWaiting(by route: AlertRoute) async -> Duration? {
        let channel = route.channel
        while !Task.isCancelled {
            do throws(LedgerError) {
                let waiting = try await store.read { ledger throws(LedgerError) in
                    try ledger.undeliveredAlerts(by: channel, limit: 1)
                }
                guard let message = waiting.first, let body = message.body else { return nil }
                if let refusal = await route.receiver.deliver(body, messageId: message.messageId) {
                    return noteFailure(refusal, of: channel)
                }
                let now = dependencies.now()
                try await store.write { ledger throws(LedgerError) in try ledger.delivered(message.sequence, at: now) }
                failures[channel] = nil
            } catch {
                return noteFailure("\(error)", of: channel)
            }
        }
        return nil
    }

    /// Computes the wait after a failure: 1, 2, 4 … 300 s, plus a random share of up to a quarter.
    private func noteFailure(_ reason: String, of channel: AlertChannel) -> Duration {
        let known = failures[channel, default: 0]
        let wait = min(Self.longestWait, .seconds(1) * (1 << min(known, 20)))
        failures[channel] = known + 1
        logger.warning(
            "an alert is not delivered; it is sent again",
            metadata: [
                "channel": "\(channel.rawValue)", "reason": "\(reason)", "attempts": "\(known + 1)",
                "seconds": "\(wait.components.seconds)",
            ]
        )
        return wait * (1 + dependencies.random() / 4)
    }

    // MARK: Waiting

    private var scanTimer: Task<Void, Never>?
    private var deliveryTimers: [AlertChannel: Task<Void, Never>] = [:]

    private func timer(
        _ continuation: AsyncStream<Void>.Continuation,
        after wait: Duration
    ) -> Task<Void, Never> {
        let sleep = dependencies.sleep
        return Task {
            do {
                try await sleep(max(wait, .milliseconds(10)))
                continuation.yield()
            } catch {
                // The task is cancelled when an earlier wake replaces it.
            }
        }
    }
}

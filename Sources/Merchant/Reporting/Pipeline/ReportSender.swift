package import ExternalPurchaseCore
import Ledger
import Logging
import ServiceLifecycle
import Synchronization

/// Runs the pipeline as a service: woken by commits, by due retries, and once a while in case either was missed.
///
/// Reports of one app and environment go one after another (SA-65 judges them so), those of different ones side by
/// side. Waiting times live in memory: after a restart everything open is tried at once, questions first.
package actor ReportSender: Service {
    private let pipeline: ReportPipeline
    private let tokens: TokenRecorder
    private let spool: LandingSpool?
    private let dependencies: ReportingDependencies
    private let logger: Logger

    private nonisolated let wakes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private nonisolated let orders = Mutex(Orders())
    private var queueWaits: [ReportingScope: Wait] = [:]
    private var reportWaits: [RequestIdentifier: Wait] = [:]
    private var stopped: Set<BundleId> = []
    /// Tokens that Apple asked for, in their order.
    private var asked: [ReportingScope: [ExternalPurchaseId]] = [:]
    /// How far the tokens that have to be answered are read.
    private var queues: [ReportingScope: DeadlineQueue] = [:]
    /// True once every stored deadline follows the rules of this process.
    private var hasCurrentDeadlines = false
    /// From when held sales may be planned anew.
    private var nextAttribution: Timestamp?
    /// The sequence of the last held sale that was reviewed; nil before the first review.
    private var reviewedUpTo: Int64?
    /// From when the next held sale has waited too long.
    private var nextReview: Timestamp?
    /// From when a notification that waits can be followed; none while no one waits.
    private var nextFollowUp: Timestamp?
    /// When that was found out.
    private var followedAt: Timestamp?
    private var turn: Task<Timestamp?, Never>?
    /// Why the clock was not trusted at the last look.
    private var clockDoubt: ClockDoubt?

    /// What other tasks ask of the sender.
    private struct Orders {
        /// Sales that waited for a token may find it; true at first, because a restart may have come in between.
        var attributesSales = true
        /// Notifications may ask for reports.
        var followsNotifications = true
        /// Tokens whose report a person asked for.
        var asked: [ReportingScope: [ExternalPurchaseId]] = [:]
        var stops = false
    }

    private struct Wait {
        var failures = 0
        var since: Timestamp
        var until: Timestamp
        /// When `until` was set.
        var noted: Timestamp

        /// A clock that was ahead then and is right now would make the wait as long as it was wrong.
        func holds(at now: Timestamp) -> Bool { noted <= now && now < until }
    }

    /// Longest time without a look at the ledger.
    private static let longestSleep: Int64 = 30_000
    /// How many tokens with sales are looked up at once.
    private static let planned = 1_000
    /// Most reports that are written, and recorded as accepted, in one transaction.
    private static let fastestPace = 32
    /// Most stored deadlines that are computed in one commit, and most such commits of one turn.
    private static let recalculation = (rows: 500, commits: 20)
    /// With more held sales than this they are planned anew less often: arrivals plan what they touch themselves.
    private static let heldAtOnce = 1_000
    /// How long the answer to a report is awaited once the server is asked to end.
    private static let patience = Duration.seconds(5)
    /// After this long without an answer a person should know (SA-73).
    private static let alertAfter: Int64 = 3_600_000

    init(
        pipeline: ReportPipeline,
        tokens: TokenRecorder,
        spool: LandingSpool?,
        dependencies: ReportingDependencies,
        logger: Logger
    ) {
        self.pipeline = pipeline
        self.tokens = tokens
        self.spool = spool
        self.dependencies = dependencies
        self.logger = logger
    }

    /// Says that the ledger has something new.
    ///
    /// - Parameter afterToken: true when sales may have waited for it.
    package nonisolated func wake(afterToken: Bool = false) {
        if afterToken { orders.withLock { $0.attributesSales = true } }
        wakes.continuation.yield()
    }

    /// Says that a notification waits for what follows from it.
    package nonisolated func wakeForNotification() {
        orders.withLock { $0.followsNotifications = true }
        wakes.continuation.yield()
    }

    /// Asks for the report that a token calls for, before its due date.
    nonisolated func ask(for token: ExternalPurchaseId, in scope: ReportingScope) {
        orders.withLock { $0.asked[scope, default: []].append(token) }
    }

    /// Sends an app's reports again after its key was refused and repaired.
    package func resume(_ bundleId: BundleId) {
        stopped.remove(bundleId)
        wake()
    }

    /// The apps whose key was refused.
    package var stoppedApps: Set<BundleId> { stopped }

    /// Runs until shutdown; a report whose answer is awaited then is finished first, unless that takes too long: then it
    /// stays `sending`, and is asked for after the next start (SA-71).
    package func run() async {
        wakes.continuation.yield()
        await withGracefulShutdownHandler {
            for await _ in wakes.stream {
                if orders.withLock({ $0.stops }) { break }
                let next = await settle()
                if orders.withLock({ $0.stops }) { break }
                scheduleWake(at: next)
            }
        } onGracefulShutdown: {
            self.orders.withLock { $0.stops = true }
            self.wakes.continuation.yield()
            Task { await self.giveUp(after: Self.patience) }
        }
        alarm?.cancel()
    }

    private func giveUp(after patience: Duration) async {
        try? await dependencies.sleep(patience)
        turn?.cancel()
    }

    private var alarm: Task<Void, Never>?

    private func scheduleWake(at next: Timestamp?) {
        alarm?.cancel()
        let now = dependencies.now()
        let rest = next.map { max(0, $0.milliseconds - now.milliseconds) } ?? Self.longestSleep
        let sleep = dependencies.sleep
        let continuation = wakes.continuation
        alarm = Task {
            do {
                try await sleep(.milliseconds(min(rest, Self.longestSleep)))
                continuation.yield()
            } catch {
                // Cancelled: an earlier wake took its place.
            }
        }
    }

    /// Does all that can be done now.
    ///
    /// - Returns: the moment from which more can be done; nil when only new commits bring work.
    @discardableResult
    package func settle() async -> Timestamp? {
        let previous = turn
        let task = Task(executorPreference: dependencies.executor) {
            _ = await previous?.value
            return await self.work()
        }
        turn = task
        return await task.value
    }

    private func work() async -> Timestamp? {
        await takeSpooledVisits()
        await settleSaleChanges()
        await recalculateDeadlines()
        guard isClockPlausible() else { return nil }
        await attributeSales()
        await reviewHeldSales()
        let nextFollowUp = await followNotifications()
        // In the order of their names, so that a run can be repeated.
        let scopes = pipeline.apps.values.sorted { $0.bundleId < $1.bundleId }.flatMap { app in
            app.environments.sorted { $0.rawValue < $1.rawValue }
                .map { ReportingScope(bundleId: app.bundleId, environment: $0) }
        }
        var moments = await withTaskGroup(of: Timestamp?.self) { group in
            for scope in scopes {
                group.addTask { await self.empty(scope) }
            }
            var moments: [Timestamp] = []
            for await next in group {
                if let next { moments.append(next) }
            }
            return moments
        }
        if !hasCurrentDeadlines { moments.append(dependencies.now()) }
        if let nextFollowUp { moments.append(nextFollowUp) }
        if let nextReview { moments.append(nextReview) }
        if orders.withLock({ $0.attributesSales }) {
            let again = dependencies.now().advanced(byMilliseconds: 1_000)
            moments.append(nextAttribution.map { max($0, again) } ?? again)
        }
        return moments.min()
    }

    /// Computes stored deadlines anew after the rules changed, some at a time.
    private func recalculateDeadlines() async {
        do {
            for _ in 0..<Self.recalculation.commits where !hasCurrentDeadlines {
                hasCurrentDeadlines = try await !pipeline.store.recalculate(limit: Self.recalculation.rows)
            }
        } catch {
            logger.error("deadlines wait for their computation", metadata: ["error": "\(error)"])
        }
    }

    /// What is answered by a clock that jumped cannot be taken back.
    private func isClockPlausible() -> Bool {
        let doubt = dependencies.clockDoubt()
        if let doubt, clockDoubt == nil {
            logger.critical("nothing is sent: the clock cannot be right", metadata: ["reason": "\(doubt)"])
        } else if doubt == nil, clockDoubt != nil {
            logger.notice("the clock is plausible again: sending goes on")
        }
        clockDoubt = doubt
        return doubt == nil
    }

    private func takeSpooledVisits() async {
        // While the hour's quota is used up, the file is not even read.
        guard let spool, tokens.visitQuota.admitsToken(at: dependencies.now()) else { return }
        do {
            let waiting = await spool.waiting()
            var taken = 0
            for visit in waiting.visits {
                guard tokens.visitQuota.admitsToken(at: dependencies.now()) else { break }
                if let arrival = visit.spooledArrival {
                    _ = try await tokens.record(arrival, at: visit.at, through: visit.link)
                }
                taken += 1
            }
            await spool.remove(taken, of: waiting)
            if taken > 0 {
                orders.withLock { $0.attributesSales = true }
                logger.notice("visits taken in from the spool file", metadata: ["visits": "\(taken)"])
            }
        } catch {
            logger.error("the spool file waits", metadata: ["error": "\(error)"])
        }
    }

    private func settleSaleChanges() async {
        do {
            try await pipeline.saleChanges.settleWaiting()
        } catch {
            logger.error("changes of sales wait", metadata: ["error": "\(error)"])
        }
    }

    private func attributeSales() async {
        if let nextAttribution, nextAttribution > dependencies.now() { return }
        let isDue = orders.withLock { orders in
            defer { orders.attributesSales = false }
            return orders.attributesSales
        }
        guard isDue else { return }
        do {
            let held = try await pipeline.attribute()
            let rest = held > Self.heldAtOnce ? 10 * Int64(held) : 0
            nextAttribution = rest == 0 ? nil : dependencies.now().advanced(byMilliseconds: rest)
        } catch {
            orders.withLock { $0.attributesSales = true }
            logger.error("held sales wait", metadata: ["error": "\(error)"])
        }
    }

    /// Opens review items of sales that have waited too long (RR-66); closes those that are not needed any more.
    private func reviewHeldSales() async {
        if let nextReview, nextReview > dependencies.now() { return }
        do throws(LedgerError) {
            if reviewedUpTo == nil { try await pipeline.review.closeSettledItems() }
            let reviewed = try await pipeline.review.openItems(ofHeldSalesAfter: reviewedUpTo)
            reviewedUpTo = reviewed.last
            nextReview = reviewed.next
        } catch {
            nextReview = dependencies.now().advanced(byMilliseconds: 1_000)
            logger.error("review items wait", metadata: ["error": "\(error)"])
        }
    }

    private var isFollowUpDue: Bool {
        guard let nextFollowUp else { return false }
        let now = dependencies.now()
        // A clock that was ahead when the moment was found is no reason to wait that long.
        return nextFollowUp <= now || followedAt.map { now < $0 } ?? false
    }

    /// Does what stored notifications ask for (NT-63 to NT-66).
    ///
    /// - Returns: the moment from which one that waits can be done.
    private func followNotifications() async -> Timestamp? {
        let isDue = orders.withLock { orders in
            defer { orders.followsNotifications = false }
            return orders.followsNotifications
        }
        // Undone they wait until sending is on.
        guard pipeline.settings.isSendingOn else {
            orders.withLock { $0.followsNotifications = true }
            return nil
        }
        guard isDue || isFollowUpDue else { return nextFollowUp }
        do {
            let outcome = try await pipeline.followNotifications()
            for (scope, tokens) in outcome.asked { asked[scope, default: []] += tokens }
            nextFollowUp = outcome.next
            followedAt = outcome.next.map { _ in dependencies.now() }
        } catch {
            orders.withLock { $0.followsNotifications = true }
            nextFollowUp = dependencies.now().advanced(byMilliseconds: 1_000)
            logger.error("notifications wait", metadata: ["error": "\(error)"])
        }
        return nextFollowUp
    }

    // MARK: One queue

    /// Works off one app and environment until nothing is left that can be done now.
    ///
    /// - Returns: the moment from which more can be done, past already when time went by meanwhile; nil when only new
    ///   commits bring work.
    private func empty(_ scope: ReportingScope) async -> Timestamp? {
        guard pipeline.settings.isSendingOn else { return nil }
        var turns = Turns()
        // Growing only while all goes well, so that few reports are in between when something does not.
        var pace = 1
        while !orders.withLock({ $0.stops }), !stopped.contains(scope.bundleId), isClockPlausible() {
            let now = dependencies.now()
            // First, because a ledger that goes on failing ends the loop here.
            if let wait = queueWaits[scope], wait.holds(at: now) { return wait.until }
            do throws(LedgerError) {
                // Before anything is sent: a report may have got the answer that a change waited for.
                if try await pipeline.saleChanges.settleWaiting() { turns = Turns() }
                switch try await next(in: scope, &turns, pace: pace, now: now) {
                case .send(let reports):
                    let outcomes = try await pipeline.send(reports) { !self.orders.withLock { $0.stops } }
                    for (report, outcome) in outcomes { note(outcome, of: report) }
                    let isGood = outcomes.count == reports.count && outcomes.allSatisfy { $0.outcome == .accepted }
                    pace = isGood ? min(2 * pace, Self.fastestPace) : 1
                case .ask(let report):
                    note(try await pipeline.recover(report), of: report)
                    // What waited for this report may be ready now.
                    turns = Turns()
                case .later(let moment):
                    return moment
                }
            } catch {
                pace = 1
                if error != .stopped {
                    logger.error("the ledger stopped the queue", metadata: ["app": "\(scope)", "error": "\(error)"])
                }
                queueWaits[scope] = wait(after: queueWaits[scope], mostSeconds: 60)
            }
        }
        return nil
    }

    private enum Next {
        /// Committed as being sent, and surely not at Apple.
        case send([StoredReport])
        /// Of unknown fate.
        case ask(StoredReport)
        /// The moment from which there is more to do; nil when only new commits bring work.
        case later(Timestamp?)
    }

    /// The tokens with sales in the order of their turn, while one queue is worked off.
    private struct Turns {
        var tokens: ArraySlice<ExternalPurchaseId> = []
        /// Tokens whose sales turned out to wait: they must not keep the others from their turn.
        var waiting: Set<ExternalPurchaseId> = []
        var hasWritten = false
    }

    /// The open reports that waited longest for their turn, else new ones.
    private func next(
        in scope: ReportingScope,
        _ turns: inout Turns,
        pace: Int,
        now: Timestamp
    ) async throws(LedgerError) -> Next {
        let open = try await pipeline.openReports(in: scope)
        func place(_ report: StoredReport) -> (Int64, Int64) {
            (reportWaits[report.requestIdentifier]?.until.milliseconds ?? .min, report.sequence)
        }
        let ready = open.filter { reportWaits[$0.requestIdentifier].map { !$0.holds(at: now) } ?? true }
            .sorted { place($0) < place($1) }
        if let first = ready.first {
            guard first.state == .written else { return .ask(first) }
            let surelyHere = ready.prefix(pace).prefix { $0.state == .written }
            let marked = try await pipeline.delivery.markSending(Array(surelyHere))
            if !marked.isEmpty { return .send(marked) }
        }
        if let reports = try await nextSales(in: scope, &turns, pace: pace) { return .send(reports) }
        if let reports = try await nextAnswers(in: scope, pace: pace, now: now) { return .send(reports) }
        let waits = open.compactMap { reportWaits[$0.requestIdentifier]?.until }
        let (position, hasDelay) = (queues[scope]?.position, pipeline.sendDelay > 0)
        let next = try await pipeline.store.read { ledger throws(LedgerError) in
            (
                token: try ledger.nextTokenToAnswer(in: scope, after: position),
                sale: hasDelay ? try ledger.nextSaleToSend(in: scope, after: now) : nil
            )
        }
        let moments = [(queues[scope] ?? DeadlineQueue()).next(next.token), next.sale]
        return .later((waits + moments.compactMap(\.self)).min())
    }

    /// Reports of tokens whose sales are ready (SA-74); nil when there are none.
    private func nextSales(
        in scope: ReportingScope,
        _ turns: inout Turns,
        pace: Int
    ) async throws(LedgerError) -> [StoredReport]? {
        while true {
            if turns.tokens.isEmpty {
                let waiting = turns.waiting
                let limit = Self.planned + waiting.count
                let rested = try await pipeline.tokensWithSalesToSend(scope, limit: limit)
                let others = try await pipeline.plan(scope, limit: limit)
                let tokens = rested + (rested.isEmpty ? others : others.filter { !rested.contains($0) })
                turns.tokens = tokens.filter { !waiting.contains($0) }[...]
                if turns.tokens.isEmpty {
                    // What waited may have been waiting for a report that was sent meanwhile.
                    let isWorthAnotherRound = turns.hasWritten && !waiting.isEmpty
                    turns = Turns()
                    if isWorthAnotherRound { continue }
                    return nil
                }
            }
            let tokens = Array(turns.tokens.prefix(pace))
            let written = try await pipeline.write(tokens, in: scope)
            turns.tokens.removeFirst(tokens.count)
            turns.waiting.formUnion(written.idle)
            if !written.reports.isEmpty {
                turns.hasWritten = true
                return written.reports
            }
        }
    }

    /// Reports of tokens whose answer was asked for or is due (NT-64, RR-72); nil when there are none.
    private func nextAnswers(
        in scope: ReportingScope,
        pace: Int,
        now: Timestamp
    ) async throws(LedgerError) -> [StoredReport]? {
        let wanted = orders.withLock { $0.asked.removeValue(forKey: scope) ?? [] }
        if !wanted.isEmpty { asked[scope, default: []] += wanted }
        while let tokens = asked[scope]?.prefix(pace), !tokens.isEmpty {
            let written = try await pipeline.write(Array(tokens), in: scope, isAsked: true)
            asked[scope]?.removeFirst(tokens.count)
            if !written.reports.isEmpty { return written.reports }
        }
        while true {
            var queue = queues[scope] ?? DeadlineQueue()
            queue.restart(at: now)
            let position = queue.position
            let due = try await pipeline.store.read { ledger throws(LedgerError) in
                try ledger.tokensToAnswer(in: scope, until: now, after: position, limit: pace)
            }
            queues[scope] = queue
            guard let last = due.last?.position else { return nil }
            let written = try await pipeline.write(due.map(\.token), in: scope, isAsked: true, isDue: true)
            // Those that are answered leave the queue.
            if written.reports.isEmpty || !written.unanswered.isEmpty { queue.advance(to: last, at: now) }
            queues[scope] = queue
            if !written.reports.isEmpty { return written.reports }
        }
    }

    private func note(_ outcome: ReportDelivery.Outcome, of report: StoredReport) {
        let (id, scope) = (report.requestIdentifier, report.scope)
        switch outcome {
        case .accepted:
            reportWaits[id] = nil
            queueWaits[scope] = nil
        case .held:
            reportWaits[id] = nil
            queueWaits[scope] = nil
        case .waits(let mostSeconds):
            queueWaits[scope] = nil
            reportWaits[id] = wait(after: reportWaits[id], mostSeconds: mostSeconds)
        case .queueWaits(let until):
            // The report waits too, so that one that always fails cannot keep the others from their turn.
            reportWaits[id] = wait(after: reportWaits[id], mostSeconds: 300)
            var queue = wait(after: queueWaits[scope], mostSeconds: 300)
            if let until {
                queue.until = until
                reportWaits[id]?.until = until
            }
            queueWaits[scope] = queue
            if dependencies.now().milliseconds - queue.since.milliseconds >= Self.alertAfter {
                logger.critical("no report went out for an hour", metadata: ["app": "\(scope)"])
            }
        case .unauthorized:
            stopped.insert(scope.bundleId)
            logger.critical(
                "the key of the app was refused twice: nothing is sent until it is right and a person says so",
                metadata: ["app": "\(scope.bundleId)"]
            )
        }
    }

    /// 1, 2, 4 … seconds with up to a quarter more by chance, so that many clients do not come back together.
    private func wait(after earlier: Wait?, mostSeconds: Int64) -> Wait {
        let now = dependencies.now()
        var wait = earlier ?? Wait(since: now, until: now, noted: now)
        wait.noted = now
        let seconds = min(mostSeconds, 1 << Int64(min(wait.failures, 20)))
        wait.failures += 1
        wait.until = now.advanced(
            byMilliseconds: Int64(Double(seconds * 1_000) * (1 + dependencies.random() / 4))
        )
        return wait
    }
}

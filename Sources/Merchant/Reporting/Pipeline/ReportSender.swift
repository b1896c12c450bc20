package import ExternalPurchaseCore
import Ledger
import Logging
import ServiceLifecycle
import Synchronization

/// Runs the pipeline as a service; commits and due retries wake it, and a timer covers missed wakes.
///
/// Reports of one app and environment are sent one after another, because Apple validates them so (SA-65); different
/// apps and environments run concurrently. Waiting times are held in memory: after a restart every open report is tried
/// at once, and reports of unknown state are retrieved first.
package actor ReportSender: Service {
    let pipeline: ReportPipeline
    private let tokens: TokenRecorder
    private let spool: LandingSpool?
    let dependencies: ReportingDependencies
    let logger: Logger
    /// Which work this server does of those that share the ledger.
    nonisolated let leases: LeaseKeeper
    /// The newest audit entry that was looked at; nil before the first look.
    var seenEntry: Int64?
    /// Called when this server becomes the elected one.
    nonisolated let elections = Mutex<(@Sendable () -> Void)?>(nil)

    nonisolated let wakes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    nonisolated let pendingRequests = Mutex(PendingRequests())
    var queueWaits: [ReportingScope: Wait] = [:]
    var reportWaits: [RequestIdentifier: Wait] = [:]
    var stopped: Set<BundleId> = []
    /// The apps and environments whose requests Apple's API does not answer.
    var outagesByScope: [ReportingScope: SendingOutage] = [:]
    /// The cursors over the tokens that have to be reported by their deadline.
    var queues: [ReportingScope: DeadlineQueue] = [:]
    /// The earliest time of the next planning of held sales.
    var nextAttribution: Timestamp?
    /// The sequence of the last held sale that was reviewed; nil before the first review.
    var reviewedUpTo: Int64?
    /// The time at which the next held sale has waited too long.
    var nextReview: Timestamp?
    /// The time at which the next waiting notification can be handled; nil if none waits.
    var nextFollowUp: Timestamp?
    /// The time at which `nextFollowUp` was set.
    private var followedAt: Timestamp?
    /// The latest time of the clock so far; nil before the first look, which finds what an earlier process stored.
    private var latestLook: Timestamp?
    /// Tokens whose stored moment of report comes from a clock that was ahead.
    private var tokensSeenAhead: [ReportPipeline.TokenSeenAhead] = []
    private var turn: Task<Timestamp?, Never>?
    /// The doubt about the clock at the last check.
    private var clockDoubt: ClockDoubt?

    /// Requests of other tasks to the sender.
    struct PendingRequests {
        /// True if sales that waited for a token may find it.
        ///
        /// It is true at first, in case the server stopped before planning them.
        var attributesSales = true
        /// True if notifications may require reports.
        var followsNotifications = true
        var stops = false
    }

    struct Wait {
        var failures = 0
        var since: Timestamp
        var until: Timestamp
        /// The time at which `until` was set.
        var noted: Timestamp

        /// Returns whether the wait is in force.
        ///
        /// If `noted` is in the future, the clock was wrong when the wait was set, and the wait ends.
        func holds(at now: Timestamp) -> Bool { noted <= now && now < until }
    }

    /// The longest time between two queries of the ledger.
    private static let longestSleep = Duration.seconds(30)
    /// The number of tokens with sales that one query returns.
    private static let planned = 1_000
    /// The largest number of reports that are written, and recorded as accepted, in one transaction.
    private static let fastestPace = 32
    /// The largest number of stored deadlines that one commit computes, and of such commits per turn.
    private static let recalculation = (rows: 500, commits: 20)
    /// The number of held sales above which they are planned less often.
    ///
    /// An arrival plans the sales that it affects in any case.
    private static let heldAtOnce = 1_000
    /// The visits of the spool file that the ledger may refuse before the rest waits for the next look.
    private static let refusedVisits = 10
    /// The time for which a shutdown waits for the response to a report.
    private static let patience = Duration.seconds(5)
    /// The time without a response after which a critical log line is written (SA-73).
    private static let alertAfter = Duration.hours(1)

    init(
        pipeline: ReportPipeline,
        tokens: TokenRecorder,
        spool: LandingSpool?,
        leases: LeaseKeeper,
        dependencies: ReportingDependencies,
        logger: Logger
    ) {
        self.leases = leases
        self.pipeline = pipeline
        self.tokens = tokens
        self.spool = spool
        self.dependencies = dependencies
        self.logger = logger
    }

    /// Wakes the sender after a commit.
    ///
    /// - Parameter afterToken: true if sales may have waited for the committed data.
    package nonisolated func wake(afterToken: Bool = false) {
        if afterToken { pendingRequests.withLock { $0.attributesSales = true } }
        wakes.continuation.yield()
    }

    /// Wakes the sender to handle a stored notification.
    package nonisolated func wakeForNotification() {
        pendingRequests.withLock { $0.followsNotifications = true }
        wakes.continuation.yield()
    }

    /// Resumes sending an app's reports after its refused key was repaired.
    package func resume(_ bundleId: BundleId) {
        stopped.remove(bundleId)
        wake()
    }

    /// The apps whose key was refused, at this server or at the one that sends their reports.
    package var stoppedApps: Set<BundleId> {
        stopped.union(outagesOfOthers.filter(\.isRefusedKey).map(\.scope.bundleId))
    }

    /// The apps and environments whose requests Apple's API does not answer, by name, with those of other servers.
    package var outages: [SendingOutage] {
        (outagesByScope.values + outagesOfOthers).sorted {
            ($0.scope.bundleId.rawValue, $0.scope.environment.rawValue)
                < ($1.scope.bundleId.rawValue, $1.scope.environment.rawValue)
        }
    }

    /// Runs until shutdown.
    ///
    /// A shutdown waits up to 5 seconds for an expected response. Without it the report remains `sending`, and is
    /// retrieved after the next start (SA-71).
    package func run() async {
        await tick()
        let ticker = leases.isShared ? Task { await self.tickUntilCancelled() } : nil
        wakes.continuation.yield()
        await withGracefulShutdownHandler {
            for await _ in wakes.stream {
                if pendingRequests.withLock({ $0.stops }) { break }
                let next = await runUntilIdle()
                if pendingRequests.withLock({ $0.stops }) { break }
                scheduleWake(at: next)
            }
        } onGracefulShutdown: {
            self.pendingRequests.withLock { $0.stops = true }
            self.wakes.continuation.yield()
            Task { await self.giveUp(after: Self.patience) }
        }
        alarm?.cancel()
        ticker?.cancel()
        await ticker?.value
        await leases.releaseAll()
    }

    private func giveUp(after patience: Duration) async {
        try? await dependencies.sleep(patience)
        turn?.cancel()
    }

    private var alarm: Task<Void, Never>?

    private func scheduleWake(at next: Timestamp?) {
        alarm?.cancel()
        let now = dependencies.now()
        let rest = next.map { max(.zero, now.duration(to: $0)) } ?? Self.longestSleep
        let sleep = dependencies.sleep
        let continuation = wakes.continuation
        alarm = Task {
            do {
                try await sleep(min(rest, Self.longestSleep))
                continuation.yield()
            } catch {
                // The task is cancelled when an earlier wake replaces it.
            }
        }
    }

    /// Does all work that is possible now.
    ///
    /// - Returns: the time of the next work; nil if only new commits cause work.
    @discardableResult
    package func runUntilIdle() async -> Timestamp? {
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
        await resumeRepairedApps()
        // The elected server maintains the ledger; others only send the reports of their apps and environments.
        let maintained = await maintain()
        guard isClockPlausible() else { return nil }
        // Sorted by name, so that a run can be repeated.
        let scopes = pipeline.apps.values.sorted { $0.bundleId < $1.bundleId }.flatMap(\.scopes)
        var moments = await withTaskGroup(of: Timestamp?.self) { group in
            for scope in scopes {
                group.addTask { await self.drain(scope) }
            }
            var moments: [Timestamp] = []
            for await next in group {
                if let next { moments.append(next) }
            }
            return moments
        }
        if let maintained {
            moments += maintained
            if let nextReview { moments.append(nextReview) }
            if pendingRequests.withLock({ $0.attributesSales }) {
                let again = dependencies.now() + .seconds(1)
                moments.append(nextAttribution.map { max($0, again) } ?? again)
            }
        }
        return moments.min()
    }

    /// Does the work that is done once for the whole ledger.
    ///
    /// - Returns: the times of the next such work; nil if another server does it.
    private func maintain() async -> [Timestamp]? {
        guard let permit = leases.begin(.maintenance) else { return nil }
        defer { leases.end(.maintenance) }
        let pipeline = pipeline.under(permit)
        await applySaleChanges(pipeline)
        let nextRecalculation = await recalculateDeadlines(pipeline)
        guard isClockPlausible() else { return [] }
        let nextToken = await endWaitsOfWrongClock(pipeline)
        await attributeSales(pipeline)
        await reviewHeldSales(pipeline)
        return [nextRecalculation, nextToken, await followNotifications(pipeline)].compactMap(\.self)
    }

    /// Ends what waits for a moment that a clock which was ahead has noted or stored (SA-75).
    ///
    /// It looks for such moments at the start and whenever the clock was set back.
    ///
    /// - Returns: the time at which the next token is reported for this reason.
    private func endWaitsOfWrongClock(_ pipeline: ReportPipeline) async -> Timestamp? {
        let now = dependencies.now()
        do {
            if latestLook?.isAhead(of: now) ?? true {
                if latestLook != nil { forget(.maintenance) }
                tokensSeenAhead = try await pipeline.tokensSeenAhead(of: now)
                latestLook = now
            }
            latestLook = latestLook.map { max($0, now) }
            let due = tokensSeenAhead.filter { $0.moment <= now }
            try await pipeline.request(due)
            tokensSeenAhead.removeAll { $0.moment <= now }
            return tokensSeenAhead.map(\.moment).min()
        } catch {
            logger.error("tokens named by a wrong clock wait", metadata: ["error": "\(error)"])
            return now + .seconds(1)
        }
    }

    /// Computes outdated deadlines, a bounded number in one turn so that sending goes on meanwhile.
    ///
    /// - Returns: the time from which there is more to compute; nil when every deadline is up to date.
    private func recalculateDeadlines(_ pipeline: ReportPipeline) async -> Timestamp? {
        do {
            for _ in 0..<Self.recalculation.commits {
                guard try await pipeline.store.recalculate(limit: Self.recalculation.rows) else { return nil }
            }
            return dependencies.now()
        } catch {
            logger.error("deadlines wait for their computation", metadata: ["error": "\(error)"])
            // A full disk must not make the sender spin.
            return dependencies.now() + .seconds(1)
        }
    }

    /// Returns whether the clock is plausible; a report sent by a wrong clock cannot be undone.
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
        // The file is not even read while the quota of the hour is used up.
        guard let spool, tokens.visitQuota.admitsToken(at: dependencies.now()) else { return }
        do {
            let waiting = await spool.waiting()
            var (taken, refused) = (0, 0)
            for visit in waiting.visits {
                guard refused < Self.refusedVisits, tokens.visitQuota.admitsToken(at: dependencies.now()) else { break }
                if let arrival = visit.spooledArrival {
                    do throws(LedgerError) {
                        _ = try await tokens.record(arrival, at: visit.at, through: visit.link)
                    } catch .failed(let reason) {
                        // The ledger works and takes this visit never: it goes behind the others, which must not wait for it.
                        logger.error("a visit in the spool file is refused", metadata: ["error": "\(reason)"])
                        guard await spool.append(visit) else { break }
                        refused += 1
                    }
                }
                taken += 1
            }
            await spool.remove(taken, of: waiting)
            if taken > refused {
                pendingRequests.withLock { $0.attributesSales = true }
                logger.notice("visits taken in from the spool file", metadata: ["visits": "\(taken - refused)"])
            }
        } catch {
            logger.error("the spool file waits", metadata: ["error": "\(error)"])
        }
    }

    private func applySaleChanges(_ pipeline: ReportPipeline) async {
        do {
            try await pipeline.saleChanges.applyWaiting()
        } catch {
            logger.error("changes of sales wait", metadata: ["error": "\(error)"])
        }
    }

    private func attributeSales(_ pipeline: ReportPipeline) async {
        if let nextAttribution, nextAttribution > dependencies.now() { return }
        let isDue = pendingRequests.withLock { pendingRequests in
            defer { pendingRequests.attributesSales = false }
            return pendingRequests.attributesSales
        }
        guard isDue else { return }
        do {
            let held = try await pipeline.attribute()
            nextAttribution = held > Self.heldAtOnce ? dependencies.now() + .milliseconds(10) * held : nil
        } catch {
            pendingRequests.withLock { $0.attributesSales = true }
            logger.error("held sales wait", metadata: ["error": "\(error)"])
        }
    }

    /// Opens review items for sales that have waited too long (RR-66), and closes items that are no longer needed.
    private func reviewHeldSales(_ pipeline: ReportPipeline) async {
        if let nextReview, nextReview > dependencies.now() { return }
        do throws(LedgerError) {
            if reviewedUpTo == nil { try await pipeline.review.closeSettledItems() }
            let reviewed = try await pipeline.review.openItems(ofHeldSalesAfter: reviewedUpTo)
            reviewedUpTo = reviewed.last
            nextReview = reviewed.next
        } catch {
            nextReview = dependencies.now() + .seconds(1)
            logger.error("review items wait", metadata: ["error": "\(error)"])
        }
    }

    private var isFollowUpDue: Bool {
        guard let nextFollowUp else { return false }
        let now = dependencies.now()
        // If the clock was ahead when the time was computed, the wait ends.
        return nextFollowUp <= now || followedAt.map { now < $0 } ?? false
    }

    /// Carries out the actions that stored notifications require (NT-63 to NT-66).
    ///
    /// - Returns: the time at which the next waiting notification can be handled.
    private func followNotifications(_ pipeline: ReportPipeline) async -> Timestamp? {
        let isDue = pendingRequests.withLock { pendingRequests in
            defer { pendingRequests.followsNotifications = false }
            return pendingRequests.followsNotifications
        }
        // The notifications wait until sending is turned on.
        guard pipeline.settings.isSendingOn else {
            pendingRequests.withLock { $0.followsNotifications = true }
            return nil
        }
        guard isDue || isFollowUpDue else { return nextFollowUp }
        do {
            let outcome = try await pipeline.followNotifications()
            nextFollowUp = outcome.next
            followedAt = outcome.next.map { _ in dependencies.now() }
        } catch {
            pendingRequests.withLock { $0.followsNotifications = true }
            nextFollowUp = dependencies.now() + .seconds(1)
            logger.error("notifications wait", metadata: ["error": "\(error)"])
        }
        return nextFollowUp
    }

    // MARK: One queue

    /// Processes the queue of one app and environment until nothing more can be done now.
    ///
    /// - Returns: the time of the next work, which may have passed already; nil if only new commits cause work.
    private func drain(_ scope: ReportingScope) async -> Timestamp? {
        guard pipeline.settings.isSendingOn, let permit = leases.begin(.reports(scope)) else { return nil }
        defer { leases.end(.reports(scope)) }
        let pipeline = pipeline.under(permit)
        var turns = Turns()
        // The batch grows only while all reports are accepted, so that few are in flight when a problem occurs.
        var pace = 1
        while !pendingRequests.withLock({ $0.stops }), !stoppedApps.contains(scope.bundleId), isClockPlausible(),
            permit.outlastsRequest()
        {
            let now = dependencies.now()
            // Checked first, so that a ledger that keeps failing ends the loop here.
            if let wait = queueWaits[scope], wait.holds(at: now) { return wait.until }
            do throws(LedgerError) {
                // Done before anything is sent, because a change may have waited for a response that has arrived.
                if try await pipeline.saleChanges.applyWaiting() { turns = Turns() }
                switch try await next(in: scope, &turns, pace: pace, now: now, pipeline) {
                case .send(let reports):
                    let outcomes = try await pipeline.send(reports) { !self.pendingRequests.withLock { $0.stops } }
                    for (report, outcome) in outcomes { note(outcome, of: report) }
                    let isGood = outcomes.count == reports.count && outcomes.allSatisfy { $0.outcome == .accepted }
                    pace = isGood ? min(2 * pace, Self.fastestPace) : 1
                case .fetch(let report):
                    note(try await pipeline.recover(report), of: report)
                    // Sales that waited for this report may be ready now.
                    turns = Turns()
                case .later(let moment):
                    return moment
                }
            } catch {
                pace = 1
                if case .leaseLost = error {
                    if !permit.outlastsRequest() { return nil }
                    if let claim = permit.claim { leases.drop(claim) }
                    return nil
                }
                if error != .stopped {
                    logger.error("the ledger stopped the queue", metadata: ["app": "\(scope)", "error": "\(error)"])
                }
                queueWaits[scope] = wait(after: queueWaits[scope], atMost: .seconds(60))
            }
        }
        return nil
    }

    private enum Next {
        /// Reports that are committed as `sending` and are certainly not at Apple.
        case send([StoredReport])
        /// A report of unknown state.
        case fetch(StoredReport)
        /// The time of the next work; nil if only new commits cause work.
        case later(Timestamp?)
    }

    /// The order in which tokens with sales take turns while a queue is processed.
    private struct Turns {
        var tokens: ArraySlice<ExternalPurchaseId> = []
        /// Tokens whose sales have to wait; they are skipped so that other tokens get their turn.
        var waiting: Set<ExternalPurchaseId> = []
        var hasWritten = false
    }

    /// Returns the open reports that have waited longest, or else new ones.
    private func next(
        in scope: ReportingScope,
        _ turns: inout Turns,
        pace: Int,
        now: Timestamp,
        _ pipeline: ReportPipeline
    ) async throws(LedgerError) -> Next {
        let open = try await pipeline.openReports(in: scope)
        func place(_ report: StoredReport) -> (Int64, Int64) {
            (reportWaits[report.requestIdentifier]?.until.milliseconds ?? .min, report.sequence)
        }
        let ready = open.filter { reportWaits[$0.requestIdentifier].map { !$0.holds(at: now) } ?? true }
            .sorted { place($0) < place($1) }
        if let first = ready.first {
            guard first.state == .written else { return .fetch(first) }
            let notYetSent = ready.prefix(pace).prefix { $0.state == .written }
            let marked = try await pipeline.delivery.markSending(Array(notYetSent))
            if !marked.isEmpty { return .send(marked) }
        }
        if let reports = try await nextSales(in: scope, &turns, pace: pace, pipeline) { return .send(reports) }
        if let reports = try await nextAnswers(in: scope, pace: pace, now: now, pipeline) { return .send(reports) }
        let waits = open.compactMap { reportWaits[$0.requestIdentifier]?.until }
        let (position, hasDelay) = (queues[scope]?.position, pipeline.sendDelay > .zero)
        let next = try await pipeline.store.read { ledger throws(LedgerError) in
            (
                token: try ledger.nextTokenToAnswer(in: scope, after: position),
                sale: hasDelay ? try ledger.nextSaleToSend(in: scope, after: now) : nil
            )
        }
        let moments = [(queues[scope] ?? DeadlineQueue()).next(next.token), next.sale]
        return .later((waits + moments.compactMap(\.self)).min())
    }

    /// Writes reports of tokens whose sales are ready (SA-74); nil if there are none.
    private func nextSales(
        in scope: ReportingScope,
        _ turns: inout Turns,
        pace: Int,
        _ pipeline: ReportPipeline
    ) async throws(LedgerError) -> [StoredReport]? {
        while true {
            if turns.tokens.isEmpty {
                let waiting = turns.waiting
                let limit = Self.planned + waiting.count
                let rested = try await pipeline.tokensWithSalesToSend(scope, limit: limit)
                let others = try await pipeline.tokensReadyToReport(in: scope, limit: limit)
                let tokens = rested + (rested.isEmpty ? others : others.filter { !rested.contains($0) })
                turns.tokens = tokens.filter { !waiting.contains($0) }[...]
                if turns.tokens.isEmpty {
                    // The skipped tokens may have waited for a report that was sent in the meantime.
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

    /// Writes reports of tokens whose report was requested or is due (NT-64, RR-72); nil if there are none.
    private func nextAnswers(
        in scope: ReportingScope,
        pace: Int,
        now: Timestamp,
        _ pipeline: ReportPipeline
    ) async throws(LedgerError) -> [StoredReport]? {
        while true {
            let requested = try await pipeline.store.read { ledger throws(LedgerError) in
                try ledger.requestedReports(in: scope, limit: pace)
            }
            if requested.isEmpty { break }
            // The requests are deleted with the same commit.
            let written = try await pipeline.write(requested, in: scope, isRequested: true)
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
            let written = try await pipeline.write(due.map(\.token), in: scope, isRequested: true, isDue: true)
            // Reported tokens leave the ledger's queue, so the cursor has to move only past the others.
            if written.reports.isEmpty || !written.unanswered.isEmpty { queue.advance(to: last, at: now) }
            queues[scope] = queue
            if !written.reports.isEmpty { return written.reports }
        }
    }

    private func note(_ outcome: ReportDelivery.Outcome, of report: StoredReport) {
        let (id, scope) = (report.requestIdentifier, report.scope)
        switch outcome {
        case .accepted, .held:
            noteAnswer(in: scope)
            reportWaits[id] = nil
            queueWaits[scope] = nil
        case .waits(let limit):
            noteAnswer(in: scope)
            queueWaits[scope] = nil
            reportWaits[id] = wait(after: reportWaits[id], atMost: limit)
        case .queueWaits(let until, let reason):
            noteSilence(in: scope, reason)
            // The report waits too, so that one that always fails does not block the others.
            reportWaits[id] = wait(after: reportWaits[id], atMost: .seconds(300))
            var queue = wait(after: queueWaits[scope], atMost: .seconds(300))
            if let until {
                queue.until = until
                reportWaits[id]?.until = until
            }
            queueWaits[scope] = queue
            if queue.since.duration(to: dependencies.now()) >= Self.alertAfter {
                logger.critical("no report went out for an hour", metadata: ["app": "\(scope)"])
            }
        case .unauthorized(let reason):
            stopped.insert(scope.bundleId)
            noteSilence(in: scope, reason, isRefusedKey: true)
            logger.critical(
                "the key of the app was refused twice: nothing is sent until it is right and a person says so",
                metadata: [
                    "app": "\(scope.bundleId)", "environment": "\(scope.environment.rawValue)", "reason": "\(reason)",
                ]
            )
        }
    }

    /// Notes that Apple's API did not answer, and writes a log line when that is new or has another reason.
    private func noteSilence(in scope: ReportingScope, _ reason: String, isRefusedKey: Bool = false) {
        let earlier = outagesByScope[scope]
        let outage = SendingOutage(
            scope: scope,
            reason: reason,
            since: earlier?.since ?? dependencies.now(),
            isRefusedKey: isRefusedKey
        )
        guard outage != earlier else { return }
        outagesByScope[scope] = outage
        logger.warning(
            "reports wait: Apple's API does not answer",
            metadata: [
                "app": "\(scope.bundleId)", "environment": "\(scope.environment.rawValue)", "reason": "\(reason)",
                "since": "\(outage.since)",
            ]
        )
    }

    /// Notes that Apple's API answered, and writes a log line when it did not before.
    private func noteAnswer(in scope: ReportingScope) {
        guard let outage = outagesByScope.removeValue(forKey: scope) else { return }
        logger.info(
            "Apple's API answers again",
            metadata: [
                "app": "\(scope.bundleId)", "environment": "\(scope.environment.rawValue)",
                "since": "\(outage.since)",
            ]
        )
    }

    /// Computes an exponential wait of 1, 2, 4 … seconds plus a random share of up to a quarter, which spreads clients.
    private func wait(after earlier: Wait?, atMost limit: Duration) -> Wait {
        let now = dependencies.now()
        var wait = earlier ?? Wait(since: now, until: now, noted: now)
        wait.noted = now
        let time = min(limit, .seconds(1) * (1 << min(wait.failures, 20)))
        wait.failures += 1
        wait.until = now + time * (1 + dependencies.random() / 4)
        return wait
    }
}

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
    private let intake: TokenIntake
    private let spool: LandingSpool?
    private let surroundings: Surroundings
    private let logger: Logger

    private nonisolated let wakes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private nonisolated let orders = Mutex(Orders())
    private var queueWaits: [ReportingScope: Wait] = [:]
    private var reportWaits: [RequestIdentifier: Wait] = [:]
    private var stopped: Set<BundleId> = []
    /// Tokens whose answer is due or was asked for, in their order.
    private var asked: [ReportingScope: [ExternalPurchaseId]] = [:]
    /// From when the ledger is searched for tokens that have to be answered; none means now.
    private var nextSearch: [ReportingScope: Timestamp] = [:]
    /// When that was found out.
    private var searchedAt: [ReportingScope: Timestamp] = [:]
    /// From when a notification that waits can be followed; none while no one waits.
    private var nextFollowUp: Timestamp?
    /// When that was found out.
    private var followedAt: Timestamp?
    private var turn: Task<Timestamp?, Never>?

    /// What other tasks ask of the sender.
    private struct Orders {
        /// Sales that waited for a token may find it; true at first, because a restart may have come in between.
        var attributesSales = true
        /// Notifications may ask for reports.
        var followsNotifications = true
        /// The moments from which tokens that just arrived have to be answered.
        var answers: [ReportingScope: Timestamp] = [:]
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
    private static let never = Timestamp(milliseconds: 253_402_300_799_999)
    /// How many tokens with sales are looked up at once.
    private static let planned = 8
    /// Most tokens that one search brings, so that a great backlog is answered in parts.
    private static let searched = 1_000
    /// After this long without an answer a person should know (SA-73).
    private static let alertAfter: Int64 = 3_600_000

    init(
        pipeline: ReportPipeline,
        intake: TokenIntake,
        spool: LandingSpool?,
        surroundings: Surroundings,
        logger: Logger
    ) {
        self.pipeline = pipeline
        self.intake = intake
        self.spool = spool
        self.surroundings = surroundings
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

    /// Says from when a token that has just arrived has to be answered (RR-72).
    nonisolated func answer(in scope: ReportingScope, from moment: Timestamp) {
        orders.withLock { $0.answers[scope] = min($0.answers[scope] ?? moment, moment) }
    }

    /// Sends an app's reports again after its key was refused and repaired.
    package func resume(_ bundleId: BundleId) {
        stopped.remove(bundleId)
        wake()
    }

    /// The apps whose key was refused.
    package var stoppedApps: Set<BundleId> { stopped }

    /// Runs until shutdown; a report whose answer is awaited then is finished first.
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
        }
        alarm?.cancel()
    }

    private var alarm: Task<Void, Never>?

    private func scheduleWake(at next: Timestamp?) {
        alarm?.cancel()
        let now = surroundings.now()
        let rest = next.map { max(0, $0.milliseconds - now.milliseconds) } ?? Self.longestSleep
        let sleep = surroundings.sleep
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
        let task = Task(executorPreference: surroundings.executor) {
            _ = await previous?.value
            return await self.work()
        }
        turn = task
        return await task.value
    }

    private func work() async -> Timestamp? {
        await takeSpooledVisits()
        await attributeSales()
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
        if let nextFollowUp { moments.append(nextFollowUp) }
        if orders.withLock({ $0.attributesSales }) {
            moments.append(surroundings.now().advanced(byMilliseconds: 1_000))
        }
        return moments.min()
    }

    private func takeSpooledVisits() async {
        guard let spool else { return }
        do {
            let waiting = await spool.waiting()
            for visit in waiting.visits {
                if let arrival = visit.spooledArrival {
                    _ = try await intake.take(arrival, at: visit.at, through: visit.link)
                }
            }
            await spool.remove(waiting)
            if !waiting.visits.isEmpty {
                orders.withLock { $0.attributesSales = true }
                // Tokens among them have to be answered one day, which only the ledger tells.
                nextSearch = [:]
                logger.notice("visits taken in from the spool file", metadata: ["visits": "\(waiting.visits.count)"])
            }
        } catch {
            logger.error("the spool file waits", metadata: ["error": "\(error)"])
        }
    }

    private func attributeSales() async {
        let isDue = orders.withLock { orders in
            defer { orders.attributesSales = false }
            return orders.attributesSales
        }
        guard isDue else { return }
        do {
            try await pipeline.attribute()
        } catch {
            orders.withLock { $0.attributesSales = true }
            logger.error("held sales wait", metadata: ["error": "\(error)"])
        }
    }

    private var isFollowUpDue: Bool {
        guard let nextFollowUp else { return false }
        let now = surroundings.now()
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
            followedAt = outcome.next.map { _ in surroundings.now() }
        } catch {
            orders.withLock { $0.followsNotifications = true }
            nextFollowUp = surroundings.now().advanced(byMilliseconds: 1_000)
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
        while !orders.withLock({ $0.stops }), !stopped.contains(scope.bundleId) {
            let now = surroundings.now()
            if let wait = queueWaits[scope], wait.holds(at: now) { return wait.until }
            do throws(LedgerError) {
                switch try await nextReport(in: scope, now: now) {
                case .ready(let report):
                    let delivery = try await pipeline.deliver(report)
                    note(delivery, of: report)
                case .later(let moment):
                    return moment
                }
            } catch {
                logger.error("the ledger stopped the queue", metadata: ["app": "\(scope)", "error": "\(error)"])
                queueWaits[scope] = wait(after: queueWaits[scope], mostSeconds: 60)
            }
        }
        return nil
    }

    private enum Next {
        case ready(StoredReport)
        /// The moment from which an open report may be tried again; nil when none is open.
        case later(Timestamp?)
    }

    /// The open report that waited longest for its turn, else a new one.
    private func nextReport(in scope: ReportingScope, now: Timestamp) async throws(LedgerError) -> Next {
        let open = try await pipeline.openReports(in: scope)
        let ready = open.filter { reportWaits[$0.requestIdentifier].map { !$0.holds(at: now) } ?? true }
        let first = ready.min { left, right in
            func key(_ report: StoredReport) -> (Int64, Int64) {
                (reportWaits[report.requestIdentifier]?.until.milliseconds ?? .min, report.sequence)
            }
            return key(left) < key(right)
        }
        if let first { return .ready(first) }
        // A token whose sales turn out to wait must not keep the others from their turn.
        var tried: Set<ExternalPurchaseId> = []
        while true {
            let tokens = try await pipeline.plan(scope, limit: Self.planned + tried.count)
            let untried = tokens.filter { !tried.contains($0) }
            if untried.isEmpty { break }
            for token in untried {
                if let report = try await pipeline.write(token, in: scope) { return .ready(report) }
                tried.insert(token)
            }
        }
        if let report = try await nextAnswer(in: scope, now: now) { return .ready(report) }
        let waits = open.compactMap { reportWaits[$0.requestIdentifier]?.until }
        let search = nextSearch[scope].flatMap { $0 < Self.never ? $0 : nil }
        return .later((waits + [search].compactMap(\.self)).min())
    }

    /// A report of a token whose answer is due or was asked for (RR-72, NT-64).
    private func nextAnswer(in scope: ReportingScope, now: Timestamp) async throws(LedgerError) -> StoredReport? {
        let arrived = orders.withLock { $0.answers.removeValue(forKey: scope) }
        if let arrived, let known = nextSearch[scope] { nextSearch[scope] = min(known, arrived) }
        // The clock was ahead when the moment of the next search was found.
        if let noted = searchedAt[scope], noted > now { nextSearch[scope] = nil }
        while true {
            while let token = asked[scope]?.first {
                let report = try await pipeline.write(token, in: scope, isAsked: true)
                asked[scope]?.removeFirst()
                if let report { return report }
            }
            guard nextSearch[scope].map({ $0 <= now }) ?? true else { return nil }
            let found = try await pipeline.answersDue(in: scope, limit: Self.searched)
            asked[scope] = found.tokens
            searchedAt[scope] = now
            // Those that were found and cannot be answered are not searched for again at once.
            let soonest = now.advanced(byMilliseconds: found.tokens.isEmpty ? 0 : Self.longestSleep)
            nextSearch[scope] = found.next.map { max($0, soonest) } ?? (found.tokens.isEmpty ? Self.never : soonest)
            if found.tokens.isEmpty { return nil }
        }
    }

    private func note(_ delivery: ReportPipeline.Delivery, of report: StoredReport) {
        let (id, scope) = (report.requestIdentifier, report.scope)
        switch delivery {
        case .settled:
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
            if surroundings.now().milliseconds - queue.since.milliseconds >= Self.alertAfter {
                logger.critical("no report went out for an hour", metadata: ["app": "\(scope)"])
            }
        case .unauthorized:
            stopped.insert(scope.bundleId)
            logger.critical(
                "the key of the app was refused twice: nothing is sent until it is right and the server is restarted",
                metadata: ["app": "\(scope.bundleId)"]
            )
        }
    }

    /// 1, 2, 4 … seconds with up to a quarter more by chance, so that many clients do not come back together.
    private func wait(after earlier: Wait?, mostSeconds: Int64) -> Wait {
        let now = surroundings.now()
        var wait = earlier ?? Wait(since: now, until: now, noted: now)
        wait.noted = now
        let seconds = min(mostSeconds, 1 << Int64(min(wait.failures, 20)))
        wait.failures += 1
        wait.until = now.advanced(
            byMilliseconds: Int64(Double(seconds * 1_000) * (1 + surroundings.random() / 4))
        )
        return wait
    }
}

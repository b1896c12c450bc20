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
    let tokens: TokenRecorder
    let spool: LandingSpool?
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
    var followedAt: Timestamp?
    /// The latest time of the clock so far; nil before the first look, which finds what an earlier process stored.
    var latestLook: Timestamp?
    /// Tokens whose stored moment of report comes from a clock that was ahead.
    var tokensSeenAhead: [ReportPipeline.TokenSeenAhead] = []
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

    /// The longest time between two queries of the ledger.
    private static let longestSleep = Duration.seconds(30)
    /// The time for which a shutdown waits for the response to a report.
    private static let patience = Duration.seconds(5)

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
    nonisolated func wakeForNotification() {
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
    var outages: [SendingOutage] {
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

    /// Returns whether the clock is plausible; a report sent by a wrong clock cannot be undone.
    func isClockPlausible() -> Bool {
        let doubt = dependencies.clockDoubt()
        if let doubt, clockDoubt == nil {
            logger.critical("nothing is sent: the clock cannot be right", metadata: ["reason": "\(doubt)"])
        } else if doubt == nil, clockDoubt != nil {
            logger.notice("the clock is plausible again: sending goes on")
        }
        clockDoubt = doubt
        return doubt == nil
    }
}

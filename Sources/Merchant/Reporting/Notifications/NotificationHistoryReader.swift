import AppStoreNotifications
import AppStoreServerClient
import ExternalPurchaseCore
import Ledger
package import Logging
import ServiceLifecycle

/// Records lost notifications from Apple's notification history: at start and every `history.every` (NT-68, NT-84).
///
/// Each app and environment has a position, which is the newest signing date of the genuine notifications found. It
/// moves after a page is stored, so that an interrupted read is repeated. A notification that is found twice changes
/// nothing.
package actor NotificationHistoryReader: Service {
    private let system: ReportingSystem
    private let dependencies: ReportingDependencies
    private let logger: Logger
    private nonisolated let wakes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private var next: [ReportingScope: Timestamp] = [:]
    /// The time at which `next` was set; a value in the future shows that the clock was wrong, and `next` is ignored.
    private var readAt: [ReportingScope: Timestamp] = [:]
    private var failures: [ReportingScope: Int] = [:]

    /// The reach of Apple's history, less an hour for clock differences (NT-80).
    private static let reach = Duration.days(180) - .hours(1)
    /// The time before the position that is read again, because a notification may be signed or listed late.
    private static let overlap = Duration.hours(1)
    /// The longest time between two readings of the clock.
    private static let longestSleep = Duration.seconds(30)

    /// Creates a reader for the apps of a reporting system.
    ///
    /// - Parameters:
    ///   - system: records the notifications; its apps have the history clients.
    ///   - dependencies: time and waiting.
    ///   - logger: receives results and failures.
    package init(system: ReportingSystem, dependencies: ReportingDependencies, logger: Logger) {
        self.system = system
        self.dependencies = dependencies
        self.logger = logger
    }

    /// Wakes the reader after the clock was changed.
    package nonisolated func wake() {
        wakes.continuation.yield()
    }

    /// Runs until shutdown.
    package func run() async {
        guard system.notifications.verifier != nil else { return }
        wake()
        await cancelWhenGracefulShutdown { [self] in
            for await _ in wakes.stream {
                await readDue()
                await scheduleWake()
            }
        }
        alarm?.cancel()
    }

    private var alarm: Task<Void, Never>?

    private func scheduleWake() {
        alarm?.cancel()
        let (sleep, continuation, rest) = (dependencies.sleep, wakes.continuation, rest)
        alarm = Task {
            do {
                try await sleep(rest)
                continuation.yield()
            } catch {
                // The task is cancelled when an earlier wake replaces it.
            }
        }
    }

    private var rest: Duration {
        let now = dependencies.now()
        let first = next.values.min() ?? now + Self.longestSleep
        return min(max(now.duration(to: first), .milliseconds(100)), Self.longestSleep)
    }

    /// Reads the history of every app and environment that is due.
    package func readDue() async {
        guard system.leases.isElected else { return }
        // With a wrong clock, the position could skip lost notifications.
        guard dependencies.clockDoubt() == nil else { return }
        for app in system.apps.values.sorted(by: { $0.bundleId.rawValue < $1.bundleId.rawValue }) {
            guard let client = app.history else { continue }
            for environment in AppStoreEnvironment.allCases where app.environments.contains(environment) {
                let scope = ReportingScope(bundleId: app.bundleId, environment: environment)
                let now = dependencies.now()
                if let due = next[scope], due > now, let noted = readAt[scope], noted <= now { continue }
                readAt[scope] = now
                do throws(Interruption) {
                    let stored = try await read(scope, client)
                    failures[scope] = nil
                    next[scope] = dependencies.now().advanced(by: max(system.settings.historyEvery, .seconds(1)))
                    if stored > 0 {
                        logger.notice(
                            "lost notifications stored in",
                            metadata: ["app": "\(scope)", "new": "\(stored)"]
                        )
                    }
                } catch {
                    let count = failures[scope, default: 0]
                    failures[scope] = count + 1
                    let wait = min(.seconds(300), .seconds(1) * (1 << min(count, 9)))
                    next[scope] = error.until ?? dependencies.now() + wait
                    logger.warning(
                        "the notification history waits",
                        metadata: ["app": "\(scope)", "reason": "\(error.reason)"]
                    )
                }
            }
        }
    }

    private struct Interruption: Error {
        let reason: String
        var until: Timestamp?
    }

    /// Reads all pages of new notifications.
    ///
    /// - Returns: the number of notifications that were not known.
    private func read(
        _ scope: ReportingScope,
        _ client: any NotificationHistoryClient
    ) async throws(Interruption) -> Int {
        let now = dependencies.now()
        let earliest = now - Self.reach
        var position: Timestamp?
        do {
            position = try await system.store.read { ledger throws(LedgerError) in
                try ledger.notificationHistoryPosition(of: scope)
            }
        } catch {
            throw Interruption(reason: "\(error)")
        }
        let start = position.map { max(earliest, min($0, now).advanced(by: -Self.overlap)) } ?? earliest
        // An end in the future is treated as now, and includes the current moment (NT-81).
        let end = now + .hours(1)
        var (stored, token) = (0, String?.none)
        var seen: Set<String> = []
        while true {
            let answer = await client.notificationHistory(
                from: start,
                until: end,
                page: token,
                environment: scope.environment
            )
            let page: NotificationHistoryPage
            switch answer {
            case .page(let found): page = found
            case .refused(let code): throw Interruption(reason: "Apple refused with \(code.map(String.init) ?? "400")")
            case .unauthorized: throw Interruption(reason: "the key was refused")
            case .rateLimited(let until): throw Interruption(reason: "too many requests", until: until)
            case .serverError(let status): throw Interruption(reason: "Apple answered \(status)")
            case .noAnswer(let reason): throw Interruption(reason: reason)
            }
            stored += try await store(page, scope)
            // A page token that repeats would cause an endless loop.
            guard let next = page.next, seen.insert(next).inserted else { return stored }
            token = next
        }
    }

    private func store(_ page: NotificationHistoryPage, _ scope: ReportingScope) async throws(Interruption) -> Int {
        var (new, newest) = (0, Timestamp?.none)
        for payload in page.signedPayloads {
            do throws(RequestError) {
                let found = try await system.notifications.takeFound(payload)
                if case .stored = found.outcome { new += 1 }
                if case .refused(let refusal) = found.outcome, refusal.failure.mayPassLater {
                    throw .conflict("a certificate's revocation is not known yet")
                }
                if let date = found.signedDate { newest = max(newest ?? date, date) }
            } catch {
                throw Interruption(reason: "\(error)")
            }
        }
        guard let newest else { return new }
        do {
            try await system.store.write { ledger throws(LedgerError) in
                try ledger.moveHistoryPosition(of: scope, to: newest)
            }
        } catch {
            throw Interruption(reason: "\(error)")
        }
        return new
    }
}

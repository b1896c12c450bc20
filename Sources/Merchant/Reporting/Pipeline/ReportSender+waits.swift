import ExternalPurchaseCore
import Ledger
import Logging

// How long a report and its queue wait after an answer, or without one.
extension ReportSender {
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

    /// The time without a response after which a critical log line is written (SA-73).
    private static let alertAfter = Duration.hours(1)

    func note(_ outcome: ReportDelivery.Outcome, of report: StoredReport) {
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
    func wait(after earlier: Wait?, atMost limit: Duration) -> Wait {
        let now = dependencies.now()
        var wait = earlier ?? Wait(since: now, until: now, noted: now)
        wait.noted = now
        let time = min(limit, .seconds(1) * (1 << min(wait.failures, 20)))
        wait.failures += 1
        wait.until = now + time * (1 + dependencies.random() / 4)
        return wait
    }
}

/// Runs scenarios, and shortens failing ones.
package enum ScenarioRun {
    /// The result of a scenario.
    package struct Outcome: Sendable {
        /// The violated invariants; empty for success.
        package let violations: [Violation]
        /// The number of requests to the emulator.
        package let requests: Int
        /// The number of restarts of the merchant's process.
        package let restarts: Int
    }

    /// Runs a scenario on a thread of its own.
    ///
    /// - Parameters:
    ///   - scenario: the scenario.
    ///   - kinds: the kinds of events, which enable additional invariants.
    ///   - seededDefect: a defect to inject; nil for none.
    package static func outcome(
        of scenario: Scenario,
        kinds: Set<ScenarioKind> = ScenarioKind.usual,
        seededDefect: SeededDefect? = nil
    ) async -> Outcome {
        let thread = SingleThreadExecutor()
        return await thread.run {
            do {
                let run = try await SimulatedWorld(scenario, kinds: kinds, seededDefect: seededDefect)
                run.executor = thread
                let violations = await run.play()
                let requests = run.transports.reduce(0) { $0 + $1.requests }
                return Outcome(violations: violations, requests: requests, restarts: run.restarts)
            } catch {
                let violation = Violation(
                    invariant: .truthIsTaken,
                    at: SimulatedWorld.start,
                    detail: "no world: \(error)"
                )
                return Outcome(violations: [violation], requests: 0, restarts: 0)
            }
        }
    }

    /// Removes steps while the same invariant is still violated (delta debugging).
    ///
    /// - Parameter attempts: the maximum number of shorter scenarios to run.
    /// - Returns: a scenario from which no single step can be removed, unless the attempts were used up.
    package static func shortened(
        _ scenario: Scenario,
        breaking invariant: Invariant,
        kinds: Set<ScenarioKind> = ScenarioKind.usual,
        seededDefect: SeededDefect? = nil,
        attempts: Int = 2_000
    ) async -> Scenario {
        var shortest = scenario
        var left = attempts
        func stillBreaks(_ steps: [Step]) async -> Bool {
            left -= 1
            var shorter = shortest
            shorter.steps = steps
            let violations = await outcome(of: shorter, kinds: kinds, seededDefect: seededDefect).violations
            return violations.contains { $0.invariant == invariant }
        }
        var length = max(1, shortest.steps.count / 2)
        while left > 0 {
            var dropped = false
            var start = 0
            while start < shortest.steps.count, left > 0 {
                var steps = shortest.steps
                steps.removeSubrange(start..<min(steps.count, start + length))
                if await stillBreaks(steps) {
                    shortest.steps = steps
                    dropped = true
                } else {
                    start += length
                }
            }
            if length == 1, !dropped { break }
            if !dropped || length > shortest.steps.count { length = max(1, length / 2) }
        }
        return shortest
    }
}

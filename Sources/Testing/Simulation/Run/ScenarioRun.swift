/// Runs stories, and makes those that fail shorter.
package enum ScenarioRun {
    /// What came of a story.
    package struct Outcome: Sendable {
        /// Empty when everything held.
        package let violations: [Violation]
        /// Requests to Apple's side.
        package let requests: Int
        /// How often the merchant's process was started again.
        package let restarts: Int
    }

    /// Runs a story on a thread of its own.
    ///
    /// - Parameters:
    ///   - story: what happens.
    ///   - kinds: which invariants hold beside the usual ones.
    ///   - mutation: a defect that is built in.
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

    /// Drops steps while the same invariant still breaks (delta debugging).
    ///
    /// - Parameter attempts: how many shorter stories are tried at most.
    /// - Returns: a story from which no single step can be dropped, unless the attempts ran out.
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

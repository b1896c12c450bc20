import Synchronization

/// Runs the scenarios of many seeds concurrently.
package struct SeedSweep: Sendable {
    package var kinds: Set<ScenarioKind>
    package var seededDefect: SeededDefect?
    /// The number of concurrent scenarios.
    package var jobs: Int
    /// The time in seconds after which no further scenario starts; nil for no limit.
    package var seconds: Int?

    package init(
        kinds: Set<ScenarioKind> = ScenarioKind.usual,
        seededDefect: SeededDefect? = nil,
        jobs: Int = 2,
        seconds: Int? = nil
    ) {
        self.kinds = kinds
        self.seededDefect = seededDefect
        self.jobs = jobs
        self.seconds = seconds
    }

    /// The result of a sweep.
    package struct Summary: Sendable {
        package fileprivate(set) var seeds = 0
        package fileprivate(set) var steps = 0
        package fileprivate(set) var requests = 0
        package fileprivate(set) var restarts = 0
        /// The failed seeds with the first violation of each.
        package fileprivate(set) var failures: [(seed: UInt64, violation: Violation)] = []
        /// The elapsed real time in seconds.
        package fileprivate(set) var seconds = 0.0

        package var seedsPerSecond: Double { seconds > 0 ? Double(seeds) / seconds : 0 }
    }

    /// Runs seeds in order.
    ///
    /// - Parameter mostFailures: the number of failures after which no further scenario starts.
    package func run(_ seeds: Range<UInt64>, mostFailures: Int = .max) async -> Summary {
        let progress = Progress(from: seeds.lowerBound)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<max(1, jobs) {
                group.addTask {
                    while let seed = progress.next(
                        below: seeds.upperBound,
                        mostFailures: mostFailures,
                        seconds: seconds
                    ) {
                        var generator = ScenarioGenerator(seed: seed, kinds: kinds)
                        let scenario = generator.scenario()
                        let outcome = await ScenarioRun.outcome(of: scenario, kinds: kinds, seededDefect: seededDefect)
                        progress.add(outcome, of: scenario, seed: seed)
                    }
                }
            }
        }
        return progress.summary()
    }

    /// The state shared by concurrent scenarios.
    private final class Progress: Sendable {
        private let summaryAndNext: Mutex<(summary: Summary, next: UInt64)>
        private let start = ContinuousClock.now

        init(from first: UInt64) { summaryAndNext = Mutex((Summary(), first)) }

        private var elapsed: Double { (ContinuousClock.now - start) / .seconds(1) }

        /// The next seed to run; nil if no further scenario should start.
        func next(below end: UInt64, mostFailures: Int, seconds: Int?) -> UInt64? {
            if let seconds, elapsed >= Double(seconds) { return nil }
            return summaryAndNext.withLock { state in
                guard state.next < end, state.summary.failures.count < mostFailures else { return nil }
                defer { state.next += 1 }
                return state.next
            }
        }

        func add(_ outcome: ScenarioRun.Outcome, of scenario: Scenario, seed: UInt64) {
            summaryAndNext.withLock { state in
                state.summary.seeds += 1
                state.summary.steps += scenario.steps.count
                state.summary.requests += outcome.requests
                state.summary.restarts += outcome.restarts
                if let violation = outcome.violations.first { state.summary.failures.append((seed, violation)) }
            }
        }

        func summary() -> Summary {
            var whole = summaryAndNext.withLock { $0.summary }
            whole.failures.sort { $0.seed < $1.seed }
            whole.seconds = elapsed
            return whole
        }
    }

    /// The shortest scenario of a seed that violates the same invariant, as text with the violation.
    package func account(of seed: UInt64, _ violation: Violation) async -> String {
        var generator = ScenarioGenerator(seed: seed, kinds: kinds)
        let scenario = await ScenarioRun.shortened(
            generator.scenario(),
            breaking: violation.invariant,
            kinds: kinds,
            seededDefect: seededDefect
        )
        let broken = await ScenarioRun.outcome(of: scenario, kinds: kinds, seededDefect: seededDefect).violations
        let lines = broken.map { "  \($0.at)  BROKEN: \($0)" }
        return "seed \(seed), \(scenario.steps.count) steps: \(scenario.timeline)\n\(lines.joined(separator: "\n"))"
    }
}

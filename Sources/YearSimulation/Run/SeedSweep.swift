import Dispatch
import Synchronization

/// Runs the stories of many seeds, several at a time.
package struct SeedSweep: Sendable {
    package var kinds: Set<StoryKind>
    package var mutation: Mutation?
    /// How many stories run at once.
    package var jobs: Int
    /// No story begins after that long; nil runs all of them.
    package var seconds: Int?

    package init(kinds: Set<StoryKind> = StoryKind.usual, mutation: Mutation? = nil, jobs: Int = 2, seconds: Int? = nil)
    {
        self.kinds = kinds
        self.mutation = mutation
        self.jobs = jobs
        self.seconds = seconds
    }

    /// What came of it.
    package struct Summary: Sendable {
        package fileprivate(set) var seeds = 0
        package fileprivate(set) var steps = 0
        package fileprivate(set) var requests = 0
        package fileprivate(set) var restarts = 0
        /// The seeds that broke something, with the first violation of each.
        package fileprivate(set) var failures: [(seed: UInt64, violation: Violation)] = []
        /// Of the machine's time.
        package fileprivate(set) var seconds = 0.0

        package var seedsPerSecond: Double { seconds > 0 ? Double(seeds) / seconds : 0 }
    }

    /// Runs seeds in their order; blocks until the last one ends.
    ///
    /// - Parameter mostFailures: after that many nothing more is begun.
    package func run(_ seeds: Range<UInt64>, mostFailures: Int = .max) -> Summary {
        let summary = Mutex(Summary())
        let next = Mutex(seeds.lowerBound)
        let start = DispatchTime.now()
        @Sendable func elapsed() -> Double {
            Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1_000_000_000
        }
        DispatchQueue.concurrentPerform(iterations: max(1, jobs)) { _ in
            while true {
                let isOver =
                    summary.withLock { $0.failures.count >= mostFailures }
                    || seconds.map { elapsed() >= Double($0) } ?? false
                let seed = next.withLock { next in
                    guard next < seeds.upperBound, !isOver else { return nil as UInt64? }
                    defer { next += 1 }
                    return next
                }
                guard let seed else { return }
                var generator = StoryGenerator(seed: seed, kinds: kinds)
                let story = generator.story()
                let outcome = StoryRun.outcome(of: story, kinds: kinds, mutation: mutation)
                summary.withLock { summary in
                    summary.seeds += 1
                    summary.steps += story.steps.count
                    summary.requests += outcome.requests
                    summary.restarts += outcome.restarts
                    if let violation = outcome.violations.first { summary.failures.append((seed, violation)) }
                }
            }
        }
        var whole = summary.withLock { $0 }
        whole.failures.sort { $0.seed < $1.seed }
        whole.seconds = elapsed()
        return whole
    }

    /// The shortest story of a seed that breaks the same invariant, as text with what broke.
    package func account(of seed: UInt64, _ violation: Violation) -> String {
        var generator = StoryGenerator(seed: seed, kinds: kinds)
        let story = StoryRun.shortened(
            generator.story(),
            breaking: violation.invariant,
            kinds: kinds,
            mutation: mutation
        )
        let broken = StoryRun.outcome(of: story, kinds: kinds, mutation: mutation).violations
        let lines = broken.map { "  \($0.at)  BROKEN: \($0)" }
        return "seed \(seed), \(story.steps.count) steps: \(story.timeline)\n\(lines.joined(separator: "\n"))"
    }
}

package import ExternalPurchaseCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Time, randomness and waiting, which only a composition root takes from the machine.
package struct ReportingDependencies: Sendable {
    package var now: @Sendable () -> Timestamp
    package var uuid: @Sendable () -> UUID
    /// A number from 0 up to 1, for the jitter of retries.
    package var random: @Sendable () -> Double
    package var sleep: @Sendable (Duration) async throws -> Void
    /// Where the sender's turns run; nil takes the global executor.
    ///
    /// One that runs a job at a time makes a run repeatable.
    package var executor: (any TaskExecutor)?
    /// Looks at a clock that is followed from afar, before an arrival is refused because it seems to come from the future.
    package var refresh: @Sendable () async -> Void = {}
    /// Why the clock cannot be right; nil while it is plausible.
    ///
    /// Nothing is sent by a clock that is not.
    package var clockDoubt: @Sendable () -> ClockDoubt? = { nil }

    package init(
        now: @escaping @Sendable () -> Timestamp,
        uuid: @escaping @Sendable () -> UUID,
        random: @escaping @Sendable () -> Double,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.uuid = uuid
        self.random = random
        self.sleep = sleep
    }

    /// The clock, random numbers and sleep of the machine.
    package static let live = ReportingDependencies(
        now: { Timestamp(Date()) },
        uuid: { UUID() },
        random: { Double.random(in: 0..<1) },
        sleep: { try await Task.sleep(for: $0) }
    )
}

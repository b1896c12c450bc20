package import ExternalPurchaseCore

/// Time, randomness and waiting; only a composition root takes them from the machine.
package struct ReportingDependencies: Sendable {
    package var now: @Sendable () -> Timestamp
    package var uuid: @Sendable () -> UUID
    /// Returns a random number from 0 up to, but not including, 1 for the jitter of retries.
    var random: @Sendable () -> Double
    var sleep: @Sendable (Duration) async throws -> Void
    /// The executor of the sender's tasks; nil uses the global executor.
    ///
    /// An executor that runs one job at a time makes a run repeatable.
    package var executor: (any TaskExecutor)?
    /// Updates a clock that follows a remote one.
    ///
    /// It is called before an arrival is flagged or refused because its time lies in the future.
    package var refresh: @Sendable () async -> Void = {}
    /// Returns the reason to doubt the clock; nil while the clock is plausible.
    ///
    /// Nothing is sent while there is a doubt.
    package var clockDoubt: @Sendable () -> ClockDoubt? = { nil }
    /// The exchange rates of sales that state none (RR-48); nil where none are configured.
    package var rates: ExchangeRates?

    /// Returns the time since some moment by a clock that is never set and goes on while the process is stopped.
    package var uptime: @Sendable () -> Duration = {
        let start = ContinuousClock.now
        return { start.duration(to: .now) }
    }()

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

public import Foundation

/// The time and the randomness that an outbox uses.
public struct KitClock: Sendable {
    /// The device's clock, which may be wrong and may be set at any time.
    public var now: @Sendable () -> Date
    /// A clock that only goes forward, from any moment before the first use on.
    public var uptime: @Sendable () -> Duration
    /// Waits.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// A number from 0 to 1.
    public var random: @Sendable () -> Double

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - now: the device's clock.
    ///   - uptime: a clock that only goes forward.
    ///   - sleep: waits.
    ///   - random: a number from 0 to 1.
    public init(
        now: @escaping @Sendable () -> Date,
        uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        random: @escaping @Sendable () -> Double
    ) {
        self.now = now
        self.uptime = uptime
        self.sleep = sleep
        self.random = random
    }

    /// The clocks and the randomness of the device.
    public static var system: KitClock {
        let start = ContinuousClock.now
        return KitClock(
            now: { Date() },
            uptime: { start.duration(to: .now) },
            sleep: { try await Task.sleep(for: $0) },
            random: { Double.random(in: 0...1) }
        )
    }

    func milliseconds() -> Int64 { now().milliseconds }
}

extension Date {
    /// Milliseconds since 1970, within the years that the files of the outbox hold.
    var milliseconds: Int64 {
        Int64(min(max(timeIntervalSince1970 * 1_000, -62_135_596_800_000), 253_402_300_799_999))
    }
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}

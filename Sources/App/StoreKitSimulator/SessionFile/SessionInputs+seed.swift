public import ExternalPurchaseCore
import Foundation

extension StoreKitSession.SessionInputs {
    /// The default time of a seeded clock, 2026-11-01T00:00:00Z.
    public static let seededMoment = Timestamp(milliseconds: 1_793_491_200_000)

    /// Replaces time and randomness, so that the same flows in the same order get the same tokens.
    ///
    /// The clock is fixed. Concurrent flows get their ids in the order of their requests.
    ///
    /// - Parameters:
    ///   - seed: any number. Another seed gives other token ids.
    ///   - moment: the time of the clock.
    public mutating func seed(_ seed: UInt64, at moment: Timestamp = Self.seededMoment) {
        let sequence = SeededUUIDs(seed: seed)
        uuid = { sequence.next() }
        clock = { moment }
    }
}

/// UUIDs of version 4 from a seeded generator.
private final class SeededUUIDs: Sendable {
    private let numbers: Lock<SplitMix64>

    init(seed: UInt64) {
        numbers = Lock(SplitMix64(seed: seed))
    }

    func next() -> UUID {
        let (high, low) = numbers.withLock { ($0.next(), $0.next()) }
        func byte(_ number: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: number >> (56 - 8 * index)) }
        return UUID(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
                byte(high, 6) & 0x0F | 0x40, byte(high, 7), byte(low, 0) & 0x3F | 0x80, byte(low, 1), byte(low, 2),
                byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
            )
        )
    }
}

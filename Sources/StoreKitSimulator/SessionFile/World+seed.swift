public import ExternalPurchaseCore
import Foundation
import Synchronization

extension StoreKitSession.World {
    /// When the clock of a seeded world stands still unless told otherwise, 2026-11-01T00:00:00Z.
    public static let seededMoment = Timestamp(milliseconds: 1_793_491_200_000)

    /// Replaces time and randomness, so that the same flows in the same order yield the same tokens.
    ///
    /// The clock stands still. Flows that run side by side take their ids in the order in which they come.
    ///
    /// - Parameters:
    ///   - seed: any number; another one gives other token ids.
    ///   - moment: what the clock says.
    public mutating func seed(_ seed: UInt64, at moment: Timestamp = Self.seededMoment) {
        let sequence = SeededUUIDs(seed: seed)
        uuid = { sequence.next() }
        clock = { moment }
    }
}

/// Version 4 UUIDs from SplitMix64.
///
/// https://prng.di.unimi.it/splitmix64.c
private final class SeededUUIDs: Sendable {
    private let state: Mutex<UInt64>

    init(seed: UInt64) {
        state = Mutex(seed)
    }

    func next() -> UUID {
        let (high, low) = state.withLock { (Self.number(&$0), Self.number(&$0)) }
        func byte(_ number: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: number >> (56 - 8 * index)) }
        return UUID(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
                byte(high, 6) & 0x0F | 0x40, byte(high, 7), byte(low, 0) & 0x3F | 0x80, byte(low, 1), byte(low, 2),
                byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
            )
        )
    }

    private static func number(_ state: inout UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Which token of an active period a request returns (TK-36).
public enum RefreshPolicy: Hashable, Sendable {
    /// The one that began the period.
    case identical
    /// One with a new id at every request after the one that began the period.
    case refreshed
    /// The first token, or one with a new id, drawn from a seed; the same seed gives the same choices.
    case random(seed: UInt64)

    /// Whether the request of that number within the period gets a new id.
    func refreshes(request number: Int) -> Bool {
        switch self {
        case .identical: false
        case .refreshed: true
        case .random(let seed): Self.mixed(seed &+ UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15) & 1 == 1
        }
    }

    /// The finalizer of SplitMix64, https://prng.di.unimi.it/splitmix64.c.
    private static func mixed(_ state: UInt64) -> UInt64 {
        var value = state &+ 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

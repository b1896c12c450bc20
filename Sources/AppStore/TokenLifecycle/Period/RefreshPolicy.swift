import ExternalPurchaseCore

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
        case .random(let seed):
            // The number of that place in the sequence of the seed.
            Self.number(at: number, from: seed) & 1 == 1
        }
    }

    private static func number(at index: Int, from seed: UInt64) -> UInt64 {
        var numbers = SplitMix64(seed: seed &+ UInt64(truncatingIfNeeded: index) &* SplitMix64.increment)
        return numbers.next()
    }
}

import ExternalPurchaseCore

/// The token that a request during an active period returns (TK-36).
public enum RefreshPolicy: Hashable, Sendable {
    /// The token that began the period.
    case identical
    /// A token with a new id at every request after the first.
    case refreshed
    /// The first token or one with a new id, chosen by a seeded generator.
    ///
    /// The same seed gives the same choices.
    case random(seed: UInt64)

    /// True when the request with that number within the period gets a new id.
    func refreshes(request number: Int) -> Bool {
        switch self {
        case .identical: false
        case .refreshed: true
        case .random(let seed):
            // The number at that position in the seeded sequence.
            Self.number(at: number, from: seed) & 1 == 1
        }
    }

    private static func number(at index: Int, from seed: UInt64) -> UInt64 {
        var numbers = SplitMix64(seed: seed &+ UInt64(truncatingIfNeeded: index) &* SplitMix64.increment)
        return numbers.next()
    }
}

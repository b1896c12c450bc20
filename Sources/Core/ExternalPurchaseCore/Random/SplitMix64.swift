/// A deterministic random number generator: SplitMix64, https://prng.di.unimi.it/splitmix64.c.
///
/// The same seed gives the same numbers. Do not use it for keys or for ids that must be unpredictable.
package struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    /// The amount by which the state grows with each number.
    package static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= Self.increment
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

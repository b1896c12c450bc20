import ExternalPurchaseCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A generator of deterministic random numbers from a seed.
struct SeededNumbers: RandomNumberGenerator, Sendable {
    private var numbers: SplitMix64

    init(seed: UInt64) {
        // The multiplication keeps neighbouring seeds from sharing sequences of numbers.
        numbers = SplitMix64(seed: seed &* 0xD134_2543_DE82_EF95 &+ 0x2545_F491_4F6C_DD1D)
    }

    mutating func next() -> UInt64 { numbers.next() }

    mutating func number(_ range: ClosedRange<Int64>) -> Int64 {
        // The size of a 64-bit range can be 2^64; the ranges used here are much smaller.
        let span = UInt64(range.upperBound - range.lowerBound) + 1
        return range.lowerBound + Int64(next() % span)
    }

    mutating func index(_ range: ClosedRange<Int>) -> Int {
        Int(number(Int64(range.lowerBound)...Int64(range.upperBound)))
    }

    mutating func chance(_ percent: Int64) -> Bool { number(1...100) <= percent }

    /// Returns a random element; nil for an empty array.
    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[index(0...elements.count - 1)]
    }

    mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

    mutating func uuid() -> UUID {
        var bytes = (0..<16).map { _ in UInt8(truncatingIfNeeded: next() >> 24) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            )
        )
    }
}

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An amount of money in thousandths of one currency unit, as in reports (SA-42).
///
/// EUR 9.99 is 9990; JPY 1364 is 1364000.
public struct MilliUnits: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of thousandths.
    public var value: Int64

    /// Creates an amount.
    ///
    /// - Parameter value: thousandths of one currency unit.
    public init(_ value: Int64) {
        self.value = value
    }

    /// Creates an amount by rounding a decimal number of milli-units half up (RR-42); nil outside 64 bits.
    ///
    /// - Parameter exact: milli-units with a fraction. A half below zero is rounded away from zero.
    public init?(rounding exact: Decimal) {
        guard !exact.isNaN else { return nil }
        let magnitude: Int64?
        if let parts = DecimalParts(exact) {
            magnitude = parts.roundedMagnitude.flatMap(Int64.init(exactly:))
        } else {
            let shifted = exact.magnitude + Decimal(sign: .plus, exponent: -1, significand: 5)
            magnitude = Int64(shifted.description.prefix { $0 != "." })
        }
        guard let magnitude else { return nil }
        value = exact.isSignMinus ? -magnitude : magnitude
    }

    /// Orders by amount.
    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }

    /// The number of thousandths as text.
    public var description: String { String(value) }

    /// The amount in currency units, `9.99` for 9990, without trailing zeros after the second digit.
    public var unitsText: String {
        let magnitude = value.magnitude
        let thousandths = String(magnitude % 1_000)
        var fraction = String(repeating: "0", count: 3 - thousandths.count) + thousandths
        if fraction.hasSuffix("0") { fraction.removeLast() }
        return (value < 0 ? "-" : "") + "\(magnitude / 1_000).\(fraction)"
    }
}

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An amount of money in thousandths of one unit of a currency, the unit of reports (SA-42).
///
/// EUR 9.99 is 9990, JPY 1364 is 1364000.
public struct MilliUnits: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of thousandths.
    public var value: Int64

    /// An amount.
    ///
    /// - Parameter value: thousandths of one unit.
    public init(_ value: Int64) {
        self.value = value
    }

    /// An amount of decimal milli-units, rounded half up (RR-42); nil outside 64 bits.
    ///
    /// - Parameter exact: milli-units with a fraction; below zero, halves go away from zero.
    public init?(rounding exact: Decimal) {
        let negative = exact < 0
        let shifted = (negative ? -exact : exact) + Decimal(sign: .plus, exponent: -1, significand: 5)
        guard let whole = Int64(shifted.description.prefix { $0 != "." }) else { return nil }
        value = negative ? -whole : whole
    }

    /// Orders by amount.
    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }

    /// The number of thousandths as text.
    public var description: String { String(value) }

    /// The amount in units of the currency, `9.99` for 9990: no trailing zeros beyond two digits.
    public var unitsText: String {
        let magnitude = value.magnitude
        let thousandths = String(magnitude % 1_000)
        var fraction = String(repeating: "0", count: 3 - thousandths.count) + thousandths
        if fraction.hasSuffix("0") { fraction.removeLast() }
        return (value < 0 ? "-" : "") + "\(magnitude / 1_000).\(fraction)"
    }
}

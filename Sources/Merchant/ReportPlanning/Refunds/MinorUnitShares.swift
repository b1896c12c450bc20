import ExternalPurchaseCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Splits an amount exactly: whole minor units, the largest remainders first, the earlier place first among equal ones.
enum MinorUnitShares {
    /// The parts of an amount in proportion to weights.
    ///
    /// - Parameters:
    ///   - amount: not negative, with at most `digits` digits after the point.
    ///   - weights: not negative, with at most `digits` digits after the point; all zero puts everything on the first.
    ///   - digits: the digits after the point of the currency.
    /// - Returns: one part for each weight; their sum is the amount. No part exceeds its weight while the amount does not
    ///   exceed the sum of the weights.
    static func split(_ amount: Decimal, by weights: [Decimal], digits: Int) -> [Decimal] {
        let unit = Decimal(sign: .plus, exponent: -digits, significand: 1)
        let units = weights.map { wholeUnits($0, digits) }
        let whole = wholeUnits(amount, digits)
        let (sum, overflow) = units.reduce((UInt64(0), false)) { partial, unit in
            let (sum, overflow) = partial.0.addingReportingOverflow(unit)
            return (sum, partial.1 || overflow)
        }
        guard sum > 0, !overflow else {
            return weights.indices.map { $0 == weights.startIndex ? amount : 0 }
        }
        // Widths of 128 bits, so that no product of two amounts is cut; a quotient may exceed its weight, never 64 bits
        // while the amount is at most the sum.
        var parts: [UInt64] = []
        var remainders: [UInt64] = []
        let (turns, rest) = whole.quotientAndRemainder(dividingBy: sum)
        for unit in units {
            let (quotient, remainder) = sum.dividingFullWidth(rest.multipliedFullWidth(by: unit))
            parts.append(quotient &+ turns &* unit)
            remainders.append(remainder)
        }
        let left = whole &- parts.reduce(0, &+)
        let order = units.indices.sorted { (remainders[$1], $0) < (remainders[$0], $1) }
        for place in order.prefix(Int(clamping: left)) { parts[place] += 1 }
        return parts.map { Decimal($0) * unit }
    }

    private static func wholeUnits(_ amount: Decimal, _ digits: Int) -> UInt64 {
        let scaled = amount * Decimal(sign: .plus, exponent: digits, significand: 1)
        return UInt64(clamping: MilliUnits(rounding: scaled)?.value ?? .max)
    }
}

import ExternalPurchaseCore

/// Splits an amount exactly into whole minor units by largest remainder; among equal remainders, earlier parts first.
enum MinorUnitShares {
    /// Splits an amount in proportion to weights.
    ///
    /// - Parameters:
    ///   - amount: not negative, with at most `digits` decimal places.
    ///   - weights: not negative, with at most `digits` decimal places; if all are zero, the first part gets
    ///     everything.
    ///   - digits: the number of decimal places of the currency.
    /// - Returns: one part for each weight; their sum is the amount. No part exceeds its weight unless the amount
    ///   exceeds the sum of the weights.
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
        // 128 bits, so that the product of two amounts does not overflow. A quotient fits into 64 bits while the amount
        // is at most the sum.
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

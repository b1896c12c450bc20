import ExternalPurchaseCore
package import Ledger

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The tax of a refund: its share of the purchase's tax (RR-46), and how far a stated one may be from it.
package enum RefundTax {
    /// The tolerance of a stated tax, in minor units of the currency billed: for its rounding by the caller.
    package static let toleratedMinorUnits: Decimal = 1

    /// A stated tax that is beyond the tolerance; all figures are in units of the currency billed.
    package struct Deviation: Hashable, Sendable, CustomStringConvertible {
        package let stated: Decimal
        /// The share of the purchase's tax, rounded to the minor unit.
        package let share: Decimal
        package let tolerance: Decimal
        package let currency: String

        /// What is wrong, with both figures.
        package var description: String {
            "is \(stated) \(currency); the refund's share of the purchase's tax is \(share) \(currency), and a stated tax "
                + "may differ from it by \(tolerance)"
        }
    }

    /// Judges the stated tax of a refund.
    ///
    /// The refund that uses the purchase up may also state what the earlier ones left of the tax, which is what is
    /// reported of it.
    ///
    /// - Parameter earlier: the refunds of the purchase before this one that still stand.
    /// - Returns: nil for a tax that was not stated or lies within the tolerance, and for a purchase whose own tax is not
    ///   known.
    package static func deviation(
        of refund: Refund,
        from purchase: Purchase,
        after earlier: [Refund]
    ) -> Deviation? {
        guard let stated = refund.tax, let share = share(of: refund.inclusive, from: purchase) else { return nil }
        let exponent = Currency.code(purchase.currency)?.exponent ?? 2
        let minorUnit = Decimal(sign: .plus, exponent: -exponent, significand: 1)
        let tolerance = toleratedMinorUnits * minorUnit
        func isNear(_ figure: Decimal) -> Bool { abs(stated - figure.rounded(toDigits: exponent)) <= tolerance }
        if isNear(share) { return nil }
        let before = earlier.reduce(0) { $0 + $1.inclusive }
        if before + refund.inclusive == purchase.inclusive,
            let whole = self.share(of: purchase.inclusive, from: purchase)
        {
            let left = earlier.reduce(whole) { $0 - ($1.tax ?? self.share(of: $1.inclusive, from: purchase) ?? 0) }
            if isNear(left) { return nil }
        }
        return Deviation(
            stated: stated,
            share: share.rounded(toDigits: exponent),
            tolerance: tolerance,
            currency: purchase.currency
        )
    }

    /// The exact share of a purchase's tax in an amount of it, in units of the currency billed.
    ///
    /// - Returns: nil while the tax is not known.
    package static func share(of inclusive: Decimal, from purchase: Purchase) -> Decimal? {
        guard purchase.inclusive > 0 else { return 0 }
        return switch purchase.tax {
        case .amount(let tax): tax * inclusive / purchase.inclusive
        case .rate(let rate): inclusive * rate / (100 + rate)
        case nil: nil
        }
    }
}

extension Decimal {
    /// Rounded half away from zero to that many digits after the point.
    package func rounded(toDigits digits: Int) -> Decimal {
        let factor = Decimal(sign: .plus, exponent: digits, significand: 1)
        guard let units = MilliUnits(rounding: self * factor) else { return self }
        return Decimal(
            sign: units.value < 0 ? .minus : .plus,
            exponent: -digits,
            significand: Decimal(units.value.magnitude)
        )
    }
}

import ExternalPurchaseCore
import Ledger

/// Computes the tax of a refund as its share of the purchase's tax, and checks a stated tax against it (RR-46).
package enum RefundTax {
    /// The tolerance of a stated tax, in minor units of the currency billed; it allows for the caller's rounding.
    static let toleratedMinorUnits: Decimal = 1

    /// A stated tax outside the tolerance; all amounts are in units of the currency billed.
    package struct Deviation: Hashable, Sendable, CustomStringConvertible {
        let stated: Decimal
        /// The share of the purchase's tax, rounded to the minor unit.
        let share: Decimal
        let tolerance: Decimal
        let currency: String

        /// The problem as text, with both amounts.
        package var description: String {
            func text(_ amount: Decimal) -> String { "\(Currency.text(of: amount, in: currency)) \(currency)" }
            return
                "is \(text(stated)); the refund's share of the purchase's tax is \(text(share)), and a stated tax may "
                + "differ from it by \(text(tolerance))"
        }
    }

    /// Checks the stated tax of a refund.
    ///
    /// After refunds with a stated tax, it may also be the share of what they left of the tax; of the last refund of a
    /// purchase, that is the tax that is reported. A refund may also be of all that is left of the tax and of nothing else, as
    /// when a tax number turns up after the purchase.
    ///
    /// - Parameter earlier: the earlier refunds of the purchase that are not retracted.
    /// - Returns: nil for a tax that is not stated or within the tolerance, and for a purchase without a known tax.
    static func deviation(
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
        if let whole = self.share(of: purchase.inclusive, from: purchase), before < purchase.inclusive {
            let left = earlier.reduce(whole) { $0 - ($1.tax ?? self.share(of: $1.inclusive, from: purchase) ?? 0) }
            if isNear(left * refund.inclusive / (purchase.inclusive - before)) { return nil }
            if stated == refund.inclusive, isNear(left) { return nil }
        }
        return Deviation(
            stated: stated,
            share: share.rounded(toDigits: exponent),
            tolerance: tolerance,
            currency: purchase.currency
        )
    }

    /// The exact share of a purchase's tax in a part of its price, in units of the currency billed.
    ///
    /// - Returns: nil while the purchase's tax is unknown.
    static func share(of inclusive: Decimal, from purchase: Purchase) -> Decimal? {
        guard purchase.inclusive > 0 else { return 0 }
        return switch purchase.tax {
        case .amount(let tax): tax * inclusive / purchase.inclusive
        case .rate(let rate): inclusive * rate / (100 + rate)
        case nil: nil
        }
    }
}

extension Decimal {
    /// Returns the value rounded half away from zero to the given number of decimal places.
    func rounded(toDigits digits: Int) -> Decimal {
        let factor = Decimal(sign: .plus, exponent: digits, significand: 1)
        guard let units = MilliUnits(rounding: self * factor) else { return self }
        return Decimal(
            sign: units.value < 0 ? .minus : .plus,
            exponent: -digits,
            significand: Decimal(units.value.magnitude)
        )
    }
}

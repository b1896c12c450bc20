import ExternalPurchaseCore
import Ledger

extension QuotedRate {
    /// The source of a rate in an imported report while the billed amount is unknown.
    ///
    /// The amount beside the rate is computed from the amount that Apple accepted.
    static let importedReport = "imported report"
    /// The source of such a rate beside an amount that the merchant stated.
    static let acceptedReport = "accepted report"

    /// The rate to store beside an amount that the merchant states.
    var besideBilledAmount: QuotedRate {
        source == Self.importedReport ? QuotedRate(rate: rate, source: Self.acceptedReport, asOf: asOf, to: to) : self
    }
}

extension Purchase {
    /// True for an imported purchase in a currency that cannot be reported, whose billed amount is unknown.
    ///
    /// ``inclusive`` is then computed from the accepted amount; of the prices that convert to it, it is the one that
    /// converts most exactly.
    var isComputedBack: Bool { needsRate && exchangeRate?.source == QuotedRate.importedReport }

    /// The maximum sum of refunds of the purchase, in units of the currency billed.
    ///
    /// It is the price, or, for a computed price, the largest price that converts to the accepted amount.
    var mostRefundable: Decimal {
        guard let computed else { return inclusive }
        let end = Decimal(computed.accepted.value) + Self.half
        guard let minorUnits = MilliUnits(rounding: end / computed.factor * computed.scale - Self.half) else {
            return inclusive
        }
        let most = Decimal(minorUnits.value) / computed.scale
        // Amounts from `end` on convert to more.
        return max(inclusive, most * computed.factor < end ? most : most - 1 / computed.scale)
    }

    /// The smallest sum of refunds that leaves nothing of the accepted amount, in units of the currency billed.
    ///
    /// It is the price, or, for a computed price, the smallest price that converts to the accepted amount.
    var leastWhollyRefunded: Decimal {
        guard let computed else { return inclusive }
        let start = Decimal(computed.accepted.value) - Self.half
        guard let minorUnits = MilliUnits(rounding: start / computed.factor * computed.scale + Self.half) else {
            return inclusive
        }
        let least = Decimal(minorUnits.value) / computed.scale
        let below = least - 1 / computed.scale
        return min(inclusive, below * computed.factor >= start ? below : least)
    }

    private static var half: Decimal { Decimal(sign: .plus, exponent: -1, significand: 5) }

    /// The data of a computed price; nil for other prices.
    ///
    /// They are the accepted amount, the milli-units per unit of the currency billed, and the currency's minor units
    /// per unit.
    private var computed: (accepted: MilliUnits, factor: Decimal, scale: Decimal)? {
        guard isComputedBack, let factor = milliUnitsPerUnit, factor > 0,
            let accepted = MilliUnits(rounding: inclusive * factor), let digits = Currency.code(currency)?.exponent
        else { return nil }
        return (accepted, factor, Decimal(sign: .plus, exponent: digits, significand: 1))
    }
}

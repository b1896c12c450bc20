import ExternalPurchaseCore
package import Ledger

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension QuotedRate {
    /// The source of a rate that an imported report states, while nobody has said what was billed: the amount beside it is
    /// computed back from the amount that Apple accepted.
    package static let importedReport = "imported report"
    /// The source of such a rate beside an amount that the merchant has said.
    package static let acceptedReport = "accepted report"

    /// The rate beside an amount that the merchant says.
    package var besideBilledAmount: QuotedRate {
        source == Self.importedReport ? QuotedRate(rate: rate, source: Self.acceptedReport, asOf: asOf) : self
    }
}

extension Purchase {
    /// True for an imported purchase in a currency that cannot be reported, of which only the converted amount is known.
    ///
    /// Several amounts convert to the same figure: ``inclusive`` is the one that is nearest to it.
    package var isComputedBack: Bool { needsRate && exchangeRate?.source == QuotedRate.importedReport }

    /// The most that refunds of the purchase can give back, in units of the currency billed: the price, or the largest
    /// price that converts to what Apple accepted where the price is computed back from that.
    package var mostRefundable: Decimal {
        guard let computed else { return inclusive }
        let end = Decimal(computed.accepted.value) + Self.half
        guard let minorUnits = MilliUnits(rounding: end / computed.factor * computed.scale - Self.half) else {
            return inclusive
        }
        let most = Decimal(minorUnits.value) / computed.scale
        // From `end` on amounts convert to more.
        return max(inclusive, most * computed.factor < end ? most : most - 1 / computed.scale)
    }

    /// The least that refunds give back of the purchase when nothing of what Apple accepted is left, in units of the
    /// currency billed: the price, or the smallest price that converts to what Apple accepted where the price is computed
    /// back from that.
    package var leastWhollyRefunded: Decimal {
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

    /// What Apple accepted of a price that is computed back, with what a unit of the currency converts to and how many
    /// minor units it has.
    private var computed: (accepted: MilliUnits, factor: Decimal, scale: Decimal)? {
        guard isComputedBack, let factor = milliUnitsPerUnit, factor > 0,
            let accepted = MilliUnits(rounding: inclusive * factor), let digits = Currency.code(currency)?.exponent
        else { return nil }
        return (accepted, factor, Decimal(sign: .plus, exponent: digits, significand: 1))
    }
}

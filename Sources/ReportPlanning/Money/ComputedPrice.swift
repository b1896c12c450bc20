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
        let half = Decimal(sign: .plus, exponent: -1, significand: 5)
        guard isComputedBack, let factor = milliUnitsPerUnit, factor > 0,
            let accepted = MilliUnits(rounding: inclusive * factor), let digits = Currency.code(currency)?.exponent
        else { return inclusive }
        let scale = Decimal(sign: .plus, exponent: digits, significand: 1)
        // From here on amounts convert to more.
        let end = Decimal(accepted.value) + half
        guard let minorUnits = MilliUnits(rounding: end / factor * scale - half) else { return inclusive }
        let most = Decimal(minorUnits.value) / scale
        return max(inclusive, most * factor < end ? most : most - 1 / scale)
    }
}

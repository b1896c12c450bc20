import ExternalPurchaseCore
import Ledger

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The reported money of one line: inclusive amount and tax are converted and rounded, the exclusive amount is their
/// difference, so that the three always agree (RR-42).
struct LineMoney: Hashable, Sendable {
    let taxInclusive: MilliUnits
    let tax: MilliUnits

    var taxExclusive: MilliUnits { MilliUnits(taxInclusive.value - tax.value) }

    private init(taxInclusive: MilliUnits, tax: MilliUnits) {
        self.taxInclusive = taxInclusive
        self.tax = tax
    }

    /// The money of a purchase (RR-40 to RR-44); nil while tax or a needed rate is missing, or outside 64 bits.
    init?(_ purchase: Purchase) {
        guard let factor = purchase.milliUnitsPerUnit, let statedTax = purchase.tax else { return nil }
        let exact = purchase.inclusive * factor
        let exactTax: Decimal =
            switch statedTax {
            case .amount(let amount): amount * factor
            // From the converted amount before its rounding (RR-44).
            case .rate(let rate): exact * rate / (100 + rate)
            }
        guard let inclusive = MilliUnits(rounding: exact), let tax = MilliUnits(rounding: exactTax) else { return nil }
        self.init(taxInclusive: inclusive, tax: tax)
    }

    /// The money of a purchase's refunds in their order (RR-46).
    ///
    /// A refund is never more than what is left, also where many small ones were each rounded up; the one that uses
    /// up the purchase in the currency billed takes the remainder.
    ///
    /// - Returns: nil when the purchase itself cannot be converted.
    static func refunds(_ refunds: [Refund], of purchase: Purchase) -> [LineMoney]? {
        guard let buy = LineMoney(purchase), let factor = purchase.milliUnitsPerUnit else { return nil }
        var left = buy
        var refunded: Decimal = 0
        var lines: [LineMoney] = []
        for refund in refunds {
            refunded += refund.inclusive
            let line: LineMoney
            if refunded >= purchase.inclusive {
                line = left
            } else {
                let rounded = MilliUnits(rounding: refund.inclusive * factor) ?? left.taxInclusive
                let inclusive = min(rounded, left.taxInclusive)
                let wanted = taxBeforeLimits(of: refund, of: purchase, buy: buy, factor: factor)
                let least = max(0, inclusive.value - left.taxExclusive.value)
                let most = min(left.tax.value, inclusive.value)
                line = LineMoney(taxInclusive: inclusive, tax: MilliUnits(min(max(wanted.value, least), most)))
            }
            lines.append(line)
            left = LineMoney(
                taxInclusive: MilliUnits(left.taxInclusive.value - line.taxInclusive.value),
                tax: MilliUnits(left.tax.value - line.tax.value)
            )
        }
        return lines
    }

    /// The tax as stated, or the refund's share of the reported tax.
    private static func taxBeforeLimits(
        of refund: Refund,
        of purchase: Purchase,
        buy: LineMoney,
        factor: Decimal
    ) -> MilliUnits {
        let exact = refund.tax.map { $0 * factor } ?? Decimal(buy.tax.value) * refund.inclusive / purchase.inclusive
        return MilliUnits(rounding: exact) ?? buy.tax
    }

    /// Whether a stated tax is what the line will carry, but for rounding: one minor unit of the currency and one
    /// milli-unit per refund.
    static func canRefund(_ tax: Decimal, in refund: Refund, of purchase: Purchase, after earlier: [Refund]) -> Bool {
        guard let factor = purchase.milliUnitsPerUnit, let lines = refunds(earlier + [refund], of: purchase),
            let line = lines.last, let stated = MilliUnits(rounding: tax * factor)
        else { return true }
        let minorUnit = Decimal(
            sign: .plus,
            exponent: -(Currency.code(purchase.currency)?.exponent ?? 2),
            significand: 1
        )
        let slack = (MilliUnits(rounding: minorUnit * factor)?.value ?? 0) + Int64(lines.count)
        return abs(line.tax.value - stated.value) <= slack
    }
}

extension Purchase {
    /// True for a currency that cannot be reported (RR-51).
    var needsRate: Bool { Currency.code(currency)?.reportable != true }

    /// Milli-units of the reporting currency for one unit of the currency billed; nil without a needed rate.
    var milliUnitsPerUnit: Decimal? {
        guard needsRate else { return 1_000 }
        return exchangeRate?.rate.decimal.map { $0 * 1_000 }
    }

    /// The currency reported (RR-51).
    func reportingCurrency(foreign: ReportingSettings.ForeignCurrency) -> String {
        guard needsRate else { return currency }
        switch foreign {
        case .euro, .usDollar: return foreign.rawValue
        case .automatic:
            let isInEEA = taxCountry.map(EuropeanEconomicArea.alpha3Codes.contains) ?? false
            return (isInEEA ? ReportingSettings.ForeignCurrency.euro : .usDollar).rawValue
        }
    }
}

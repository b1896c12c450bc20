import ExternalPurchaseCore
import Ledger

/// The reported amounts of one line item (RR-42).
///
/// Amount with tax and tax are converted and rounded; the amount without tax is their difference, so that all three are
/// consistent.
struct LineMoney: Hashable, Sendable {
    let taxInclusive: MilliUnits
    let tax: MilliUnits

    var taxExclusive: MilliUnits { MilliUnits(taxInclusive.value - tax.value) }

    /// Creates the amounts of an existing report.
    init(taxInclusive: MilliUnits, tax: MilliUnits) {
        self.taxInclusive = taxInclusive
        self.tax = tax
    }

    /// Computes the amounts of a purchase (RR-40 to RR-44); returns nil without tax or needed rate, or beyond 64 bits.
    init?(_ purchase: Purchase) {
        if let amounts = Self.integers(purchase) {
            self = amounts
            return
        }
        // Only a price of 0 needs no stated tax (RR-47).
        guard let factor = purchase.milliUnitsPerUnit,
            let statedTax = purchase.tax ?? (purchase.inclusive == 0 ? .amount(0) : nil)
        else { return nil }
        let exact = purchase.inclusive * factor
        let exactTax: Decimal =
            switch statedTax {
            case .amount(let amount): amount * factor
            // Computed from the converted amount before rounding (RR-44).
            case .rate(let rate): exact * rate / (100 + rate)
            }
        guard let inclusive = MilliUnits(rounding: exact), let tax = MilliUnits(rounding: exactTax) else { return nil }
        self.init(taxInclusive: inclusive, tax: tax)
    }

    /// Computes the amounts of a purchase in a reporting currency with a tax rate, which most purchases are, in integers.
    ///
    /// The result is that of ``init(_:)`` with decimal numbers, at a tenth of its cost.
    ///
    /// - Returns: nil for other purchases, and for numbers with so many digits that the products do not fit.
    private static func integers(_ purchase: Purchase) -> LineMoney? {
        guard !purchase.needsRate, case .rate(let rate) = purchase.tax, !purchase.inclusive.isSignMinus,
            !rate.isSignMinus, let price = DecimalParts(purchase.inclusive), let rate = DecimalParts(rate),
            (-6...0).contains(price.exponent), (-6...0).contains(rate.exponent), price.digits < 1_000_000_000_000_000,
            rate.digits < 1_000_000_000
        else { return nil }
        // price · 1000 · rate ∕ (100 + rate), with all numbers as integers over powers of ten.
        let milliUnits = price.digits * 1_000
        let divisor = DecimalParts.powerOfTen(-price.exponent)
        let whole = 100 * DecimalParts.powerOfTen(-rate.exponent) + rate.digits
        guard let inclusive = Int64(exactly: DecimalParts.rounded(milliUnits, dividedBy: divisor)),
            let tax = Int64(exactly: DecimalParts.rounded(milliUnits * rate.digits, dividedBy: divisor * whole))
        else { return nil }
        return LineMoney(taxInclusive: MilliUnits(inclusive), tax: MilliUnits(tax))
    }

    /// The amounts of a purchase's refunds in order (RR-46).
    ///
    /// - Returns: nil when the purchase itself cannot be converted.
    static func refunds(_ refunds: [Refund], of purchase: Purchase) -> [LineMoney]? {
        guard var left = RefundableMoney(of: purchase) else { return nil }
        return refunds.map { left.subtract($0) }
    }
}

extension Purchase {
    /// True for a currency that cannot be reported (RR-51).
    var needsRate: Bool { !ThreeLetterCodes.reportableCurrencies.contains(currency) }

    /// Milli-units of the reporting currency per unit of the currency billed; nil if a needed rate is missing.
    var milliUnitsPerUnit: Decimal? {
        guard needsRate else { return 1_000 }
        return exchangeRate?.rate.decimal.map { $0 * 1_000 }
    }

    /// The reporting currency: the one into which the rate leads, else the wanted one.
    ///
    /// A sale keeps the currency of its rate when the setting or its tax country changes afterwards.
    func reportingCurrency(foreign: ForeignCurrency) -> String {
        if needsRate, let to = exchangeRate?.to { return to }
        return wantedReportingCurrency(foreign: foreign)
    }

    /// The currency in which a sale without a rate is to be reported (RR-51).
    func wantedReportingCurrency(foreign: ForeignCurrency) -> String {
        guard needsRate else { return currency }
        switch foreign {
        case .euro, .usDollar: return foreign.rawValue
        case .automatic:
            let isInEEA = taxCountry.map(EuropeanEconomicArea.alpha3Codes.contains) ?? false
            return (isInEEA ? ForeignCurrency.euro : .usDollar).rawValue
        }
    }
}

extension Purchase {
    /// Whether the given rate was quoted within 48 hours of the sale (RR-45).
    func hasRate(for occurredAt: Timestamp) -> Bool {
        guard let asOf = exchangeRate?.asOf else { return false }
        let window = Duration.days(2)
        return occurredAt - window <= asOf
            && asOf <= occurredAt + window
    }
}

import ExternalPurchaseCore
import Ledger

/// The remainder of a buy that can be refunded, in the currency billed and in reported amounts (RR-46).
///
/// A refund never exceeds the remainder, even if many small refunds were each rounded up. The refund that uses up the
/// buy in the currency billed receives the remaining reported amount.
struct RefundableMoney: Hashable, Sendable {
    private let purchase: Purchase
    private let factor: Decimal
    private let buy: LineMoney
    private var left: LineMoney
    private var refunded: Decimal = 0

    /// Creates the remainder of a buy without refunds.
    ///
    /// - Parameter reported: the accepted amounts, of which a refund's tax is a share; nil for an unreported buy.
    /// - Returns: nil when the buy cannot be converted.
    init?(of purchase: Purchase, reported: LineMoney? = nil) {
        guard let factor = purchase.milliUnitsPerUnit, let buy = reported ?? LineMoney(purchase) else { return nil }
        self.purchase = purchase
        self.factor = factor
        self.buy = buy
        left = buy
    }

    /// Subtracts a refund whose reported amounts are already fixed.
    mutating func subtract(_ refund: Refund, reportedAs line: LineMoney) {
        refunded += refund.inclusive
        reduce(by: line)
    }

    /// Subtracts a refund and returns its reported amounts.
    mutating func subtract(_ refund: Refund) -> LineMoney {
        refunded += refund.inclusive
        let line: LineMoney
        if refunded >= purchase.inclusive {
            line = left
        } else {
            let rounded = MilliUnits(rounding: refund.inclusive * factor) ?? left.taxInclusive
            let inclusive = min(rounded, left.taxInclusive)
            let wanted = tax(of: refund)
            let least = max(0, inclusive.value - left.taxExclusive.value)
            let most = max(least, min(left.tax.value, inclusive.value))
            line = LineMoney(taxInclusive: inclusive, tax: MilliUnits(min(max(wanted.value, least), most)))
        }
        reduce(by: line)
        return line
    }

    /// Whether reported amounts are those of a refund of an unrefunded buy, up to what the rounding of the other refunds
    /// may have moved to it.
    ///
    /// - Parameters:
    ///   - refund: the refund.
    ///   - line: its reported amounts.
    ///   - refunds: all refunds of the buy, retracted ones included.
    func gives(_ refund: Refund, _ line: LineMoney, among refunds: [Refund]) -> Bool {
        var whole = self
        let own = whole.subtract(refund)
        let roundings = max(0, refunds.count - 1)
        var taxes = Decimal(roundings)
        if roundings > 0, let digits = Currency.code(purchase.currency)?.exponent {
            // A stated tax may differ from its share, and the refund that uses up the buy has the rest.
            let unit = Decimal(sign: .plus, exponent: -digits, significand: 1) * factor
            taxes += Decimal(refunds.count { $0.tax != nil }) * RefundTax.toleratedMinorUnits * unit
        }
        return own.taxInclusive.value.distance(to: line.taxInclusive.value).magnitude <= UInt(roundings)
            && Decimal(own.tax.value.distance(to: line.tax.value).magnitude) <= taxes
    }

    private mutating func reduce(by line: LineMoney) {
        left = LineMoney(
            taxInclusive: MilliUnits(max(0, left.taxInclusive.value - line.taxInclusive.value)),
            tax: MilliUnits(max(0, left.tax.value - line.tax.value))
        )
    }

    /// The stated tax, or the refund's share of the reported tax.
    private func tax(of refund: Refund) -> MilliUnits {
        // A tax stated for another amount does not apply.
        let stated = refund.stated == nil ? refund.tax : nil
        let exact = stated.map { $0 * factor } ?? Decimal(buy.tax.value) * refund.inclusive / purchase.inclusive
        return MilliUnits(rounding: exact) ?? buy.tax
    }
}

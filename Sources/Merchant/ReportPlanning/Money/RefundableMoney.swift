import ExternalPurchaseCore
package import Ledger

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is left of a buy for refunds, in the currency billed and in reported money (RR-46).
///
/// A refund is never more than what is left, also where many small ones were each rounded up; the one that uses up
/// the buy in the currency billed takes the remainder.
package struct RefundableMoney: Hashable, Sendable {
    private let purchase: Purchase
    private let factor: Decimal
    private let buy: LineMoney
    private var left: LineMoney
    private var refunded: Decimal = 0

    /// The whole buy.
    ///
    /// - Parameter reported: the money that Apple accepted for it, which a refund's tax is a share of; nil for a buy
    ///   not reported yet.
    /// - Returns: nil when the buy cannot be converted.
    package init?(of purchase: Purchase, reported: LineMoney? = nil) {
        guard let factor = purchase.milliUnitsPerUnit, let buy = reported ?? LineMoney(purchase) else { return nil }
        self.purchase = purchase
        self.factor = factor
        self.buy = buy
        left = buy
    }

    /// Takes off a refund whose reported money is settled.
    package mutating func take(_ refund: Refund, reportedAs line: LineMoney) {
        refunded += refund.inclusive
        takeOff(line)
    }

    /// Takes off a refund and tells its reported money.
    package mutating func take(_ refund: Refund) -> LineMoney {
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
        takeOff(line)
        return line
    }

    private mutating func takeOff(_ line: LineMoney) {
        left = LineMoney(
            taxInclusive: MilliUnits(max(0, left.taxInclusive.value - line.taxInclusive.value)),
            tax: MilliUnits(max(0, left.tax.value - line.tax.value))
        )
    }

    /// The tax as stated, or the refund's share of the reported tax.
    private func tax(of refund: Refund) -> MilliUnits {
        // A tax that was stated of another amount is no tax of this one.
        let stated = refund.stated == nil ? refund.tax : nil
        let exact = stated.map { $0 * factor } ?? Decimal(buy.tax.value) * refund.inclusive / purchase.inclusive
        return MilliUnits(rounding: exact) ?? buy.tax
    }
}

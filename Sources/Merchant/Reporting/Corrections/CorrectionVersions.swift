import ExternalPurchaseCore
import Ledger
import ReportPlanning

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a correction says of the sales behind the items that it changes.
struct CorrectionVersions {
    /// The state of a sale after the last step of the plan.
    private struct Outcome {
        /// The item before the correction; nil for one that was not known.
        let before: LineItem?
        var item: LineItem
        var isChanged = false

        var wasLive: Bool { before.map(\.stands) ?? false }
    }

    /// The next versions of the sales, by sale id.
    ///
    /// - Parameters:
    ///   - sales: the sales that belong together with the corrected one.
    ///   - corrected: the content of the sale that the request names.
    static func versions(
        after steps: [PlannedReport],
        of sales: [SaleId: StoredSale],
        corrected: Sale,
        saidAt: Timestamp,
        correction: CorrectionId
    ) -> [SaleVersion] {
        var saleOfItem: [LineItemId: SaleId] = [:]
        for (id, sale) in sales { saleOfItem[sale.lineItemId] = id }
        var outcomes: [SaleId: Outcome] = [:]
        let changes = steps.flatMap(\.items)
        let moved = changes.compactMap { change in
            if case .replaces(let old) = change.cause { (old: old, new: change.item.lineItemId) } else { nil }
        }
        // The sale is the new item from now on, whatever its report says of the old one.
        for (old, new) in moved {
            saleOfItem[new] = saleOfItem[old]
            saleOfItem[old] = nil
        }
        for change in changes {
            guard let id = saleOfItem[change.item.lineItemId] else { continue }
            var outcome = outcomes[id] ?? Outcome(before: change.before, item: change.item)
            outcome.item = change.item
            if case .suspended = change.cause {} else { outcome.isChanged = true }
            outcomes[id] = outcome
        }
        return outcomes.sorted { $0.key < $1.key }.compactMap { id, outcome in
            guard outcome.isChanged, let stored = sales[id] else { return nil }
            let stands = outcome.item.stands
            let change: SaleVersion.Change = stands ? (outcome.wasLive ? .restated : .restored) : .retracted
            let buy = stored.sale.refund.flatMap { sales[$0.refundOf]?.sale.purchase }
            let correctedBuy = stored.sale.refund?.refundOf == corrected.saleId ? corrected.purchase : buy
            let sale = stored.sale.agreeing(with: outcome.item, before: outcome.before, of: buy, correctedBuy)
            return SaleVersion(
                version: stored.version + 1,
                sale: id == corrected.saleId ? corrected : sale,
                lineItemId: outcome.item.lineItemId,
                change: change,
                saidAt: saidAt,
                correctionId: correction
            )
        }
    }
}

extension LineItem {
    fileprivate var stands: Bool { version != .retraction }
}

extension Sale {
    /// The refund with the amounts that were restated along with its buy, in the currency that its buy says now.
    ///
    /// - Parameters:
    ///   - item: the refund as Apple is told it.
    ///   - before: the refund as Apple had it.
    ///   - buy: the purchase before the correction.
    ///   - correctedBuy: the purchase after it.
    fileprivate func agreeing(
        with item: LineItem,
        before: LineItem?,
        of buy: Purchase?,
        _ correctedBuy: Purchase?
    ) -> Sale {
        guard case .refund(let refund) = kind, item.stands, let factor = item.amounts.milliUnitsPerUnit, factor > 0,
            !(before?.amounts.isSameMoney(as: item.amounts) ?? false)
        else { return self }
        let digits = Currency.code(item.amounts.pricingCurrency)?.exponent ?? 2
        func units(of reported: MilliUnits, like candidates: [Decimal]) -> Decimal {
            candidates.first { MilliUnits(rounding: $0 * factor) == reported }
                ?? reported.units(at: factor, digits: digits)
        }
        let isSameCurrency = before?.amounts.pricingCurrency == item.amounts.pricingCurrency
        let isSameAmount =
            isSameCurrency && before?.amounts.taxInclusive == item.amounts.taxInclusive
            && before?.amounts.exchangeRate == item.amounts.exchangeRate
        var candidates = isSameCurrency ? [refund.inclusive] : []
        if let buy, let correctedBuy, buy.inclusive > 0 {
            let share = refund.inclusive * correctedBuy.inclusive / buy.inclusive
            candidates.append(share.rounded(toDigits: digits))
        }
        let inclusive =
            isSameAmount ? refund.inclusive : units(of: item.amounts.taxInclusive, like: candidates)
        // A tax that was not stated stays the share of the buy's.
        let isSame = isSameCurrency && inclusive == refund.inclusive
        if isSame, refund.tax == nil { return self }
        let tax = units(of: item.amounts.tax, like: isSame ? [refund.tax ?? 0] : [])
        // Totals and shares of an order count in the amounts of before.
        return with(
            .refund(
                Refund(
                    refundOf: refund.refundOf,
                    inclusive: inclusive,
                    tax: tax,
                    isChargeback: refund.isChargeback,
                    refundedTotal: isSame ? refund.refundedTotal : nil,
                    stated: isSame ? refund.stated : nil,
                    isShare: isSame && refund.isShare
                )
            )
        )
    }
}

extension LineItemAmounts {
    /// Milli-units of the reporting currency for one unit of the currency billed; nil for a rate that is no number here.
    fileprivate var milliUnitsPerUnit: Decimal? {
        pricingCurrency == reportingCurrency ? 1_000 : exchangeRate?.decimal.map { $0 * 1_000 }
    }

    /// True for the same amounts, whatever is left of the buy.
    fileprivate func isSameMoney(as other: LineItemAmounts) -> Bool {
        taxExclusive == other.taxExclusive && tax == other.tax && pricingCurrency == other.pricingCurrency
            && reportingCurrency == other.reportingCurrency && exchangeRate == other.exchangeRate
    }
}

extension MilliUnits {
    /// An amount of the currency billed that converts to this one.
    ///
    /// It has more digits than the currency where no amount of whole minor units does: the next report and the month
    /// export are computed from it, and have to say what Apple was told.
    fileprivate func units(at factor: Decimal, digits: Int) -> Decimal {
        let exact = Decimal(value) / factor
        let rounded = (digits...digits + 9).lazy.map { exact.rounded(toDigits: $0) }
        return rounded.first { MilliUnits(rounding: $0 * factor) == self } ?? exact
    }
}

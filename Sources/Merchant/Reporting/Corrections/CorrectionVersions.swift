import ExternalPurchaseCore
import Ledger

/// Derives new versions of sales from the line items that a correction changes.
struct CorrectionVersions {
    /// The state of a sale after the last step of the plan.
    private struct Outcome {
        /// The item before the correction; nil if it was not known.
        let before: LineItem?
        var item: LineItem
        var isChanged = false

        var wasLive: Bool { before.map(\.stands) ?? false }
    }

    /// Computes the next versions of the sales, sorted by sale id.
    ///
    /// - Parameters:
    ///   - steps: the reports of the plan.
    ///   - sales: the sales that are connected with the corrected one.
    ///   - corrected: the new content of the sale that the request names.
    ///   - saidAt: the time of the versions.
    ///   - correction: the correction that causes them.
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
        // From now on the sale belongs to the new item, even if a report still mentions the old one.
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
    /// Returns the refund with the amounts that were restated along with its buy, in the currency of the corrected buy.
    ///
    /// - Parameters:
    ///   - item: the refund as the correction reports it.
    ///   - before: the refund as Apple accepted it before.
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
        var candidates: [Decimal] = []
        if let buy, let correctedBuy, buy.inclusive > 0 {
            let share = refund.inclusive * correctedBuy.inclusive / buy.inclusive
            candidates.append(share.rounded(toDigits: digits))
        }
        // In the currency billed a refund gave back what it gave back, whatever the buy was.
        let inclusive = isSameCurrency ? refund.inclusive : units(of: item.amounts.taxInclusive, like: candidates)
        // A tax that was not stated remains a share of the buy's tax.
        let isSame = isSameCurrency && inclusive == refund.inclusive
        if isSame, refund.tax == nil { return self }
        let tax = units(of: item.amounts.tax, like: isSame ? [refund.tax ?? 0] : [])
        // Totals and shares of an order refer to the amounts before the correction, so a changed refund drops them.
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
    /// Milli-units of the reporting currency per unit of the billed currency; nil if the rate is not a usable number.
    fileprivate var milliUnitsPerUnit: Decimal? {
        pricingCurrency == reportingCurrency ? 1_000 : exchangeRate?.decimal.map { $0 * 1_000 }
    }

    /// True if the amounts, currencies and rate are equal; the remaining net is not compared.
    fileprivate func isSameMoney(as other: LineItemAmounts) -> Bool {
        taxExclusive == other.taxExclusive && tax == other.tax && pricingCurrency == other.pricingCurrency
            && reportingCurrency == other.reportingCurrency && exchangeRate == other.exchangeRate
    }
}

extension MilliUnits {
    /// Returns an amount of the billed currency that converts to this one.
    ///
    /// If no amount of whole minor units converts exactly, the result has more digits than the currency: the next
    /// report and the month export are computed from it and must agree with the reported amount.
    fileprivate func units(at factor: Decimal, digits: Int) -> Decimal {
        let exact = Decimal(value) / factor
        let rounded = (digits...digits + 9).lazy.map { exact.rounded(toDigits: $0) }
        return rounded.first { MilliUnits(rounding: $0 * factor) == self } ?? exact
    }
}

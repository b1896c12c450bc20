import ExternalPurchaseCore
import Ledger
import ReportCorrections

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a correction says of the sales behind the items that it changes.
struct CorrectionVersions {
    /// The last word of the plan on a sale.
    private struct Outcome {
        var item: LineItem
        var wasLive: Bool
        var isChanged = false
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
            var outcome = outcomes[id] ?? Outcome(item: change.item, wasLive: change.before.map(\.stands) ?? false)
            outcome.item = change.item
            if case .setAside = change.cause {} else { outcome.isChanged = true }
            outcomes[id] = outcome
        }
        return outcomes.sorted { $0.key < $1.key }.compactMap { id, outcome in
            guard outcome.isChanged, let stored = sales[id] else { return nil }
            let stands = outcome.item.stands
            let change: SaleVersion.Change = stands ? (outcome.wasLive ? .restated : .restored) : .retracted
            return SaleVersion(
                version: stored.version + 1,
                sale: id == corrected.saleId ? corrected : stored.sale.agreeing(with: outcome.item),
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
    /// The refund with the amounts that were restated along with its buy, where they are in the currency billed.
    fileprivate func agreeing(with item: LineItem) -> Sale {
        guard case .refund(let refund) = kind, item.stands,
            item.amounts.pricingCurrency == item.amounts.reportingCurrency
        else { return self }
        let (exclusive, overflow) = item.amounts.taxExclusive.value.addingReportingOverflow(item.amounts.tax.value)
        let inclusive = Decimal(exclusive) / 1_000
        guard !overflow, inclusive != refund.inclusive else { return self }
        return Sale(
            saleId: saleId,
            bundleId: bundleId,
            occurredAt: occurredAt,
            customerId: customerId,
            checkoutId: checkoutId,
            externalPurchaseId: externalPurchaseId,
            kind: .refund(
                Refund(
                    refundOf: refund.refundOf,
                    inclusive: inclusive,
                    tax: Decimal(item.amounts.tax.value) / 1_000,
                    isChargeback: refund.isChargeback,
                    refundedTotal: refund.refundedTotal,
                    stated: refund.stated,
                    isShare: refund.isShare
                )
            )
        )
    }
}

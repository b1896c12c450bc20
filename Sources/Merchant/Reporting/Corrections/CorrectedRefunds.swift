import ExternalPurchaseCore
import Ledger
import ReportValidation

/// The refunds that Apple has of a purchase, after a correction of the purchase or of one of them (RR-46, RR-83).
///
/// A refund gave back an amount of the currency billed, which a correction of its purchase does not change; its tax is
/// its share of the purchase's tax, and the one that uses up the purchase has the rest. A purchase that gets another
/// currency is not covered here.
struct CorrectedRefunds {
    /// The amounts by line item.
    private(set) var amounts: [LineItemId: LineMoney] = [:]
    /// Set if more was given back than the corrected purchase is.
    private(set) var refusal: CorrectionRefusal?

    /// Computes the amounts as the month export does.
    ///
    /// - Parameters:
    ///   - corrected: the correction.
    ///   - history: what Apple accepted, as far as the correction needs it.
    ///   - foreign: the setting of the reporting currency.
    ///   - ledger: the ledger before the correction.
    init(
        of corrected: CorrectedSale,
        history: CorrectionHistory,
        foreign: ForeignCurrency,
        in ledger: LedgerQueries
    ) throws(LedgerError) {
        let sale = corrected.sale
        guard let stored = try ledger.sale(sale.saleId, of: sale.bundleId) else { return }
        if let purchase = sale.purchase, let old = stored.sale.purchase {
            guard old.currency == purchase.currency, LineMoney(old) != LineMoney(purchase) else { return }
            let refunds = try Self.live(of: sale.saleId, sale.bundleId, history, in: ledger)
            let excess = refunds.reduce(-purchase.mostRefundable) { $0 + ($1.sale.refund?.inclusive ?? 0) }
            guard excess <= 0 else {
                let text = "\(Currency.text(of: excess, in: purchase.currency)) \(purchase.currency)"
                refusal = .refunds(refunds.map(\.lineItemId), exceed: stored.lineItemId, by: text)
                return
            }
            var buy = SaleRecord(stored)
            buy.sale = sale
            let records = refunds.map { refund in
                var record = SaleRecord(refund)
                record.sale = refund.sale.taxed(by: purchase, before: old)
                return record
            }
            amounts = Self.amounts(of: records, buy, foreign)
        } else if let refund = sale.refund, let buy = try ledger.sale(refund.refundOf, of: sale.bundleId) {
            let isChanged = refund != stored.sale.refund
            guard isChanged || !history.isLive(stored.lineItemId) else { return }
            let others = try Self.live(of: refund.refundOf, sale.bundleId, history, in: ledger)
                .filter { $0.sale.saleId != sale.saleId }
            var record = SaleRecord(stored)
            record.sale = sale
            let found = Self.amounts(of: others.map { SaleRecord($0) } + [record], SaleRecord(buy), foreign)
            guard let money = found[stored.lineItemId] else { return }
            if isChanged, let stated = refund.tax {
                // A stated tax may miss what is left of the purchase's by one minor unit (RR-46).
                guard let factor = buy.sale.purchase?.milliUnitsPerUnit else { return }
                let digits = Currency.code(buy.sale.purchase?.currency ?? "")?.exponent ?? 2
                let unit = Decimal(sign: .plus, exponent: -digits, significand: 1)
                guard abs(stated * factor - Decimal(money.tax.value)) <= unit * factor else { return }
            }
            amounts[stored.lineItemId] = money
        }
    }

    /// The refunds and chargebacks that stand at Apple, in the order of their arrival.
    private static func live(
        of buy: SaleId,
        _ bundleId: BundleId,
        _ history: CorrectionHistory,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> [StoredSale] {
        try ledger.refunds(of: buy, app: bundleId)
            .filter { $0.sale.refund != nil && history.isLive($0.lineItemId) }
            .sorted { $0.sequence < $1.sequence }
    }

    private static func amounts(
        of refunds: [SaleRecord],
        _ buy: SaleRecord,
        _ foreign: ForeignCurrency
    ) -> [LineItemId: LineMoney] {
        let records = [buy] + refunds
        let outcome = LineItemPlanner(foreignCurrency: foreign)
            .items(of: records.map(\.sale.saleId), among: records, accepted: [:])
        return outcome.items.reduce(into: [:]) { amounts, item in
            guard item.lineItemId != buy.lineItemId else { return }
            amounts[item.lineItemId] = LineMoney(taxInclusive: item.amounts.taxInclusive, tax: item.amounts.tax)
        }
    }
}

extension CorrectionHistory {
    fileprivate func isLive(_ id: LineItemId) -> Bool {
        items[id].map { $0.item.erroneouslySubmitted != true } ?? false
    }
}

extension Sale {
    /// Returns the refund without the tax that was stated of it, where its share of the purchase's tax changes.
    fileprivate func taxed(by purchase: Purchase, before old: Purchase) -> Sale {
        guard let refund, refund.tax != nil,
            RefundTax.share(of: refund.inclusive, from: purchase) != RefundTax.share(of: refund.inclusive, from: old)
        else { return self }
        return with(
            .refund(
                Refund(
                    refundOf: refund.refundOf,
                    inclusive: refund.inclusive,
                    isChargeback: refund.isChargeback,
                    refundedTotal: refund.refundedTotal,
                    stated: refund.stated,
                    isShare: refund.isShare,
                    currency: refund.currency
                )
            )
        )
    }
}

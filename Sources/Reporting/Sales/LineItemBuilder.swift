import ExternalPurchaseCore
import Ledger
import ReportPlanning

/// Makes the line items of sales that go into one report.
///
/// The nets are this side's own arithmetic over what Apple accepted and what the report adds (RR-20); the rules that
/// judge them are never asked.
struct LineItemBuilder: Sendable {
    let foreignCurrency: ReportingSettings.ForeignCurrency

    /// The items in the order of the sales; a sale whose money cannot be converted is named instead.
    func items(
        of sales: [StoredSale],
        in ledger: any LedgerReading,
        scope: ReportingScope
    ) throws(LedgerError) -> (items: [LineItem], unbuildable: [SaleId]) {
        var groups: [SaleId: NetGroup] = [:]
        let ids = Set(sales.map(\.sale.saleId))
        var items: [LineItem] = []
        var unbuildable: [SaleId] = []
        for sale in sales {
            let buyId = sale.sale.refund?.refundOf ?? sale.sale.saleId
            if groups[buyId] == nil { groups[buyId] = try group(of: buyId, with: ids, in: ledger, scope: scope) }
            if let group = groups[buyId], let item = item(of: sale, in: group) {
                items.append(item)
            } else {
                unbuildable.append(sale.sale.saleId)
            }
        }
        return (items, unbuildable)
    }

    /// A buy with all its refunds (RR-20).
    private struct NetGroup {
        let buy: StoredSale
        let purchase: Purchase
        let taxCountry: String
        /// By sale, the buy's own included.
        let money: [SaleId: LineMoney]
        let net: MilliUnits
    }

    private func group(
        of buyId: SaleId,
        with ids: Set<SaleId>,
        in ledger: any LedgerReading,
        scope: ReportingScope
    ) throws(LedgerError) -> NetGroup? {
        guard let buy = try ledger.sale(buyId, of: scope.bundleId), let purchase = buy.sale.purchase,
            let taxCountry = purchase.taxCountry, let buyMoney = LineMoney(purchase)
        else { return nil }
        let refunds = try ledger.refunds(of: buyId, app: scope.bundleId)
        guard let refundMoney = LineMoney.refunds(refunds.compactMap(\.sale.refund), of: purchase) else { return nil }
        var money = [buyId: buyMoney]
        for (refund, line) in zip(refunds, refundMoney) { money[refund.sale.saleId] = line }

        let accepted = try ledger.newestAccepted([buy.lineItemId], in: scope)
        var net = accepted[buy.lineItemId]?.item.amountTaxExclusive ?? buyMoney.taxExclusive.value
        let added = refunds.filter { ids.contains($0.sale.saleId) }
        for refund in added { net -= money[refund.sale.saleId]?.taxExclusive.value ?? 0 }
        let addedIds = Set(added.map(\.lineItemId))
        for (id, version) in accepted where !addedIds.contains(id) {
            let item = version.item
            guard item.eventType == .refund, item.referenceLineItemId == buy.lineItemId,
                item.erroneouslySubmitted != true
            else { continue }
            net -= item.amountTaxExclusive ?? 0
        }
        return NetGroup(buy: buy, purchase: purchase, taxCountry: taxCountry, money: money, net: MilliUnits(net))
    }

    private func item(of sale: StoredSale, in group: NetGroup) -> LineItem? {
        guard let money = group.money[sale.sale.saleId] else { return nil }
        let purchase = group.purchase
        let kind: LineItem.Kind
        switch sale.sale.kind {
        case .purchase(let purchase):
            kind = .oneTimeBuy(
                LineItem.OneTimeBuy(productIdentifier: purchase.productId, quantity: purchase.quantity)
            )
        case .refund:
            kind = .refund(of: group.buy.lineItemId)
        case .subscription, .cancellation, .lapse, .chargebackReversal:
            return nil
        }
        return LineItem(
            lineItemId: sale.lineItemId,
            creationDate: sale.sale.occurredAt,
            amounts: LineItemAmounts(
                taxExclusive: money.taxExclusive,
                tax: money.tax,
                netTaxExclusive: group.net,
                pricingCurrency: purchase.currency,
                reportingCurrency: purchase.reportingCurrency(foreign: foreignCurrency),
                exchangeRate: purchase.needsRate ? purchase.exchangeRate?.rate : nil
            ),
            taxCountry: group.taxCountry,
            kind: kind
        )
    }
}

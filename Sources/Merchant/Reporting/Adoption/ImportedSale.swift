import ExternalPurchaseCore
import Ledger
import ReportPlanning

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The sale that an accepted line item of another system stands for.
///
/// A report states money in its reporting currency only: the amount billed in another currency is the one that its rate
/// converts to the accepted amount, until the merchant says it (``SaleDifferences``). What Apple accepted stays the figure
/// that refunds and corrections start from.
enum ImportedSale {
    /// Builds the sale of a buy or a refund.
    ///
    /// - Parameters:
    ///   - item: a complete accepted item.
    ///   - token: the token of its report.
    ///   - subscription: the subscription of its charge; unused by others.
    ///   - buy: the sale that a refund gives back.
    /// - Returns: nil for an item that lacks what a sale needs.
    static func sale(
        of item: ReceivedLineItem,
        on token: ExternalPurchaseId,
        of bundleId: BundleId,
        subscription: SubscriptionId?,
        buy: Sale?
    ) -> Sale? {
        guard let id = item.lineItemId, let date = item.creationDate else { return nil }
        let kind: Sale.Kind
        if item.eventType == .refund {
            guard let refund = refund(of: item, buy: buy) else { return nil }
            kind = .refund(refund)
        } else {
            guard let purchase = purchase(of: item) else { return nil }
            if item.subscriptionEvent == nil {
                kind = .purchase(purchase)
            } else {
                guard let subscription, let charge = charge(of: item, subscription, purchase) else { return nil }
                kind = .subscription(charge)
            }
        }
        return Sale(
            saleId: SaleId(id.rawValue),
            bundleId: bundleId,
            occurredAt: Timestamp(milliseconds: date),
            externalPurchaseId: token,
            kind: kind
        )
    }

    private static func purchase(of item: ReceivedLineItem) -> Purchase? {
        guard let product = item.productIdentifier, let currency = item.pricingCurrency,
            let inclusive = item.amountTaxInclusive, let tax = item.taxAmount, let date = item.creationDate
        else { return nil }
        let quote = item.exchangeRate.map { rate in
            QuotedRate(rate: rate, source: QuotedRate.importedReport, asOf: Timestamp(milliseconds: date))
        }
        let money = Billed(currency: currency, rate: item.exchangeRate)
        return Purchase(
            productId: product,
            quantity: item.quantity ?? 1,
            currency: currency,
            inclusive: money.units(of: inclusive),
            tax: .amount(money.units(of: tax, isTax: true)),
            taxCountry: item.taxCountry,
            exchangeRate: quote
        )
    }

    private static func charge(
        of item: ReceivedLineItem,
        _ subscription: SubscriptionId,
        _ purchase: Purchase
    ) -> SubscriptionCharge? {
        guard let start = item.subscriptionStartDate, let end = item.subscriptionEndDate else { return nil }
        let events: [SubscriptionEvent: SubscriptionCharge.Event] = [
            .renewal: .renewal, .change: .change, .payment: .payment,
        ]
        return SubscriptionCharge(
            subscriptionId: subscription,
            period: SubscriptionPeriod(start: Timestamp(milliseconds: start), end: Timestamp(milliseconds: end)),
            event: item.subscriptionEvent.flatMap { events[$0] },
            purchase: purchase
        )
    }

    private static func refund(of item: ReceivedLineItem, buy: Sale?) -> Refund? {
        guard let buy, let purchase = buy.purchase, let inclusive = item.amountTaxInclusive, let tax = item.taxAmount
        else { return nil }
        let money = Billed(currency: purchase.currency, rate: item.exchangeRate)
        return Refund(
            refundOf: buy.saleId,
            // A reported amount may be rounded up beyond what was billed.
            inclusive: min(money.units(of: inclusive), purchase.inclusive),
            tax: money.units(of: tax, isTax: true)
        )
    }

    /// From milli-units of the reporting currency to units of the currency billed.
    private struct Billed {
        let currency: String
        let rate: ExchangeRate?

        func units(of milliUnits: Int64, isTax: Bool = false) -> Decimal {
            let reported = Decimal(milliUnits) / 1_000
            guard let rate = rate?.decimal, rate > 0 else { return reported }
            // A tax may have more digits than the currency, since it is a share of the amount.
            let digits = isTax ? 6 : Currency.code(currency)?.exponent ?? 2
            let scale = Decimal(sign: .plus, exponent: digits, significand: 1)
            guard let rounded = MilliUnits(rounding: reported / rate * scale) else { return reported / rate }
            return Decimal(rounded.value) / scale
        }
    }
}

extension Purchase {
    /// This imported purchase with the amounts that the merchant says were billed.
    ///
    /// - Returns: nil where they convert to another amount than the accepted one, and for a currency that is reported as
    ///   it is, whose accepted amounts are those billed.
    func billed(as said: Purchase) -> Purchase? {
        guard needsRate, said.currency == currency, let accepted = LineMoney(self) else { return nil }
        let billed = Purchase(
            productId: productId,
            quantity: quantity,
            currency: currency,
            inclusive: said.inclusive,
            tax: said.tax ?? tax,
            taxCountry: taxCountry,
            exchangeRate: (said.exchangeRate ?? exchangeRate)?.besideBilledAmount
        )
        return LineMoney(billed)?.taxInclusive == accepted.taxInclusive ? billed : nil
    }
}

extension Refund {
    /// This imported refund with the amount that the merchant says was given back.
    ///
    /// - Returns: nil where it converts to another amount than the accepted one, and where nothing is converted.
    func billed(as said: Refund, of buy: Purchase) -> Refund? {
        guard buy.needsRate, let factor = buy.milliUnitsPerUnit, said.refundedTotal == nil,
            let accepted = MilliUnits(rounding: inclusive * factor),
            MilliUnits(rounding: said.inclusive * factor) == accepted
        else { return nil }
        return Refund(
            refundOf: refundOf,
            inclusive: said.inclusive,
            tax: said.tax ?? tax,
            isChargeback: isChargeback
        )
    }
}

extension Sale {
    /// The same buy with other money.
    func with(_ purchase: Purchase) -> Sale {
        guard let charge = subscriptionCharge else { return self.purchase == nil ? self : with(.purchase(purchase)) }
        return with(
            .subscription(
                SubscriptionCharge(
                    subscriptionId: charge.subscriptionId,
                    period: charge.period,
                    event: charge.event,
                    purchase: purchase
                )
            )
        )
    }

    /// This imported sale with the amounts that were billed, as far as the merchant says them in the same sale.
    func billed(as said: Sale, buy: Purchase?) -> Sale {
        if let mine = purchase, let its = said.purchase, mine.isComputedBack, let billed = mine.billed(as: its) {
            return with(billed)
        }
        if let mine = refund, let its = said.refund, let buy, let billed = mine.billed(as: its, of: buy) {
            return with(.refund(billed))
        }
        return self
    }
}

extension ReceivedLineItem {
    /// The line item that began the subscription of a charge; nil for everything else.
    var subscriptionStart: LineItemId? {
        guard let subscriptionEvent else { return nil }
        return subscriptionEvent == .start ? lineItemId : referenceLineItemId
    }
}

extension StoredSale {
    /// True for a sale that is known from an imported report alone, whatever was said of it since.
    var isImported: Bool { attribution.flags.contains(.imported) }
}

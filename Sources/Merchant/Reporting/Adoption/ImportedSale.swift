import ExternalPurchaseCore
import Ledger

/// Builds sales from accepted line items of another system.
///
/// A report states money in its reporting currency only. For a sale in another currency, the billed amount is computed
/// back with the exchange rate until the merchant sends the real one (``SaleDifferences``). Refunds and corrections
/// always start from the amount that Apple accepted.
enum ImportedSale {
    /// Builds the sale of a buy or a refund.
    ///
    /// - Parameters:
    ///   - item: a complete accepted item.
    ///   - token: the token of its report.
    ///   - subscription: the subscription of a charge; ignored for other items.
    ///   - buy: the purchase that a refund refers to.
    /// - Returns: nil if the item lacks a value that a sale needs.
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

    static func purchase(of item: ReceivedLineItem) -> Purchase? {
        guard let product = item.productIdentifier, let currency = item.pricingCurrency,
            let inclusive = item.amountTaxInclusive, let tax = item.taxAmount, let date = item.creationDate
        else { return nil }
        let quote = item.exchangeRate.map { rate in
            QuotedRate(
                rate: rate,
                source: QuotedRate.importedReport,
                asOf: Timestamp(milliseconds: date),
                to: item.reportingCurrency
            )
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

    static func refund(of item: ReceivedLineItem, buy: Sale?) -> Refund? {
        guard let buy, let purchase = buy.purchase, let inclusive = item.amountTaxInclusive, let tax = item.taxAmount
        else { return nil }
        let money = Billed(currency: purchase.currency, rate: item.exchangeRate)
        return Refund(
            refundOf: buy.saleId,
            // A reported amount may be rounded up and then exceed the billed one.
            inclusive: min(money.units(of: inclusive), purchase.inclusive),
            tax: money.units(of: tax, isTax: true)
        )
    }

    /// Converts milli-units of the reporting currency to units of the billed currency.
    private struct Billed {
        let currency: String
        let rate: ExchangeRate?

        func units(of milliUnits: Int64, isTax: Bool = false) -> Decimal {
            let reported = Decimal(milliUnits) / 1_000
            guard let rate = rate?.decimal, rate > 0 else { return reported }
            // A tax may have more digits than the currency because it is a share of the amount.
            let digits = isTax ? 6 : Currency.code(currency)?.exponent ?? 2
            let scale = Decimal(sign: .plus, exponent: digits, significand: 1)
            guard let rounded = MilliUnits(rounding: reported / rate * scale) else { return reported / rate }
            return Decimal(rounded.value) / scale
        }
    }
}

extension Purchase {
    /// The most by which an amount that was computed back from a reported one differs from the billed one, in units of
    /// the currency billed.
    var conversionSlack: Decimal {
        guard needsRate, let factor = milliUnitsPerUnit, factor > 0 else { return 0 }
        return 1 / factor
    }

    /// Returns this imported purchase with the billed amounts that the merchant states.
    ///
    /// - Returns: nil if the amounts do not convert to the accepted ones, or if the currency is reported without
    ///   conversion.
    func billed(as said: Purchase) -> Purchase? {
        guard needsRate, said.currency == currency, let accepted = LineMoney(self) else { return nil }
        let billed = Purchase(
            productId: productId,
            quantity: quantity,
            currency: currency,
            inclusive: said.inclusive,
            tax: said.tax ?? tax,
            taxCountry: taxCountry,
            exchangeRate: (said.exchangeRate?.into(exchangeRate?.to) ?? exchangeRate)?.besideBilledAmount
        )
        return LineMoney(billed)?.taxInclusive == accepted.taxInclusive ? billed : nil
    }
}

extension Refund {
    /// Returns this imported refund with the refunded amount that the merchant states.
    ///
    /// - Parameters:
    ///   - said: the refund as the merchant states it.
    ///   - buy: what is refunded, or a line of it.
    ///   - lines: the number of accepted amounts of which this refund is the sum.
    /// - Returns: nil if the amount does not convert to the accepted one, or if the currency is reported without
    ///   conversion.
    func billed(as said: Refund, of buy: Purchase, lines: Int) -> Refund? {
        guard buy.needsRate, let factor = buy.milliUnitsPerUnit, said.refundedTotal == nil, !said.isShare else {
            return nil
        }
        if lines > 1 {
            guard abs(said.inclusive - inclusive) <= Decimal(lines) * buy.conversionSlack else { return nil }
        } else {
            guard let accepted = MilliUnits(rounding: inclusive * factor),
                MilliUnits(rounding: said.inclusive * factor) == accepted
            else { return nil }
        }
        return Refund(
            refundOf: refundOf,
            inclusive: said.inclusive,
            tax: said.tax ?? tax,
            isChargeback: isChargeback
        )
    }

    /// Returns this refund as a chargeback; its reported amounts stay.
    func chargedBack() -> Refund {
        Refund(
            refundOf: refundOf,
            inclusive: inclusive,
            tax: tax,
            isChargeback: true,
            stated: stated,
            isShare: isShare,
            currency: currency
        )
    }
}

extension Sale {
    /// Returns a copy of this buy with other amounts.
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

    /// Returns this imported sale with the billed amounts that the merchant's version of the sale states.
    func billed(as said: Sale, buy: Purchase?, lines: Int) -> Sale {
        if let mine = purchase, let its = said.purchase, mine.isComputedBack, let billed = mine.billed(as: its) {
            return with(billed)
        }
        if let mine = refund, let its = said.refund, let buy, let billed = mine.billed(as: its, of: buy, lines: lines) {
            return with(.refund(billed))
        }
        return self
    }
}

extension ReceivedLineItem {
    /// The line item of the subscription start that a charge belongs to; nil for other items.
    var subscriptionStart: LineItemId? {
        guard let subscriptionEvent else { return nil }
        return subscriptionEvent == .start ? lineItemId : referenceLineItemId
    }
}

extension StoredSale {
    /// True if the ledger learned of the sale from an imported report, even if the merchant has sent it since.
    var isImported: Bool { attribution.origin == .imported }
}

package import ExternalPurchaseCore
import ReportValidation

/// The members of a line item that a restatement changes; nil keeps what was accepted.
///
/// Neither `creationDate` (RR-81) nor the net is here: the net is computed, and the amount with tax is the sum of the
/// other two.
package struct CorrectedFields: Hashable, Sendable {
    /// Without tax, milli-units of the reporting currency.
    package var taxExclusive: MilliUnits?
    /// The tax, milli-units of the reporting currency.
    package var tax: MilliUnits?
    /// The currency billed.
    package var pricingCurrency: String?
    /// The currency reported.
    package var reportingCurrency: String?
    /// The rate between them; where the currencies become equal, the accepted rate goes by itself.
    package var exchangeRate: ExchangeRate?
    /// The country that collects the tax, alpha-3.
    package var taxCountry: String?
    /// The developer's product; not on refunds.
    package var productIdentifier: String?
    /// How many; not on refunds.
    package var quantity: Int64?
    /// What happened to the subscription; on subscriptions only.
    package var subscriptionEvent: SubscriptionEvent?
    /// Start of the period; on subscriptions only.
    package var periodStart: Timestamp?
    /// End of the period; on subscriptions only.
    package var periodEnd: Timestamp?
    /// Paid days before the event; on subscriptions only.
    package var daysOfPaidService: Int32?
    /// The buy of a refund or the start of an event; on those only.
    package var reference: LineItemId?

    /// No change.
    package init() {}

    /// Changes, made in place.
    ///
    /// - Parameter change: sets the members that change.
    package init(_ change: (inout CorrectedFields) -> Void) {
        change(&self)
    }

    /// True when an amount is stated.
    var statesMoney: Bool { taxExclusive != nil || tax != nil }

    /// The members that an item of that kind does not have, by their names on the wire.
    func foreign(to kind: LineItem.Kind) -> [LineItemField] {
        var names: [LineItemField] = []
        func none<Value>(_ value: Value?, _ name: LineItemField) {
            if value != nil { names.append(name) }
        }
        switch kind {
        case .refund:
            none(productIdentifier, .productIdentifier)
            none(quantity, .quantity)
        case .oneTimeBuy:
            none(reference, .referenceLineItemId)
        case .subscription(let subscription):
            if (subscriptionEvent ?? subscription.event) == .start { none(reference, .referenceLineItemId) }
            return names
        }
        none(subscriptionEvent, .subscriptionEvent)
        none(periodStart, .subscriptionStartDate)
        none(periodEnd, .subscriptionEndDate)
        none(daysOfPaidService, .subscriptionDaysOfPaidService)
        return names
    }

    /// The item with the changes, all other members as they were (RR-80).
    func applied(to item: LineItem) -> LineItem {
        var item = item
        item.amounts = applied(to: item.amounts)
        item.taxCountry = taxCountry ?? item.taxCountry
        switch item.kind {
        case .oneTimeBuy(var buy):
            buy.productIdentifier = productIdentifier ?? buy.productIdentifier
            buy.quantity = quantity ?? buy.quantity
            item.kind = .oneTimeBuy(buy)
        case .subscription(var subscription):
            subscription.productIdentifier = productIdentifier ?? subscription.productIdentifier
            subscription.quantity = quantity ?? subscription.quantity
            subscription.event = subscriptionEvent ?? subscription.event
            subscription.start = subscription.event == .start ? nil : reference ?? subscription.start
            subscription.periodStart = periodStart ?? subscription.periodStart
            subscription.periodEnd = periodEnd ?? subscription.periodEnd
            subscription.daysOfPaidService = daysOfPaidService ?? subscription.daysOfPaidService
            item.kind = .subscription(subscription)
        case .refund(let buy):
            item.kind = .refund(of: reference ?? buy)
        }
        return item
    }

    private func applied(to amounts: LineItemAmounts) -> LineItemAmounts {
        var amounts = amounts
        amounts.taxExclusive = taxExclusive ?? amounts.taxExclusive
        amounts.tax = tax ?? amounts.tax
        amounts.pricingCurrency = pricingCurrency ?? amounts.pricingCurrency
        amounts.reportingCurrency = reportingCurrency ?? amounts.reportingCurrency
        // A rate between a currency and itself is refused (E5), and nobody means it who corrects the currency.
        let needsRate = amounts.pricingCurrency != amounts.reportingCurrency
        amounts.exchangeRate = exchangeRate ?? (needsRate ? amounts.exchangeRate : nil)
        return amounts
    }

    /// The members in which two versions of an item differ, with the values of the first.
    init(restoring old: LineItem, from new: LineItem) {
        func restored<Value: Equatable>(_ old: Value, _ new: Value) -> Value? { old == new ? nil : old }
        taxExclusive = restored(old.amounts.taxExclusive, new.amounts.taxExclusive)
        tax = restored(old.amounts.tax, new.amounts.tax)
        pricingCurrency = restored(old.amounts.pricingCurrency, new.amounts.pricingCurrency)
        reportingCurrency = restored(old.amounts.reportingCurrency, new.amounts.reportingCurrency)
        exchangeRate = old.amounts.exchangeRate == new.amounts.exchangeRate ? nil : old.amounts.exchangeRate
        taxCountry = restored(old.taxCountry, new.taxCountry)
        reference = old.reference == new.reference ? nil : old.reference
        switch (old.kind, new.kind) {
        case (.oneTimeBuy(let old), .oneTimeBuy(let new)):
            productIdentifier = restored(old.productIdentifier, new.productIdentifier)
            quantity = restored(old.quantity, new.quantity)
        case (.subscription(let old), .subscription(let new)):
            productIdentifier = restored(old.productIdentifier, new.productIdentifier)
            quantity = restored(old.quantity, new.quantity)
            subscriptionEvent = restored(old.event, new.event)
            periodStart = restored(old.periodStart, new.periodStart)
            periodEnd = restored(old.periodEnd, new.periodEnd)
            daysOfPaidService = restored(old.daysOfPaidService, new.daysOfPaidService)
        default:
            break
        }
    }
}

import ExternalPurchaseCore
import ReportValidation

/// The members of a line item that a restatement changes; nil keeps the accepted value.
///
/// A restatement cannot change `creationDate` (RR-81). The net is computed, and the amount with tax is the sum of the
/// other two amounts.
package struct CorrectedFields: Hashable, Sendable {
    /// The amount without tax, in milli-units of the reporting currency.
    var taxExclusive: MilliUnits?
    /// The tax, in milli-units of the reporting currency.
    var tax: MilliUnits?
    /// The currency billed.
    var pricingCurrency: String?
    /// The currency reported.
    var reportingCurrency: String?
    /// The rate between the currencies; when they become equal, the accepted rate is removed.
    var exchangeRate: ExchangeRate?
    /// The country that collects the tax, ISO 3166-1 alpha-3.
    var taxCountry: String?
    /// The developer's product id; not for refunds.
    var productIdentifier: String?
    /// The quantity; not for refunds.
    var quantity: Int64?
    /// The event of the subscription; for subscriptions only.
    var subscriptionEvent: SubscriptionEvent?
    /// The start of the period; for subscriptions only.
    var periodStart: Timestamp?
    /// The end of the period; for subscriptions only.
    var periodEnd: Timestamp?
    /// The paid days before the event; for subscriptions only.
    var daysOfPaidService: Int32?
    /// The buy of a refund or the start of an event; only for these.
    var reference: LineItemId?

    /// Creates an empty set of changes.
    init() {}

    /// Creates a set of changes with a closure.
    ///
    /// - Parameter change: sets the changed members.
    init(_ change: (inout CorrectedFields) -> Void) {
        change(&self)
    }

    /// True when an amount is set.
    var statesMoney: Bool { taxExclusive != nil || tax != nil }

    /// The set members that an item of the given kind does not have, by their wire names.
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

    /// Returns the item with the changes; all other members stay (RR-80).
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
        // A rate between equal currencies is refused (E5), so a change to equal currencies removes the rate.
        let needsRate = amounts.pricingCurrency != amounts.reportingCurrency
        amounts.exchangeRate = exchangeRate ?? (needsRate ? amounts.exchangeRate : nil)
        return amounts
    }

    /// Creates the changes that turn the new version of an item back into the old one.
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

import ExternalPurchaseCore

extension LineItem {
    /// Creates an item from an accepted version; returns nil when a required member of its kind is missing.
    init?(accepted item: ReceivedLineItem) {
        guard let id = item.lineItemId, let date = item.creationDate, let kind = Kind(accepted: item),
            let exclusive = item.amountTaxExclusive, let tax = item.taxAmount, let net = item.netAmountTaxExclusive,
            let pricing = item.pricingCurrency, let reporting = item.reportingCurrency, let country = item.taxCountry
        else { return nil }
        self.init(
            lineItemId: id,
            creationDate: Timestamp(milliseconds: date),
            amounts: LineItemAmounts(
                taxExclusive: MilliUnits(exclusive),
                tax: MilliUnits(tax),
                netTaxExclusive: MilliUnits(net),
                pricingCurrency: pricing,
                reportingCurrency: reporting,
                exchangeRate: item.exchangeRate
            ),
            taxCountry: country,
            version: item.erroneouslySubmitted == true
                ? .retraction : item.restatement == true ? .restatement : .original,
            kind: kind
        )
    }

    /// True for an item that is not retracted.
    var isLive: Bool { version != .retraction }

    /// True for a refund or chargeback.
    var isRefund: Bool {
        if case .refund = kind { true } else { false }
    }

    /// The buy of a refund, or the start of a subscription event.
    var reference: LineItemId? {
        switch kind {
        case .oneTimeBuy: nil
        case .subscription(let subscription): subscription.start
        case .refund(let buy): buy
        }
    }

    /// The buy whose net amount the item states (RR-20).
    var buyOfNet: LineItemId {
        if case .refund(let buy) = kind { buy } else { lineItemId }
    }

    /// Returns the item with a reference to another buy or start.
    func referencing(_ id: LineItemId) -> LineItem {
        var item = self
        switch item.kind {
        case .oneTimeBuy:
            break
        case .subscription(var subscription):
            if subscription.start != nil { subscription.start = id }
            item.kind = .subscription(subscription)
        case .refund:
            item.kind = .refund(of: id)
        }
        return item
    }
}

extension LineItem.Kind {
    fileprivate init?(accepted item: ReceivedLineItem) {
        switch item.eventType {
        case .refund?:
            guard let buy = item.referenceLineItemId else { return nil }
            self = .refund(of: buy)
        case .buy?:
            guard let product = item.productIdentifier, let quantity = item.quantity else { return nil }
            if item.productType == .oneTimeBuy {
                self = .oneTimeBuy(LineItem.OneTimeBuy(productIdentifier: product, quantity: quantity))
                return
            }
            guard item.productType == .subscription, let event = item.subscriptionEvent,
                let start = item.subscriptionStartDate, let end = item.subscriptionEndDate,
                let days = item.subscriptionDaysOfPaidService
            else { return nil }
            self = .subscription(
                LineItem.Subscription(
                    productIdentifier: product,
                    quantity: quantity,
                    event: event,
                    start: item.referenceLineItemId,
                    periodStart: Timestamp(milliseconds: start),
                    periodEnd: Timestamp(milliseconds: end),
                    daysOfPaidService: days
                )
            )
        default:
            return nil
        }
    }
}

import ExternalPurchaseCore

/// A charge within a subscription period must have a positive amount.
///
/// E35: the event is `SUBSCRIPTION_PAYMENT` and the amount with tax is not positive.
enum InvalidTaxInclusiveAmountForSubscriptionPayment: LineItemRule {
    static let code = ReportErrorCode.invalidTaxInclusiveAmountForSubscriptionPayment
    static let needsHistory = false
    static let reads: LineItemFieldSet = [.eventType, .productType, .subscriptionEvent, .amountTaxInclusive]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard item.kind == .event, item.item.subscriptionEvent == .payment,
            let amount = item.item.amountTaxInclusive, amount <= 0
        else { return [] }
        return [.amountTaxInclusive]
    }
}

import ExternalPurchaseCore

/// The start of a subscription must have no days of paid service.
///
/// E34: the item is a start and its paid days are not zero.
enum SubscriptionStartNonZeroDaysPaidService: LineItemRule {
    static let code = ReportErrorCode.subscriptionStartNonZeroDaysPaidService
    static let needsHistory = false
    static let reads: LineItemFieldSet = [
        .eventType, .productType, .subscriptionEvent, .subscriptionDaysOfPaidService,
    ]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard item.kind == .start, let days = item.item.subscriptionDaysOfPaidService, days != 0 else { return [] }
        return [.subscriptionDaysOfPaidService]
    }
}

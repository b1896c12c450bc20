import ExternalPurchaseCore

/// A subscription period must not end before it starts.
///
/// E17: `subscriptionStartDate` is later than `subscriptionEndDate`. Equal dates are allowed.
enum StartDateAfterEndDate: LineItemRule {
    static let code = ReportErrorCode.startDateAfterEndDate
    static let needsHistory = false
    static let reads: LineItemFieldSet = [.subscriptionStartDate, .subscriptionEndDate]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard let start = item.item.subscriptionStartDate, let end = item.item.subscriptionEndDate, start > end
        else { return [] }
        return [.subscriptionEndDate]
    }
}

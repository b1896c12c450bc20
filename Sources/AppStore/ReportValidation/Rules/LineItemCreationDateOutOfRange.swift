import ExternalPurchaseCore

/// A buy must be within the active range of its token.
///
/// E36: the token is known and expires, and a buy is older than the token or later than its expiration. Refunds are
/// exempt unless `rules.activeRangeForRefunds` is on. With `rules.plainTokenRange`, items of a token without expiration
/// may be at most 24 h older than the token.
enum LineItemCreationDateOutOfRange: LineItemRule {
    static let code = ReportErrorCode.lineItemCreationDateOutOfRange
    static let needsHistory = true
    static let reads: LineItemFieldSet = [.lineItemId, .creationDate, .eventType]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard let token = context.history.token, let date = item.item.creationDate, item.item.lineItemId != nil,
            item.item.eventType == .buy || item.item.eventType == .refund && context.settings.activeRangeForRefunds
        else { return [] }
        let created = token.creationDate
        let isOutside =
            if let end = token.expirationDate {
                date < created.milliseconds || date > end.milliseconds
            } else {
                context.settings.plainTokenRange && date < created.advanced(by: .days(-1)).milliseconds
            }
        return isOutside ? [.creationDate] : []
    }
}

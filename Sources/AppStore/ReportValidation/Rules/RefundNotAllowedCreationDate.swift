import ExternalPurchaseCore

/// A buy can be refunded for one year.
///
/// E40: a refund's `creationDate` is later than its buy's by more than `rules.refundWindow`. With
/// `rules.refundWindowEnd` = `now`, the moment of the report counts for a new refund.
enum RefundNotAllowedCreationDate: TargetRule {
    static let code = ReportErrorCode.refundNotAllowedCreationDate
    static let reads: LineItemFieldSet = [.creationDate]
    static let readsOfTarget: LineItemFieldSet = [.creationDate]

    static func violation(
        of item: ReceivedLineItem,
        _ kind: LineItemKind,
        target: ReceivedLineItem,
        _ targetKind: LineItemKind,
        in context: ValidationContext
    ) -> LineItemField? {
        guard kind == .refund, targetKind.isBuy, let date = item.creationDate, let bought = target.creationDate
        else { return nil }
        let countsToNow = context.settings.refundWindowEnd == .now && !item.isRestatement
        let end = countsToNow ? context.now : Timestamp(milliseconds: date)
        let limit = Timestamp(milliseconds: bought).advanced(by: context.settings.refundWindow)
        return end > limit ? .creationDate : nil
    }
}

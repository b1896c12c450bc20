import ExternalPurchaseCore

/// An item can be retracted only once.
///
/// E30: the item is a retraction and its accepted version is retracted.
enum RepeatErroneousSubmission: LineItemRule {
    static let code = ReportErrorCode.repeatErroneousSubmission
    static let needsHistory = true
    static let reads: LineItemFieldSet = [.lineItemId, .restatement, .erroneouslySubmitted]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard item.item.isRestatement, !item.item.isLive, context.accepted(item)?.item.isLive == false
        else { return [] }
        return [.erroneouslySubmitted]
    }
}

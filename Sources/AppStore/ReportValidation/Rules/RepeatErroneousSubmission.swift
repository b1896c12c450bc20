import ExternalPurchaseCore

/// An item is retracted once.
///
/// E30: a retraction of an item whose accepted version is retracted.
enum RepeatErroneousSubmission: LineItemRule {
    static let code = ReportErrorCode.repeatErroneousSubmission
    static let needsHistory = true
    static let reads: Set<LineItemField> = [.lineItemId, .restatement, .erroneouslySubmitted]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard item.item.isRestatement, !item.item.isLive, context.accepted(item)?.item.isLive == false
        else { return [] }
        return [.erroneouslySubmitted]
    }
}

import ExternalPurchaseCore

/// A live item must not reference a retracted one.
///
/// E25: the item is live and its target is not.
enum ValidLineItemReferencesErroneousLineItem: TargetRule {
    static let code = ReportErrorCode.validLineItemReferencesErroneousLineItem
    static let reads: LineItemFieldSet = [.erroneouslySubmitted]
    static let readsOfTarget: LineItemFieldSet = [.erroneouslySubmitted]

    static func violation(
        of item: ReceivedLineItem,
        _ kind: LineItemKind,
        target: ReceivedLineItem,
        _ targetKind: LineItemKind,
        in context: ValidationContext
    ) -> LineItemField? {
        item.isLive && !target.isLive ? .erroneouslySubmitted : nil
    }
}

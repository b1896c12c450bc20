import ExternalPurchaseCore

/// A live item must not reference a retracted one.
///
/// E25: the item is live and its target is not.
enum ValidLineItemReferencesErroneousLineItem: TargetRule {
    static let code = ReportErrorCode.validLineItemReferencesErroneousLineItem
    static let reads: Set<LineItemField> = [.erroneouslySubmitted]
    static let readsOfTarget: Set<LineItemField> = [.erroneouslySubmitted]

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

import ExternalPurchaseCore

/// An item must not be retracted while a live item references it.
///
/// E22: the item is retracted and a live item, new or accepted, references it.
enum ErroneousLineItemReferencedByValidLineItem: LineItemRule {
    static let code = ReportErrorCode.erroneousLineItemReferencedByValidLineItem
    static let needsHistory = true
    static let reads: LineItemFieldSet = [.lineItemId, .erroneouslySubmitted]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard item.kind != nil, !item.item.isLive, !context.referrers(of: item).isEmpty else { return [] }
        return [.erroneouslySubmitted]
    }
}

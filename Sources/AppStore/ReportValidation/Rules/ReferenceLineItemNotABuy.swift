import ExternalPurchaseCore

/// A refund references a buy.
///
/// E21: the item is a refund and so is its target.
enum ReferenceLineItemNotABuy: TargetRule {
    static let code = ReportErrorCode.referenceLineItemNotABuy
    static let reads: Set<LineItemField> = []

    static func violation(
        of item: ReceivedLineItem,
        _ kind: LineItemKind,
        target: ReceivedLineItem,
        _ targetKind: LineItemKind,
        in context: ValidationContext
    ) -> LineItemField? {
        kind == .refund && targetKind == .refund ? .referenceLineItemId : nil
    }
}

import ExternalPurchaseCore

/// A refund must reference a buy.
///
/// E21: the item and its target are refunds.
enum ReferenceLineItemNotABuy: TargetRule {
    static let code = ReportErrorCode.referenceLineItemNotABuy
    static let reads: LineItemFieldSet = []

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

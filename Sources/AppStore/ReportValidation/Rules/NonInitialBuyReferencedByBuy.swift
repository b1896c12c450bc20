import ExternalPurchaseCore

/// Only the start of a subscription has events, seen from the item that is referenced.
///
/// E29: the item is not a start and a live subscription event references it.
enum NonInitialBuyReferencedByBuy: LineItemRule {
    static let code = ReportErrorCode.nonInitialBuyReferencedByBuy
    static let needsHistory = true
    static let reads: Set<LineItemField> = [.lineItemId]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard let kind = item.kind, kind != .start, context.referrers(of: item).contains(.event) else { return [] }
        return [.lineItemId]
    }
}

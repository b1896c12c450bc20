import ExternalPurchaseCore

/// Only the start of a subscription may be referenced by subscription events.
///
/// E29 on the referenced item: it is not a start, and a live subscription event references it.
enum NonInitialBuyReferencedByBuy: LineItemRule {
    static let code = ReportErrorCode.nonInitialBuyReferencedByBuy
    static let needsHistory = true
    static let reads: LineItemFieldSet = [.lineItemId]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard let kind = item.kind, kind != .start, context.referrers(of: item).contains(.event) else { return [] }
        return [.lineItemId]
    }
}

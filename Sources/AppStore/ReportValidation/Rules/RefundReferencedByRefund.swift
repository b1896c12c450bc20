import ExternalPurchaseCore

/// A refund has no refunds, seen from the refund that is referenced.
///
/// E28: the item is a refund and a live refund references it.
enum RefundReferencedByRefund: LineItemRule {
    static let code = ReportErrorCode.refundReferencedByRefund
    static let needsHistory = true
    static let reads: Set<LineItemField> = [.lineItemId]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        item.kind == .refund && context.referrers(of: item).contains(.refund) ? [.lineItemId] : []
    }
}

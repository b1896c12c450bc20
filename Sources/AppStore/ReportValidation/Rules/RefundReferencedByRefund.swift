import ExternalPurchaseCore

/// A refund must not be refunded.
///
/// E28 on the referenced item: it is a refund, and a live refund references it.
enum RefundReferencedByRefund: LineItemRule {
    static let code = ReportErrorCode.refundReferencedByRefund
    static let needsHistory = true
    static let reads: LineItemFieldSet = [.lineItemId]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        item.kind == .refund && context.referrers(of: item).contains(.refund) ? [.lineItemId] : []
    }
}

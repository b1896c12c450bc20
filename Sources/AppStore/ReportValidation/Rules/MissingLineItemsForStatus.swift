import ExternalPurchaseCore

/// The status `LINE_ITEM` requires line items.
///
/// E9: `lineItems` is absent or empty.
enum MissingLineItemsForStatus: ReportRule {
    static let code = ReportErrorCode.missingLineItemsForStatus
    static let needsHistory = false

    static func violations(of context: ValidationContext) -> [ReportField] {
        context.report.status == .lineItem && (context.report.lineItems ?? []).isEmpty ? [.status] : []
    }
}

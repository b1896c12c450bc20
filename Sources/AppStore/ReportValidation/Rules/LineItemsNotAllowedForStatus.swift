import ExternalPurchaseCore

/// Only the status `LINE_ITEM` allows line items.
///
/// E10: another status and at least one element in `lineItems`.
enum LineItemsNotAllowedForStatus: ReportRule {
    static let code = ReportErrorCode.lineItemsNotAllowedForStatus
    static let needsHistory = false

    static func violations(of context: ValidationContext) -> [ReportField] {
        guard let status = context.report.status, status != .lineItem else { return [] }
        return (context.report.lineItems ?? []).isEmpty ? [] : [.status]
    }
}

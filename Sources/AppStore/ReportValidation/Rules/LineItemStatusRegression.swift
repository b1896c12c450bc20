import ExternalPurchaseCore

/// A token with accepted transactions keeps the status `LINE_ITEM`.
///
/// E8: another status than `LINE_ITEM` after an accepted `LINE_ITEM` report of the token, even when all its items are
/// retracted. With `rules.statusRegressionForDuplicate` = `off`, `DUPLICATE_TOKEN` is allowed.
enum LineItemStatusRegression: ReportRule {
    static let code = ReportErrorCode.lineItemStatusRegression
    static let needsHistory = true

    static func violations(of context: ValidationContext) -> [ReportField] {
        guard let status = context.report.status, status != .lineItem, context.history.hasLineItemReport,
            status != .duplicateToken || context.settings.statusRegressionForDuplicate
        else { return [] }
        return [.status]
    }
}

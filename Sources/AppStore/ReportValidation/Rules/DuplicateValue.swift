import ExternalPurchaseCore

/// A report is accepted once under its identifier, and an item once under its id.
///
/// E1 on the report: a report of this app and environment was accepted under the `requestIdentifier`. E1 on a line
/// item: its id is accepted and the item is not a restatement, or an earlier item of the report has the same id.
enum DuplicateValue: ReportRule, LineItemRule {
    static let code = ReportErrorCode.duplicateValue
    static let needsHistory = true
    static let reads: LineItemFieldSet = [.lineItemId, .restatement]

    static func violations(of context: ValidationContext) -> [ReportField] {
        context.report.requestIdentifier != nil && context.history.isRequestIdentifierUsed ? [.requestIdentifier] : []
    }

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard let id = item.item.lineItemId else { return [] }
        let isLaterCopy = context.hasCopies && context.firstPosition[id] != item.position
        let isTaken = !item.item.isRestatement && context.accepted(item) != nil
        return isLaterCopy || isTaken ? [.lineItemId] : []
    }
}

import ExternalPurchaseCore

/// A restatement keeps the date of the item.
///
/// E38: `creationDate` differs from the accepted version's.
enum RestatementCreationDateMismatch: LineItemRule {
    static let code = ReportErrorCode.restatementCreationDateMismatch
    static let needsHistory = true
    static let reads: Set<LineItemField> = [.lineItemId, .restatement, .creationDate]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard item.item.isRestatement, let date = item.item.creationDate, let accepted = context.accepted(item),
            accepted.item.creationDate != date
        else { return [] }
        return [.creationDate]
    }
}

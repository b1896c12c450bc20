import ExternalPurchaseCore

/// A restatement must have the date of the accepted item.
///
/// E38: `creationDate` differs from that of the accepted version.
enum RestatementCreationDateMismatch: LineItemRule {
    static let code = ReportErrorCode.restatementCreationDateMismatch
    static let needsHistory = true
    static let reads: LineItemFieldSet = [.lineItemId, .restatement, .creationDate]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard item.item.isRestatement, let date = item.item.creationDate, let accepted = context.accepted(item),
            accepted.item.creationDate != date
        else { return [] }
        return [.creationDate]
    }
}

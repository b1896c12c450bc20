import ExternalPurchaseCore

/// An item can be restated for one year.
///
/// E39: the accepted version's `creationDate` is older than `rules.restatementWindow`. The date in the restatement is
/// not used.
enum RestatementNotAllowedCreationDate: LineItemRule {
    static let code = ReportErrorCode.restatementNotAllowedCreationDate
    static let needsHistory = true
    static let reads: LineItemFieldSet = [.lineItemId, .restatement]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard item.item.isRestatement, let date = context.accepted(item)?.item.creationDate,
            Timestamp(milliseconds: date).advanced(by: context.settings.restatementWindow) < context.now
        else { return [] }
        return [.creationDate]
    }
}

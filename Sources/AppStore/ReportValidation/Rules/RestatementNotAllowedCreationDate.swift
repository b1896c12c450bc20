import ExternalPurchaseCore

/// Items are restated for a year.
///
/// E39: the accepted version's `creationDate` is older than `rules.restatementWindow`; the new date does not count.
enum RestatementNotAllowedCreationDate: LineItemRule {
    static let code = ReportErrorCode.restatementNotAllowedCreationDate
    static let needsHistory = true
    static let reads: Set<LineItemField> = [.lineItemId, .restatement]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard item.item.isRestatement, let date = context.accepted(item)?.item.creationDate,
            Timestamp(milliseconds: date).advanced(byMilliseconds: context.settings.restatementWindow) < context.now
        else { return [] }
        return [.creationDate]
    }
}

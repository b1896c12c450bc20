import ExternalPurchaseCore

/// Only an accepted item can be retracted.
///
/// E20: `erroneouslySubmitted` is true and `restatement` is not.
enum ErroneouslySubmittedNotRestatement: LineItemRule {
    static let code = ReportErrorCode.erroneouslySubmittedNotRestatement
    static let needsHistory = false
    static let reads: LineItemFieldSet = [.erroneouslySubmitted, .restatement]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        item.item.isLive || item.item.isRestatement ? [] : [.erroneouslySubmitted]
    }
}

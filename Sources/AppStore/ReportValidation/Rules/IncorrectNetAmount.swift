import ExternalPurchaseCore

/// The net amount is what is left of the buy after all its refunds.
///
/// E12 on each judged item of a group that states one net amount, and a wrong one.
enum IncorrectNetAmount: LineItemRule {
    static let code = ReportErrorCode.incorrectNetAmount
    static let needsHistory = true
    static let reads: Set<LineItemField> = []

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        item.position.flatMap { context.netViolations[$0] } == code ? [.netAmountTaxExclusive] : []
    }
}

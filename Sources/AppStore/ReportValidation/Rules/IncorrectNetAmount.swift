import ExternalPurchaseCore

/// The net amount must equal what remains of the buy after all its refunds.
///
/// E12 on each checked item of a group whose items state the same net amount, but a wrong one.
enum IncorrectNetAmount: LineItemRule {
    static let code = ReportErrorCode.incorrectNetAmount
    static let needsHistory = true
    static let reads: LineItemFieldSet = []

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        item.position.flatMap { context.netViolations[$0] } == code ? [.netAmountTaxExclusive] : []
    }
}

import ExternalPurchaseCore

/// All items of a net group must state the same net amount.
///
/// E24 on each checked item of a group whose items state different ones.
enum NetAmountMismatch: LineItemRule {
    static let code = ReportErrorCode.netAmountMismatch
    static let needsHistory = true
    static let reads: LineItemFieldSet = []

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        item.position.flatMap { context.netViolations[$0] } == code ? [.netAmountTaxExclusive] : []
    }
}

import ExternalPurchaseCore

/// The items of one net group state one net amount.
///
/// E24 on each judged item of a group that states several.
enum NetAmountMismatch: LineItemRule {
    static let code = ReportErrorCode.netAmountMismatch
    static let needsHistory = true
    static let reads: Set<LineItemField> = []

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        item.position.flatMap { context.netViolations[$0] } == code ? [.netAmountTaxExclusive] : []
    }
}

import ExternalPurchaseCore

/// Amounts and paid days must not be negative, including those of refunds.
///
/// E15: a value below zero.
enum NegativeValueNotAllowed: LineItemRule {
    static let code = ReportErrorCode.negativeValueNotAllowed
    static let needsHistory = false
    static let reads: LineItemFieldSet = []
    private static let fields = LineItemField.named(by: code)

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        fields.filter { item.isUsable($0) && (item.item.integer($0) ?? 0) < 0 }
    }
}

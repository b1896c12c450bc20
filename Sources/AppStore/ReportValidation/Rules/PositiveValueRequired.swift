import ExternalPurchaseCore

/// Quantity and exchange rate must be above zero.
///
/// E16: zero or below.
enum PositiveValueRequired: LineItemRule {
    static let code = ReportErrorCode.positiveValueRequired
    static let needsHistory = false
    static let reads: LineItemFieldSet = []

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        var violations: [LineItemField] = []
        if item.isUsable(.quantity), let quantity = item.item.quantity, quantity <= 0 { violations.append(.quantity) }
        if item.isUsable(.exchangeRate), item.item.exchangeRate?.isPositive == false {
            violations.append(.exchangeRate)
        }
        return violations
    }
}

import ExternalPurchaseCore

/// Quantity and exchange rate are above zero.
///
/// E16: zero or below.
enum PositiveValueRequired: LineItemRule {
    static let code = ReportErrorCode.positiveValueRequired
    static let reads: Set<LineItemField> = []

    static func faults(of item: JudgedLineItem, in context: ValidationContext) -> [LineItemField] {
        var faults: [LineItemField] = []
        if item.isUsable(.quantity), let quantity = item.item.quantity, quantity <= 0 { faults.append(.quantity) }
        if item.isUsable(.exchangeRate), item.item.exchangeRate?.isPositive == false { faults.append(.exchangeRate) }
        return faults
    }
}

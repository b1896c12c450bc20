import ExternalPurchaseCore

/// Amount without tax and tax make up the amount with tax.
///
/// E11: they do not, computed without overflow.
enum IncorrectAmountTaxInclusive: LineItemRule {
    static let code = ReportErrorCode.incorrectAmountTaxInclusive
    static let needsHistory = false
    static let reads: Set<LineItemField> = [.amountTaxExclusive, .taxAmount, .amountTaxInclusive]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard let exclusive = item.item.amountTaxExclusive, let tax = item.item.taxAmount,
            let inclusive = item.item.amountTaxInclusive, Int128(exclusive) + Int128(tax) != Int128(inclusive)
        else { return [] }
        return [.amountTaxInclusive]
    }
}

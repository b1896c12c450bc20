import ExternalPurchaseCore

/// The amount with tax must be the sum of the amount without tax and the tax.
///
/// E11: it is not. The sum is computed without overflow.
enum IncorrectAmountTaxInclusive: LineItemRule {
    static let code = ReportErrorCode.incorrectAmountTaxInclusive
    static let needsHistory = false
    static let reads: LineItemFieldSet = [.amountTaxExclusive, .taxAmount, .amountTaxInclusive]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard let exclusive = item.item.amountTaxExclusive, let tax = item.item.taxAmount,
            let inclusive = item.item.amountTaxInclusive, Int128(exclusive) + Int128(tax) != Int128(inclusive)
        else { return [] }
        return [.amountTaxInclusive]
    }
}

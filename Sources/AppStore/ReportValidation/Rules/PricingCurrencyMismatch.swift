import ExternalPurchaseCore

/// A refund must have the pricing currency of its buy.
///
/// E32: the pricing currencies differ.
enum PricingCurrencyMismatch: RefundAgreesRule {
    static let code = ReportErrorCode.pricingCurrencyMismatch
    static let field = LineItemField.pricingCurrency

    static func agree(_ refund: ReceivedLineItem, _ buy: ReceivedLineItem) -> Bool {
        refund.pricingCurrency == buy.pricingCurrency
    }
}

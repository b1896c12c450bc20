import ExternalPurchaseCore

/// A refund must have the reporting currency of its buy.
///
/// E2: the reporting currencies differ.
enum ReportingCurrencyMismatch: RefundAgreesRule {
    static let code = ReportErrorCode.reportingCurrencyMismatch
    static let field = LineItemField.reportingCurrency

    static func agree(_ refund: ReceivedLineItem, _ buy: ReceivedLineItem) -> Bool {
        refund.reportingCurrency == buy.reportingCurrency
    }
}

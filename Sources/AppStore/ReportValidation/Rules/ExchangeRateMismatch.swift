import ExternalPurchaseCore

/// A refund must have the exchange rate of its buy.
///
/// E33: the rates differ as decimal numbers; `0.0069` and `"0.00690"` are equal. Present and absent rates differ.
enum ExchangeRateMismatch: RefundAgreesRule {
    static let code = ReportErrorCode.exchangeRateMismatch
    static let field = LineItemField.exchangeRate

    static func agree(_ refund: ReceivedLineItem, _ buy: ReceivedLineItem) -> Bool {
        switch (refund.exchangeRate, buy.exchangeRate) {
        case (nil, nil): true
        case (let refund?, let buy?): refund.isSameNumber(as: buy)
        default: false
        }
    }
}

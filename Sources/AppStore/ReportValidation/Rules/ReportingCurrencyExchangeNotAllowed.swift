import ExternalPurchaseCore

/// A reportable pricing currency is the reporting currency; amounts in any other one are reported in euro or US
/// dollars.
///
/// E18: the pricing currency is one of the 44 and the reporting currency is another one, or it is not one of them and
/// the reporting currency is neither `EUR` nor `USD`.
enum ReportingCurrencyExchangeNotAllowed: LineItemRule {
    static let code = ReportErrorCode.reportingCurrencyExchangeNotAllowed
    static let needsHistory = false
    static let reads: LineItemFieldSet = [.pricingCurrency, .reportingCurrency]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard let pricing = item.item.pricingCurrency, let reporting = item.item.reportingCurrency else { return [] }
        let isAllowed = pricing.isReportableCurrency ? reporting == pricing : ["EUR", "USD"].contains(reporting)
        return isAllowed ? [] : [.reportingCurrency]
    }
}

import ExternalPurchaseCore

/// Reporting currency and tax country must be values of closed lists.
///
/// E7: not one of the 44 currencies, or not an assigned alpha-3 code. The comparison is case-sensitive.
enum UnknownEnum: LineItemRule {
    static let code = ReportErrorCode.unknownEnum
    static let needsHistory = false
    static let reads: LineItemFieldSet = []

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        var unknown: [LineItemField] = []
        if item.isUsable(.reportingCurrency), item.item.reportingCurrency?.isReportableCurrency == false {
            unknown.append(.reportingCurrency)
        }
        if item.isUsable(.taxCountry), item.item.taxCountry?.isAssignedCountry == false {
            unknown.append(.taxCountry)
        }
        return unknown
    }
}

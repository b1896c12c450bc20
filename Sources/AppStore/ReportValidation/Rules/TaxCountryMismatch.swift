import ExternalPurchaseCore

/// A refund must have the tax country of its buy.
///
/// E23: the tax countries differ.
enum TaxCountryMismatch: RefundAgreesRule {
    static let code = ReportErrorCode.taxCountryMismatch
    static let field = LineItemField.taxCountry

    static func agree(_ refund: ReceivedLineItem, _ buy: ReceivedLineItem) -> Bool {
        refund.taxCountry == buy.taxCountry
    }
}

import ExternalPurchaseCore

/// The tax of a refund goes to the country of its buy.
///
/// E23: the tax countries differ.
enum TaxCountryMismatch: RefundAgreesRule {
    static let code = ReportErrorCode.taxCountryMismatch
    static let field = LineItemField.taxCountry

    static func agree(_ refund: ReceivedLineItem, _ buy: ReceivedLineItem) -> Bool {
        refund.taxCountry == buy.taxCountry
    }
}

import ExternalPurchaseCore

/// Texts have a maximum length in Unicode scalars.
///
/// E19: more than 256 for `productIdentifier`, more than 128 for the others (settings `limits.productIdentifierLength`,
/// `limits.textLength`). For the exchange rate its text counts.
enum MaximumLengthExceeded: LineItemRule {
    static let code = ReportErrorCode.maximumLengthExceeded
    static let needsHistory = false
    static let reads: LineItemFieldSet = []
    private static let fields = LineItemField.named(by: code)

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        let settings = context.settings
        return fields.filter { field in
            guard item.isUsable(field), let text = item.item.text(field) else { return false }
            return text.unicodeScalars.count
                > (field == .productIdentifier ? settings.productIdentifierLength : settings.textLength)
        }
    }
}

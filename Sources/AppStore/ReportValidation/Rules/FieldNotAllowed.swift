import ExternalPurchaseCore

/// A member that the kind of the item excludes must be absent.
///
/// E5, one error per member. An exchange rate is excluded when both currencies are equal.
enum FieldNotAllowed: LineItemRule {
    static let code = ReportErrorCode.fieldNotAllowed
    static let needsHistory = false
    static let reads: LineItemFieldSet = []
    private static let fields = LineItemField.named(by: code)

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        let excess = item.presentFields.intersection(item.requirements.forbidden)
        return excess.isEmpty ? [] : fields.filter { item.isUsable($0) && excess.contains($0) }
    }
}

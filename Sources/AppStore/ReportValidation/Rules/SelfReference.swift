import ExternalPurchaseCore

/// An item must not reference itself.
///
/// E13: `referenceLineItemId` equals `lineItemId`, compared by Unicode scalars.
enum SelfReference: LineItemRule {
    static let code = ReportErrorCode.selfReference
    static let needsHistory = false
    static let reads: LineItemFieldSet = [.lineItemId, .referenceLineItemId]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard let reference = item.item.referenceLineItemId, reference == item.item.lineItemId else { return [] }
        return [.referenceLineItemId]
    }
}

import ExternalPurchaseCore

/// A later charge of a subscription must reference its start.
///
/// E14: the item is an event and its target is not a start.
enum ReferenceInvalidSubscriptionEvent: TargetRule {
    static let code = ReportErrorCode.referenceInvalidSubscriptionEvent
    static let reads: LineItemFieldSet = []

    static func violation(
        of item: ReceivedLineItem,
        _ kind: LineItemKind,
        target: ReceivedLineItem,
        _ targetKind: LineItemKind,
        in context: ValidationContext
    ) -> LineItemField? {
        kind == .event && targetKind != .start ? .referenceLineItemId : nil
    }
}

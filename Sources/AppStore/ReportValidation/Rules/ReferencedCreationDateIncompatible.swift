import ExternalPurchaseCore

/// An item must not be older than the item that it references.
///
/// E31: the target's `creationDate` is later than the item's. Equal dates are allowed.
enum ReferencedCreationDateIncompatible: TargetRule {
    static let code = ReportErrorCode.referencedCreationDateIncompatible
    static let reads: LineItemFieldSet = [.creationDate]
    static let readsOfTarget: LineItemFieldSet = [.creationDate]

    static func violation(
        of item: ReceivedLineItem,
        _ kind: LineItemKind,
        target: ReceivedLineItem,
        _ targetKind: LineItemKind,
        in context: ValidationContext
    ) -> LineItemField? {
        guard let date = item.creationDate, let targetDate = target.creationDate, targetDate > date else { return nil }
        return .creationDate
    }
}

import ExternalPurchaseCore

/// A transaction must not be in the future.
///
/// E6: `creationDate` is later than now plus `rules.clockSkew`.
enum FutureDate: LineItemRule {
    static let code = ReportErrorCode.futureDate
    static let needsHistory = false
    static let reads: LineItemFieldSet = [.creationDate]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard let date = item.item.creationDate else { return [] }
        return date > context.now.advanced(by: context.settings.clockSkew).milliseconds
            ? [.creationDate] : []
    }
}

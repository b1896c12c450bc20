import ExternalPurchaseCore

/// Dates must be recent and in milliseconds.
///
/// E27: `creationDate` is older than `rules.creationDateLimit`; a date of the period is older than
/// `rules.periodDateLimit` or before 2001-09-09T01:46:40Z, the range of dates that were sent in seconds.
enum DateTooFarInPast: LineItemRule {
    static let code = ReportErrorCode.dateTooFarInPast
    static let needsHistory = false
    static let reads: LineItemFieldSet = []
    private static let fields = LineItemField.named(by: code)

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        func limit(_ age: Duration) -> Int64 { (context.now - age).milliseconds }
        return fields.filter { field in
            guard item.isUsable(field), let date = item.item.integer(field) else { return false }
            return field == .creationDate
                ? date < limit(context.settings.creationDateLimit)
                : date < max(limit(context.settings.periodDateLimit), 1_000_000_000_000)
        }
    }
}

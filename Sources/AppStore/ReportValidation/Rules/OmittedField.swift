import ExternalPurchaseCore

/// Every required member must be present.
///
/// E4 on the report for `requestIdentifier`, `externalPurchaseId` and `status`; on a line item for each member that the
/// field table requires for its kind. Absent, `null` and empty are equivalent.
enum OmittedField: ReportRule, LineItemRule {
    static let code = ReportErrorCode.omittedField
    static let needsHistory = false
    static let reads: LineItemFieldSet = []
    private static let fields = LineItemField.named(by: code)

    static func violations(of context: ValidationContext) -> [ReportField] {
        let report = context.report
        var missing: [ReportField] = []
        if report.requestIdentifier == nil { missing.append(.requestIdentifier) }
        if report.externalPurchaseId == nil { missing.append(.externalPurchaseId) }
        if report.status == nil { missing.append(.status) }
        return missing
    }

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        let missing = item.requirements.required.subtracting(item.presentFields)
        return missing.isEmpty ? [] : fields.filter(missing.contains)
    }
}

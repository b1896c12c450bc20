import ExternalPurchaseCore

/// The token of a report must exist.
///
/// E3 on the report: the token does not belong to this app and environment.
enum NotFound: ReportRule {
    static let code = ReportErrorCode.notFound
    static let needsHistory = true

    static func violations(of context: ValidationContext) -> [ReportField] {
        context.report.externalPurchaseId != nil && context.history.token == nil ? [.externalPurchaseId] : []
    }
}

/// A restatement requires an accepted item with the same id under the token of the report.
///
/// E3 on `lineItemId`. With `rules.restatementAcrossTokens` = `allow` the token is not compared.
enum RestatedItemNotFound: LineItemRule {
    static let code = ReportErrorCode.notFound
    static let needsHistory = true
    static let reads: LineItemFieldSet = [.lineItemId, .restatement]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard item.item.isRestatement else { return [] }
        guard let accepted = context.accepted(item) else { return [.lineItemId] }
        guard context.settings.restatementAcrossTokens == .refuse, context.history.token != nil,
            let token = context.report.externalPurchaseId
        else { return [] }
        return accepted.externalPurchaseId == token ? [] : [.lineItemId]
    }
}

/// A reference must name an item that is accepted or in the same report, in any order.
///
/// E3 on `referenceLineItemId`.
enum ReferencedItemNotFound: LineItemRule {
    static let code = ReportErrorCode.notFound
    static let needsHistory = true
    static let reads: LineItemFieldSet = [.lineItemId, .referenceLineItemId]

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        item.item.referenceLineItemId != nil && context.target(of: item) == nil ? [.referenceLineItemId] : []
    }
}

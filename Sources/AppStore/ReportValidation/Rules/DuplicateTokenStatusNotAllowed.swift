import ExternalPurchaseCore

/// `DUPLICATE_TOKEN` is only allowed for custom link tokens.
///
/// E37: the token is known and its type is neither `SERVICES` nor `ACQUISITION`.
enum DuplicateTokenStatusNotAllowed: ReportRule {
    static let code = ReportErrorCode.duplicateTokenStatusNotAllowed
    static let needsHistory = true

    static func violations(of context: ValidationContext) -> [ReportField] {
        guard context.report.status == .duplicateToken, let token = context.history.token else { return [] }
        return token.tokenType == .services || token.tokenType == .acquisition ? [] : [.status]
    }
}

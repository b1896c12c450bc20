import ExternalPurchaseCore
import Ledger
import ReportPlanning
import ReportValidation

/// Validates the required report of a token without writing it.
struct ReportDryRun {
    let planned: MerchantPlanner.Planned
    let settings: ReportingSettings
    let now: Timestamp

    /// - Returns: the errors; empty if the token requires no report.
    func errors(of token: ExternalPurchaseId, in ledger: any LedgerQueries) throws(LedgerError) -> [ReportError] {
        guard settings.isPreflightOn, let stored = planned.part.tokens[token],
            let plan = planned.plan.tokens[token],
            let requestIdentifier = RequestIdentifier("00000000-0000-4000-8000-000000000000")
        else { return [] }
        let content: Report.Content
        switch plan.report {
        case .lineItems(let ready, _):
            let open = ready.filter { planned.part.sales[$0]?.standing == .planned }
            let items = LineItemPlanner(foreignCurrency: settings.foreignCurrency).items(
                of: Array(open.prefix(settings.limits.lineItems)),
                among: planned.part.universe.sales,
                accepted: planned.part.accepted[token.environment] ?? [:],
                moments: planned.plan.sales.compactMapValues(\.moment),
                tokenCreationDate: stored.token.tokenCreationDate
            ).items
            if items.isEmpty { return [] }
            content = .lineItems(items)
        case .status(let status): content = .status(status)
        case .nothing: return []
        }
        let report = Report(requestIdentifier: requestIdentifier, externalPurchaseId: token, content: content)
        let history = try ledger.history(for: report.asReceived, in: stored.scope)
        return ReportValidator(settings: settings.rules).validate(report.asReceived, history: history, now: now)
    }
}

extension [ReportError] {
    /// The errors as one line with code, message, field and line item of each.
    var words: String {
        map { error in
            let place = [error.fieldName, error.lineItemId.map { "of \($0)" }].compactMap(\.self).joined(separator: " ")
            return "\(error.errorCode) \(error.errorMessage)" + (place.isEmpty ? "" : " (\(place))")
        }
        .joined(separator: ", ")
    }
}

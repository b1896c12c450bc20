package import ExternalPurchaseCore
import Ledger
package import ReportPlanning

/// Makes the exports of months (OB-61, OB-80).
package struct MonthlyExports: Sendable {
    let store: any LedgerStore
    let rules: DeadlineRules
    let settings: ReportingSettings
    let choice: ExportChoice
    let dependencies: ReportingDependencies

    /// Makes the exports of an app and a month.
    ///
    /// - Parameters:
    ///   - month: the month; without a programme all of the app that are in force for the month.
    ///   - environment: whose sales count.
    /// - Throws: ``RequestError``: ``RequestError/invalid(_:)`` for an app that is left open, and for a wrong choice.
    package func make(
        _ month: MonthChoice,
        environment: AppStoreEnvironment = .production
    ) async throws(RequestError) -> MonthExports {
        let (app, ids) = try choice.programmes(of: month)
        let export = LedgerExport(rules: rules, settings: settings, environment: environment)
        let now = dependencies.now()
        let result = try await store.longRead { ledger throws(LedgerError) in
            try export.month(month.month, programmes: ids, of: app, now: now, in: ledger)
        }
        switch result {
        case .success(let exports): return exports
        // The month is known, so what is left to refuse is the programme.
        case .failure(let refusal): throw .invalid([FieldError("/programme", refusal.message)])
        }
    }
}

package import ExternalPurchaseCore
import Ledger
package import ReportPlanning

/// Builds month exports (OB-61, OB-80).
package struct MonthlyExports: Sendable {
    let store: any LedgerStore
    let rules: DeadlineRules
    let settings: ReportingSettings
    let choice: ExportChoice
    let dependencies: ReportingDependencies

    /// Builds the exports of an app and a month.
    ///
    /// - Parameters:
    ///   - month: the month; without a programme, all programmes with records of that month.
    ///   - environment: the environment whose sales are exported.
    /// - Throws: ``RequestError/invalid(_:)`` if the app is left open with several apps, or if the choice is wrong.
    package func make(
        _ month: MonthChoice,
        environment: AppStoreEnvironment = .production
    ) async throws(RequestError) -> MonthExports {
        let (app, programmes) = try choice.exported(of: month)
        let export = LedgerExport(rules: rules, settings: settings, environment: environment)
        let now = dependencies.now()
        let result = try await store.longRead { ledger throws(LedgerError) in
            try export.month(month.month, programmes, of: app, now: now, in: ledger)
        }
        switch result {
        case .success(let exports): return exports
        // The month was checked before, so the error concerns the programme.
        case .failure(let refusal): throw .invalid([FieldError("/programme", refusal.message)])
        }
    }

    /// Returns the exports of all programmes with records of a month, and of the given ones.
    ///
    /// - Throws: ``RequestError/notStored(_:)``.
    func all(
        of app: BundleId,
        month: String,
        including programmes: [String],
        environment: AppStoreEnvironment
    ) async throws(RequestError) -> [MonthExport] {
        let export = LedgerExport(rules: rules, settings: settings, environment: environment)
        let now = dependencies.now()
        return try await store.longRead { ledger throws(LedgerError) in
            try export.exports(ofMonth: month, including: programmes, of: app, now: now, in: ledger)
        }
    }

    /// Returns what the other environment has, if an export has neither a sale nor a token.
    ///
    /// - Returns: nil if the export has records, or if the other environment has none either.
    package func otherEnvironment(
        ifEmpty exports: MonthExports,
        _ month: MonthChoice,
        _ environment: AppStoreEnvironment
    ) async throws(RequestError) -> OtherEnvironment? {
        guard exports.isEmpty else { return nil }
        let other = environment.other
        return OtherEnvironment(other, try await make(month, environment: other))
    }
}

package import ExternalPurchaseCore
import Ledger

/// Builds month exports (OB-61, OB-80).
package struct MonthlyExports: Sendable {
    let store: any LedgerStore
    let rules: DeadlineRules
    let settings: ReportingSettings
    let choice: ExportChoice
    let dependencies: ReportingDependencies

    /// Builds the exports of an app and a month, without their rows.
    ///
    /// - Parameters:
    ///   - month: the month; without a programme, all programmes with records of that month.
    ///   - environment: the environment whose sales are exported.
    /// - Throws: ``RequestError/invalid(_:)`` if the app is left open with several apps, or if the choice is wrong.
    package func make(
        _ month: MonthChoice,
        environment: AppStoreEnvironment = .production
    ) async throws(RequestError) -> MonthExports {
        try await read(month, environment) { exports throws(LedgerError) in
            try exports { _ in }
        }
    }

    /// Builds the exports of an app and a month with their rows.
    ///
    /// - Parameters:
    ///   - format: the format.
    ///   - month: the month; without a programme, all programmes with records of that month.
    ///   - environment: the environment whose sales are exported.
    ///   - path: the path of the request, with which a JSON export without records says where there are any; nil adds
    ///     nothing.
    /// - Throws: ``RequestError/invalid(_:)`` if the app is left open with several apps, or if the choice is wrong;
    ///   ``RequestError/notStored(_:)`` also if no temporary file can be written.
    package func file(
        _ format: ExportFormat,
        _ month: MonthChoice,
        environment: AppStoreEnvironment = .production,
        hintAt path: String? = nil
    ) async throws(RequestError) -> ExportFile {
        let layout = settings.exportLayout
        let made = try await read(month, environment) { exports throws(LedgerError) in
            var spool = ExportSpool(format, layout: layout)
            switch try exports({ row throws(LedgerError) in try spool.append(row) }) {
            case .success(let exports): return .success(try spool.file(of: exports))
            case .failure(let refusal): return .failure(refusal)
            }
        }
        guard format == .json, let path,
            let other = try await otherEnvironment(ifEmpty: made.exports, month, environment)
        else { return made }
        do throws(LedgerError) {
            var empty = ExportSpool(format, layout: layout)
            return try empty.file(of: made.exports, hint: other.hint(path: path))
        } catch {
            throw .notStored(error)
        }
    }

    /// Reads the exports of a month; the closure it calls receives what makes them and hands on their rows.
    private func read<Value: Sendable>(
        _ month: MonthChoice,
        _ environment: AppStoreEnvironment,
        _ body:
            @escaping @Sendable (
                (_ rows: (ExportRow) throws(LedgerError) -> Void) throws(LedgerError) -> Result<
                    MonthExports, ExportRefusal
                >
            ) throws(LedgerError) -> Result<Value, ExportRefusal>
    ) async throws(RequestError) -> Value {
        let (app, programmes) = try await choice.alsoNaming(month.bundleId, of: store).exported(of: month)
        let export = LedgerExport(rules: rules, settings: settings, environment: environment)
        let now = dependencies.now()
        let result = try await store.longRead { ledger throws(LedgerError) in
            try body { rows throws(LedgerError) in
                try export.month(month.month, programmes, of: app, now: now, in: ledger, rows: rows)
            }
        }
        switch result {
        case .success(let made): return made
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

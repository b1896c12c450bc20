package import ExternalPurchaseCore
package import Ledger

/// Builds month exports from the ledger (OB-61 to OB-63, OB-80).
///
/// An export covers the sales and tokens of one environment. The default is production; sandbox sales owe no
/// commission.
package struct LedgerExport: Sendable {
    private let rules: DeadlineRules
    private let settings: ReportingSettings
    private let environment: AppStoreEnvironment

    package init(rules: DeadlineRules, settings: ReportingSettings, environment: AppStoreEnvironment = .production) {
        self.rules = rules
        self.settings = settings
        self.environment = environment
    }

    /// Builds the export of an app, a programme and a month.
    ///
    /// - Parameter rows: receives the rows by date, those of one moment in any order.
    /// - Throws: ``LedgerError``; a ``ExportRefusal`` is part of the result.
    func month(
        _ id: String,
        programme: String,
        of bundleId: BundleId,
        now: Timestamp,
        in ledger: LedgerQueries,
        rows: (ExportRow) throws(LedgerError) -> Void = { _ in }
    ) throws(LedgerError) -> Result<MonthExport, ExportRefusal> {
        do throws(ExportRefusal) {
            try MonthExport.check(month: id, programme: programme, rules: rules)
        } catch {
            return .failure(error)
        }
        let exports = try exports(ofMonth: id, only: programme, of: bundleId, now: now, in: ledger, rows: rows)
        guard let export = exports.first else { return .failure(Self.nothing(of: bundleId, in: id)) }
        return .success(export)
    }

    /// Builds the exports of an app and a month, from one state of the ledger.
    ///
    /// - Parameter rows: receives the rows by date, those of one moment in any order.
    /// - Throws: ``LedgerError``; a ``ExportRefusal`` is part of the result.
    package func month(
        _ id: String,
        _ programmes: ExportProgrammes,
        of bundleId: BundleId,
        now: Timestamp,
        in ledger: LedgerQueries,
        rows: (ExportRow) throws(LedgerError) -> Void = { _ in }
    ) throws(LedgerError) -> Result<MonthExports, ExportRefusal> {
        let exports: [MonthExport]
        switch programmes {
        case .one(let programme):
            switch try month(id, programme: programme, of: bundleId, now: now, in: ledger, rows: rows) {
            case .success(let export): exports = [export]
            case .failure(let refusal): return .failure(refusal)
            }
        case .all(let inForce):
            let included = inForce.count == 1 ? inForce : []
            exports = try self.exports(ofMonth: id, including: included, of: bundleId, now: now, in: ledger, rows: rows)
            if exports.isEmpty, inForce.isEmpty { return .failure(Self.nothing(of: bundleId, in: id)) }
        }
        return .success(MonthExports(bundleId: bundleId, month: id, exports: exports))
    }

    /// Builds the exports of all programmes that have records of a month; each record is read once.
    ///
    /// The ledger is read in pages, and each row is handed on as soon as it is made. Work is proportional to the records
    /// of the month; what memory holds of each is in ``MonthExportBuilder``.
    ///
    /// - Parameters:
    ///   - id: the month.
    ///   - only: the only programme to export; nil exports all.
    ///   - included: programmes whose export is returned even if it is empty.
    ///   - bundleId: the app.
    ///   - now: the current time.
    ///   - ledger: one consistent state of the ledger.
    ///   - rows: receives the rows by date, those of one moment in any order.
    /// - Returns: the exports in the order of the catalog.
    func exports(
        ofMonth id: String,
        only: String? = nil,
        including included: [String] = [],
        of bundleId: BundleId,
        now: Timestamp,
        in ledger: LedgerQueries,
        rows: (ExportRow) throws(LedgerError) -> Void = { _ in }
    ) throws(LedgerError) -> [MonthExport] {
        guard let span = rules.span(ofMonth: id, programme: only) else { return [] }
        var reader = MonthReader(
            scope: ReportingScope(bundleId: bundleId, environment: environment),
            span: span,
            settings: settings,
            now: now,
            ledger: ledger,
            builder: MonthExportBuilder(
                month: id,
                of: bundleId,
                programme: only,
                rules: rules,
                developerProgrammes: settings.developerProgrammes,
                dayUnit: settings.commissionWindow
            )
        )
        try reader.read(rows)
        return reader.builder.exports(including: included + (only.map { [$0] } ?? []))
    }

    private static func nothing(of app: BundleId, in month: String) -> ExportRefusal {
        ExportRefusal(message: "no programme of \(app) asks for reports of \(month)")
    }
}

extension DeadlineRules {
    /// Returns the time range of a month under all versions of a programme, or of all programmes.
    ///
    /// - Returns: the first moment, and the first moment after the month; nil if no calendar has the month.
    func span(ofMonth id: String, programme: String?) -> (start: Timestamp, end: Timestamp)? {
        let months = (catalog.programmes + [.noProgramme]).filter { programme == nil || $0.id == programme }
            .compactMap { table(of: $0)?.month(id: id) }
        guard let first = months.map(\.firstDay).min(), let last = months.map(\.lastDay).max() else { return nil }
        return (settings.timeZone.start(of: first), settings.timeZone.start(of: last.adding(days: 1)))
    }
}

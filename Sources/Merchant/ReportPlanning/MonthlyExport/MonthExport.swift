package import ExternalPurchaseCore

/// The sales and tokens that one app must report under one programme for one month, with a reconciliation.
///
/// The rules are OB-61 and OB-80.
package struct MonthExport: Hashable, Sendable {
    package let bundleId: BundleId
    package let programme: ReportingProgramme
    package let month: ReportingMonth
    /// Sales of the month in any state, and tokens without sales for the manual export; by date.
    package let rows: [ExportRow]
    package let reconciliation: Reconciliation

    /// The lines that a person must still submit by hand (OB-61, OB-62).
    package var rowsToManualSubmission: [ExportRow] { rows.filter(\.isToManualSubmission) }

    /// The ids of the sales among these lines.
    package var salesToManualSubmission: [String] { rowsToManualSubmission.compactMap { $0.sale?.saleId } }

    init(
        bundleId: BundleId,
        programme: ReportingProgramme,
        month: ReportingMonth,
        rows: [ExportRow],
        reconciliation: Reconciliation
    ) {
        self.bundleId = bundleId
        self.programme = programme
        self.month = month
        self.rows = rows
        self.reconciliation = reconciliation
    }

    /// Checks that a programme has a month.
    ///
    /// - Throws: ``ExportRefusal`` for an unknown programme or month, or a programme without a calendar.
    package static func check(
        month id: String,
        programme programmeId: String,
        rules: DeadlineRules
    ) throws(ExportRefusal) {
        let versions = (rules.catalog.programmes + [.noProgramme]).filter { $0.id == programmeId }
        guard !versions.isEmpty else {
            let meant = rules.catalog.programmes.map(\.id).suggestion(for: programmeId)
            throw ExportRefusal(message: "no programme \(programmeId.quoted)" + meant)
        }
        guard versions.contains(where: { rules.table(of: $0) != nil }) else {
            throw ExportRefusal(message: "\(programmeId) asks for no reports by month")
        }
        guard rules.programme(programmeId, ofMonth: id) != nil else {
            throw ExportRefusal(message: "no month \(id.quoted); a month such as \"2026-10\" would be right")
        }
    }

    /// Returns the rows as comma-separated values, see ``CSVText``.
    ///
    /// - Parameters:
    ///   - layout: columns and headers.
    ///   - rows: the rows; nil means all.
    ///   - byteOrderMark: writes U+FEFF first, which some spreadsheets need to detect UTF-8.
    package func csv(
        layout: ExportLayout = .standard,
        rows: [ExportRow]? = nil,
        byteOrderMark: Bool = false
    ) -> String {
        let text = CSVText.document(
            header: layout.columns.map(\.header),
            rows: (rows ?? self.rows).lazy.map { row in layout.columns.map { row.cell($0.column) } }
        )
        return (byteOrderMark ? "\u{FEFF}" : "") + text
    }
}

extension MonthExport {
    /// The expected commission of every sale as text, by sale id; sales without an estimate are marked so (OB-73).
    package var estimates: [String: String] {
        var result: [String: String] = [:]
        for row in rows {
            guard let sale = row.sale else { continue }
            let amount = row.estimate.flatMap { made in
                made.amount.map { "\(Currency.text(of: $0, in: made.currency)) \(made.currency)" }
            }
            result[sale.saleId] = "\(amount ?? "no estimate") under \(row.programme)"
        }
        return result
    }
}

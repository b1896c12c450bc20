package import ExternalPurchaseCore

/// What one app must report under one programme for one month, without its rows, and a reconciliation of them.
///
/// The rows are sales of the month in any state, and tokens without sales for the manual export. They are never held
/// together: ``MonthExportBuilder`` hands each on as soon as it is made. The rules are OB-61 and OB-80.
package struct MonthExport: Hashable, Sendable {
    package let bundleId: BundleId
    package let programme: ReportingProgramme
    package let month: ReportingMonth
    let rowCount: Int
    /// The number of rows that a person must still submit by hand (OB-61, OB-62).
    package let manualRowCount: Int
    package let reconciliation: Reconciliation

    /// Checks that a programme has a month.
    ///
    /// - Throws: ``ExportRefusal`` for an unknown programme or month, or a programme without a calendar.
    static func check(
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
}

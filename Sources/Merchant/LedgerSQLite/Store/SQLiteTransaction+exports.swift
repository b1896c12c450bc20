import ExternalPurchaseCore
import GRDB
import Ledger

extension SQLiteTransaction {
    func manualExport(_ id: ManualExportId, of bundleId: BundleId) throws(LedgerError) -> ManualExport? {
        try rows(
            "SELECT * FROM manual_exports WHERE bundle_id = ? AND export_id = ?",
            [bundleId.rawValue, id.rawValue]
        ).decoded(manualExport).first
    }

    func manualExports(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [ManualExport] {
        try rows(.manualExports, filter, page).decoded(manualExport)
    }

    func insertRow(of export: ManualExport, holding sales: [SaleId]) throws(LedgerError) -> Int64 {
        let sequence = try insert(
            "INSERT INTO manual_exports (bundle_id, export_id, programme, month, made_at) VALUES (?, ?, ?, ?, ?)",
            [
                export.bundleId.rawValue, export.exportId.rawValue, export.programme, export.month,
                export.madeAt.milliseconds,
            ]
        )
        for sale in sales {
            try change(
                """
                UPDATE sales SET export_id = ?
                WHERE bundle_id = ? AND sale_id = ? AND request_key IS NULL AND export_id IS NULL
                """,
                [export.exportId.rawValue, export.bundleId.rawValue, sale.rawValue],
                otherwise: "no such sale without a report or an export"
            )
        }
        return sequence
    }

    func manualSubmissionRow(of export: ManualExportId, _ bundleId: BundleId, _ manualSubmission: ManualSubmission)
        throws(LedgerError) -> Int64
    {
        try change(
            """
            UPDATE manual_exports SET handed_in_at = ?, handed_in_by = ?, reference = ?
            WHERE bundle_id = ? AND export_id = ? AND handed_in_at IS NULL
            """,
            [
                manualSubmission.at.milliseconds, manualSubmission.by, manualSubmission.reference, bundleId.rawValue,
                export.rawValue,
            ],
            otherwise: "no such export to submit"
        )
    }

    func withdrawRow(
        of export: ManualExportId,
        _ bundleId: BundleId,
        _ withdrawal: ExportWithdrawal
    ) throws(LedgerError) -> Int64 {
        try change(
            """
            UPDATE manual_exports SET withdrawn_at = ?, withdrawn_by = ?, withdrawn_reason = ?
            WHERE bundle_id = ? AND export_id = ? AND handed_in_at IS NOT NULL AND withdrawn_at IS NULL
            """,
            [
                withdrawal.at.milliseconds, withdrawal.by, withdrawal.reason, bundleId.rawValue, export.rawValue,
            ],
            otherwise: "no such export to take back"
        )
        try run(
            "UPDATE sales SET export_id = NULL WHERE bundle_id = ? AND export_id = ?",
            [bundleId.rawValue, export.rawValue]
        )
        return 0
    }

    private func manualExport(_ row: Row) throws(LedgerError) -> ManualExport {
        var handedIn: ManualSubmission?
        if let at = try row.optionalTime("handed_in_at") {
            handedIn = ManualSubmission(at: at, by: try row.text("handed_in_by"), reference: try row.text("reference"))
        }
        var withdrawal: ExportWithdrawal?
        if let at = try row.optionalTime("withdrawn_at") {
            withdrawal = ExportWithdrawal(
                at: at,
                by: try row.text("withdrawn_by"),
                reason: try row.text("withdrawn_reason")
            )
        }
        return ManualExport(
            sequence: try row.integer("sequence"),
            exportId: ManualExportId(try row.text("export_id")),
            bundleId: BundleId(try row.text("bundle_id")),
            programme: try row.text("programme"),
            month: try row.text("month"),
            madeAt: try row.time("made_at"),
            handedIn: handedIn,
            withdrawal: withdrawal
        )
    }
}

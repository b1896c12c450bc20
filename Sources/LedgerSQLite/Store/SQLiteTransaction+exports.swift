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

    func manualExports(_ page: LedgerPage) throws(LedgerError) -> [ManualExport] {
        try rows(
            "SELECT * FROM manual_exports WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [page.after, page.bound]
        ).decoded(manualExport)
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

    func handInRow(of export: ManualExportId, _ bundleId: BundleId, _ handIn: HandIn) throws(LedgerError) -> Int64 {
        try change(
            """
            UPDATE manual_exports SET handed_in_at = ?, handed_in_by = ?, reference = ?
            WHERE bundle_id = ? AND export_id = ? AND handed_in_at IS NULL
            """,
            [handIn.at.milliseconds, handIn.by, handIn.reference, bundleId.rawValue, export.rawValue],
            otherwise: "no such export to hand in"
        )
    }

    private func manualExport(_ row: Row) throws(LedgerError) -> ManualExport {
        var handedIn: HandIn?
        if let at = try row.optionalTime("handed_in_at") {
            handedIn = HandIn(at: at, by: try row.text("handed_in_by"), reference: try row.text("reference"))
        }
        return ManualExport(
            sequence: try row.integer("sequence"),
            exportId: ManualExportId(try row.text("export_id")),
            bundleId: BundleId(try row.text("bundle_id")),
            programme: try row.text("programme"),
            month: try row.text("month"),
            madeAt: try row.time("made_at"),
            handedIn: handedIn
        )
    }
}

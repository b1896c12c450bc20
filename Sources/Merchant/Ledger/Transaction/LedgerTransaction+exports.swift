package import ExternalPurchaseCore

extension LedgerQueries {
    package func manualExport(_ id: ManualExportId, of bundleId: BundleId) throws(LedgerError) -> ManualExport? {
        try query(
            "SELECT * FROM manual_exports WHERE bundle_id = ? AND export_id = ?",
            [bundleId.rawValue, id.rawValue]
        ).decoded(ManualExportRow.record).first
    }

    package func manualExports(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [ManualExport] {
        try query(.manualExports, filter, page).decoded(ManualExportRow.record)
    }
}

extension LedgerTransaction {
    func insertRow(of export: ManualExport, holding sales: [SaleId]) throws(LedgerError) -> Int64 {
        let sequence = try insert(export, into: ManualExportRow.table)
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

    func updateSubmission(of export: ManualExportId, _ bundleId: BundleId, _ manualSubmission: ManualSubmission)
        throws(LedgerError) -> Int64
    {
        try change(
            ManualExportRow.submission,
            to: manualSubmission,
            at: bundleId.rawValue,
            export.rawValue,
            otherwise: "no such export to submit"
        )
    }

    func withdrawRow(
        of export: ManualExportId,
        _ bundleId: BundleId,
        _ withdrawal: ExportWithdrawal
    ) throws(LedgerError) -> Int64 {
        try change(
            ManualExportRow.withdrawal,
            to: withdrawal,
            at: bundleId.rawValue,
            export.rawValue,
            otherwise: "no such export to take back"
        )
        try run(
            "UPDATE sales SET export_id = NULL WHERE bundle_id = ? AND export_id = ?",
            [bundleId.rawValue, export.rawValue]
        )
        return 0
    }
}

extension LedgerTransaction {
    /// Stores a manual export with its sales (OB-62).
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when a sale is already in a report or in another export.
    package func insert(_ export: ManualExport, holding sales: [SaleId]) throws(LedgerError) -> ManualExport {
        var export = export
        export.submission = nil
        export.sequence = try perform(.insertExport(export, holding: sales))
        return export
    }

    /// Marks a manual export as submitted by hand.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when it is already submitted or is not stored.
    package func recordSubmission(
        _ export: ManualExportId,
        of bundleId: BundleId,
        _ manualSubmission: ManualSubmission
    ) throws(LedgerError) {
        try perform(.submitExport(export, bundleId, manualSubmission))
    }

    /// Withdraws a submitted manual export, so that its sales can be reported again (OB-62).
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when it is not submitted, already withdrawn or not stored.
    package func withdraw(
        _ export: ManualExportId,
        of bundleId: BundleId,
        _ withdrawal: ExportWithdrawal
    ) throws(LedgerError) {
        try perform(.withdrawExport(export, bundleId, withdrawal))
    }
}

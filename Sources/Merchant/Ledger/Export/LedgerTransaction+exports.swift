package import ExternalPurchaseCore

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

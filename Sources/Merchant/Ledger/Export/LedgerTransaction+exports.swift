package import ExternalPurchaseCore

extension LedgerTransaction {
    /// Stores a manual export with its sales, which no report and no other export may hold (OB-62).
    ///
    /// - Throws: ``LedgerError/conflict(_:)``.
    package func insert(_ export: ManualExport, holding sales: [SaleId]) throws(LedgerError) -> ManualExport {
        var export = export
        export.handedIn = nil
        export.sequence = try perform(.insertExport(export, holding: sales))
        return export
    }

    /// Marks a manual export as submitted by hand.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when it was submitted before or is not stored.
    package func manualSubmission(
        _ export: ManualExportId,
        of bundleId: BundleId,
        _ manualSubmission: ManualSubmission
    ) throws(LedgerError) {
        try perform(.submitExport(export, bundleId, manualSubmission))
    }

    /// Withdraws a manual export that was submitted: its sales are in none any more, and can be reported (OB-62).
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when it was not submitted, was withdrawn before or is not stored.
    package func withdraw(
        _ export: ManualExportId,
        of bundleId: BundleId,
        _ withdrawal: ExportWithdrawal
    ) throws(LedgerError) {
        try perform(.withdrawExport(export, bundleId, withdrawal))
    }
}

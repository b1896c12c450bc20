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

    /// Marks a manual export as handed in.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when it was handed in before or is not stored.
    package func handIn(
        _ export: ManualExportId,
        of bundleId: BundleId,
        _ handIn: HandIn
    ) throws(LedgerError) {
        try perform(.handInExport(export, bundleId, handIn))
    }
}

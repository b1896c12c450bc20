package import ExternalPurchaseCore

extension LedgerTransaction {
    /// Stores a wish for a correction and returns it with its sequence.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when the app has a correction of that id.
    package func insert(_ correction: StoredCorrection) throws(LedgerError) -> StoredCorrection {
        var correction = correction
        correction.reports = []
        correction.sequence = try perform(.insertCorrection(correction))
        return correction
    }

    /// Changes dry run, confirmation and closing of a correction that is not closed.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when it is closed or not stored, or would lose its confirmation.
    package func update(_ correction: StoredCorrection) throws(LedgerError) {
        try perform(.updateCorrection(correction))
    }

    /// Adds a report to those of a correction.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when one of them is not stored, or the report is another correction's.
    package func attach(
        _ report: CorrectionReport,
        to correction: CorrectionId,
        of bundleId: BundleId
    ) throws(LedgerError) {
        try perform(.attachReport(report, correction, bundleId))
    }
}

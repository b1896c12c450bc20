package import ExternalPurchaseCore

extension LedgerTransaction {
    /// Stores a requested correction and returns it with its sequence number.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when the app already has a correction of that id.
    package func insert(_ correction: StoredCorrection) throws(LedgerError) -> StoredCorrection {
        var correction = correction
        correction.reports = []
        correction.sequence = try perform(.insertCorrection(correction))
        return correction
    }

    /// Updates dry run, confirmation and closing of an open correction.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when it is closed or not stored, or when its confirmation would be
    ///   removed.
    package func update(_ correction: StoredCorrection) throws(LedgerError) {
        try perform(.updateCorrection(correction))
    }

    /// Adds a report to the reports of a correction.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when either is not stored, or the report belongs to another correction.
    package func attach(
        _ report: CorrectionReport,
        to correction: CorrectionId,
        of bundleId: BundleId
    ) throws(LedgerError) {
        try perform(.attachReport(report, correction, bundleId))
    }
}

package import ExternalPurchaseCore

extension LedgerQueries {
    package func correction(_ id: CorrectionId, of bundleId: BundleId) throws(LedgerError) -> StoredCorrection? {
        try query(
            "SELECT * FROM corrections WHERE bundle_id = ? AND correction_id = ?",
            [bundleId.rawValue, id.rawValue]
        ).decoded(storedCorrection).first
    }

    package func corrections(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredCorrection]
    {
        try query(.corrections, filter, page).decoded(storedCorrection)
    }

    /// Corrections that are not closed.
    package func openCorrections(_ page: LedgerPage) throws(LedgerError) -> [StoredCorrection] {
        try query(Query.openCorrections, [page.after, page.bound]).decoded(storedCorrection)
    }

    private func storedCorrection(_ row: any SQLRow) throws(LedgerError) -> StoredCorrection {
        try CorrectionRow.record(row) { bundleId, id throws(LedgerError) in
            try query(
                """
                SELECT environment, request_key FROM correction_reports WHERE bundle_id = ? AND correction_id = ?
                ORDER BY position
                """,
                [bundleId.rawValue, id.rawValue]
            ).decoded { row throws(LedgerError) in
                guard let identifier = RequestIdentifier(try row.text("request_key")) else {
                    throw .corrupt("request_key is not a UUID")
                }
                return CorrectionReport(environment: try row.known("environment"), requestIdentifier: identifier)
            }
        }
    }
}

extension LedgerTransaction {
    func insertRow(of correction: StoredCorrection) throws(LedgerError) -> Int64 {
        try insert(correction, into: CorrectionRow.table)
    }

    func updateRow(of correction: StoredCorrection) throws(LedgerError) -> Int64 {
        try change(
            CorrectionRow.update,
            to: correction,
            at: correction.bundleId.rawValue,
            correction.correctionId.rawValue,
            otherwise: "no such open correction"
        )
    }

    func insertRow(
        of report: CorrectionReport,
        _ correction: CorrectionId,
        _ bundleId: BundleId
    ) throws(LedgerError) -> Int64 {
        try perform(
            """
            INSERT INTO correction_reports (bundle_id, correction_id, position, environment, request_key)
            VALUES (?, ?, 1 + (
                SELECT count(*) FROM correction_reports WHERE bundle_id = ? AND correction_id = ?
            ), ?, ?)
            """,
            [
                bundleId.rawValue, correction.rawValue, bundleId.rawValue, correction.rawValue,
                report.environment.rawValue, report.requestIdentifier.key,
            ]
        )
        return 0
    }
}

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

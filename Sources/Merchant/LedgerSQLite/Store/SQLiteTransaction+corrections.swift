import ExternalPurchaseCore
import GRDB
import Ledger

extension SQLiteTransaction {
    func correction(_ id: CorrectionId, of bundleId: BundleId) throws(LedgerError) -> StoredCorrection? {
        try rows(
            "SELECT * FROM corrections WHERE bundle_id = ? AND correction_id = ?",
            [bundleId.rawValue, id.rawValue]
        ).decoded(storedCorrection).first
    }

    func corrections(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [StoredCorrection] {
        try rows(.corrections, filter, page).decoded(storedCorrection)
    }

    func openCorrections(_ page: LedgerPage) throws(LedgerError) -> [StoredCorrection] {
        try rows(Query.openCorrections, [page.after, page.bound]).decoded(storedCorrection)
    }

    func insertRow(of correction: StoredCorrection) throws(LedgerError) -> Int64 {
        try insert(
            """
            INSERT INTO corrections (bundle_id, correction_id, requested_by, reason, requested_at, request, dry_run,
                confirmed_at, confirmed_by, confirmed_note, closed_at, closed_by, closed_note)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                correction.bundleId.rawValue, correction.correctionId.rawValue, correction.requestedBy,
                correction.reason, correction.requestedAt.milliseconds, correction.request.text,
                correction.dryRun?.text, correction.confirmation?.at.milliseconds, correction.confirmation?.by,
                correction.confirmation?.note, correction.closing?.at.milliseconds, correction.closing?.by,
                correction.closing?.note,
            ]
        )
    }

    func updateRow(of correction: StoredCorrection) throws(LedgerError) -> Int64 {
        try change(
            """
            UPDATE corrections SET dry_run = ?, confirmed_at = ?, confirmed_by = ?, confirmed_note = ?, closed_at = ?,
                closed_by = ?, closed_note = ?
            WHERE bundle_id = ? AND correction_id = ? AND closed_at IS NULL
            """,
            [
                correction.dryRun?.text, correction.confirmation?.at.milliseconds, correction.confirmation?.by,
                correction.confirmation?.note, correction.closing?.at.milliseconds, correction.closing?.by,
                correction.closing?.note, correction.bundleId.rawValue, correction.correctionId.rawValue,
            ],
            otherwise: "no such open correction"
        )
    }

    func insertRow(
        of report: CorrectionReport,
        _ correction: CorrectionId,
        _ bundleId: BundleId
    ) throws(LedgerError) -> Int64 {
        try run(
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

    private func storedCorrection(_ row: Row) throws(LedgerError) -> StoredCorrection {
        let (bundleId, id) = (try row.text("bundle_id"), try row.text("correction_id"))
        let reports = try rows(
            """
            SELECT environment, request_key FROM correction_reports WHERE bundle_id = ? AND correction_id = ?
            ORDER BY position
            """,
            [bundleId, id]
        ).decoded { row throws(LedgerError) in
            guard let identifier = RequestIdentifier(try row.text("request_key")) else {
                throw .corrupt("request_key is not a UUID")
            }
            return CorrectionReport(environment: try row.known("environment"), requestIdentifier: identifier)
        }
        return StoredCorrection(
            sequence: try row.integer("sequence"),
            correctionId: CorrectionId(id),
            bundleId: BundleId(bundleId),
            requestedBy: try row.text("requested_by"),
            reason: try row.text("reason"),
            requestedAt: try row.time("requested_at"),
            request: try row.json("request"),
            dryRun: try row.optionalJSON("dry_run"),
            confirmation: try row.step("confirmed"),
            closing: try row.step("closed"),
            reports: reports
        )
    }
}

extension Row {
    fileprivate func step(_ prefix: String) throws(LedgerError) -> CorrectionStep? {
        guard let at = try optionalTime("\(prefix)_at") else { return nil }
        return CorrectionStep(at: at, by: try text("\(prefix)_by"), note: try text("\(prefix)_note"))
    }
}

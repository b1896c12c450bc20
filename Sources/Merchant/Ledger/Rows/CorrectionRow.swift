import ExternalPurchaseCore

/// The columns of a correction; its reports are in `correction_reports`.
enum CorrectionRow {
    typealias Column<Value> = RowColumn<StoredCorrection, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let bundleId = Column("bundle_id", .rawValue, written: .once) { $0.bundleId }
    static let correctionId = Column("correction_id", .rawValue, written: .once) { $0.correctionId }
    static let requestedBy = Column("requested_by", .text, written: .once) { $0.requestedBy }
    static let reason = Column("reason", .text, written: .once) { $0.reason }
    static let requestedAt = Column("requested_at", .time, written: .once) { $0.requestedAt }
    static let request = Column("request", .json, written: .once) { $0.request }
    static let dryRun = Column("dry_run", .optional(.json), written: .always) { $0.dryRun }
    static let confirmation = StepColumns("confirmed") { $0.confirmation }
    static let closing = StepColumns("closed") { $0.closing }

    static let table = RowTable<StoredCorrection>(
        "corrections",
        [sequence, bundleId, correctionId, requestedBy, reason, requestedAt, request, dryRun] + confirmation.columns
            + closing.columns
    )
    static let update = table.update(where: "bundle_id = ? AND correction_id = ? AND closed_at IS NULL")

    /// - Parameter reports: returns the reports of a correction of an app.
    static func record(
        _ row: any SQLRow,
        reports: (BundleId, CorrectionId) throws(LedgerError) -> [CorrectionReport]
    ) throws(LedgerError) -> StoredCorrection {
        let (app, id) = (try bundleId.read(from: row), try correctionId.read(from: row))
        return StoredCorrection(
            sequence: try sequence.read(from: row),
            correctionId: id,
            bundleId: app,
            requestedBy: try requestedBy.read(from: row),
            reason: try reason.read(from: row),
            requestedAt: try requestedAt.read(from: row),
            request: try request.read(from: row),
            dryRun: try dryRun.read(from: row),
            confirmation: try confirmation.read(from: row),
            closing: try closing.read(from: row),
            reports: try reports(app, id)
        )
    }
}

/// The three columns of a step of a correction.
struct StepColumns: Sendable {
    let at: RowColumn<StoredCorrection, Timestamp?>
    let by: RowColumn<StoredCorrection, String?>
    let note: RowColumn<StoredCorrection, String?>

    init(_ prefix: String, _ step: @escaping @Sendable (StoredCorrection) -> CorrectionStep?) {
        at = RowColumn("\(prefix)_at", .optional(.time), written: .always) { step($0)?.at }
        by = RowColumn("\(prefix)_by", .optional(.text), written: .always) { step($0)?.by }
        note = RowColumn("\(prefix)_note", .optional(.text), written: .always) { step($0)?.note }
    }

    var columns: [any WritableColumn<StoredCorrection>] { [at, by, note] }

    func read(from row: any SQLRow) throws(LedgerError) -> CorrectionStep? {
        guard let at = try at.read(from: row), let by = try by.read(from: row), let note = try note.read(from: row)
        else { return nil }
        return CorrectionStep(at: at, by: by, note: note)
    }
}

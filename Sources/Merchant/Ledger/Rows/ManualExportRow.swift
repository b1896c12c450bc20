import ExternalPurchaseCore

/// The columns of a manual export.
enum ManualExportRow {
    typealias Column<Value> = RowColumn<ManualExport, Value>
    typealias SubmissionColumn<Value> = RowColumn<ManualSubmission, Value>
    typealias WithdrawalColumn<Value> = RowColumn<ExportWithdrawal, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let bundleId = Column("bundle_id", .rawValue, written: .once) { $0.bundleId }
    static let exportId = Column("export_id", .rawValue, written: .once) { $0.exportId }
    static let programme = Column("programme", .text, written: .once) { $0.programme }
    static let month = Column("month", .text, written: .once) { $0.month }
    static let madeAt = Column("made_at", .time, written: .once) { $0.madeAt }
    static let submittedAt = SubmissionColumn("submitted_at", .time, written: .always) { $0.at }
    static let submittedBy = SubmissionColumn("submitted_by", .text, written: .always) { $0.by }
    static let reference = SubmissionColumn("reference", .text, written: .always) { $0.reference }
    static let withdrawnAt = WithdrawalColumn("withdrawn_at", .time, written: .always) { $0.at }
    static let withdrawnBy = WithdrawalColumn("withdrawn_by", .text, written: .always) { $0.by }
    static let withdrawnReason = WithdrawalColumn("withdrawn_reason", .text, written: .always) { $0.reason }

    static let table = RowTable<ManualExport>(
        "manual_exports",
        [
            sequence, bundleId, exportId, programme, month, madeAt,
            submittedAt.ofOptional(written: .elsewhere) { $0.submission },
            submittedBy.ofOptional(written: .elsewhere) { $0.submission },
            reference.ofOptional(written: .elsewhere) { $0.submission },
            withdrawnAt.ofOptional(written: .elsewhere) { $0.withdrawal },
            withdrawnBy.ofOptional(written: .elsewhere) { $0.withdrawal },
            withdrawnReason.ofOptional(written: .elsewhere) { $0.withdrawal },
        ]
    )
    static let submission = RowTable<ManualSubmission>("manual_exports", [submittedAt, submittedBy, reference])
        .update(where: "bundle_id = ? AND export_id = ? AND submitted_at IS NULL")
    static let withdrawal = RowTable<ExportWithdrawal>(
        "manual_exports",
        [withdrawnAt, withdrawnBy, withdrawnReason]
    ).update(where: "bundle_id = ? AND export_id = ? AND submitted_at IS NOT NULL AND withdrawn_at IS NULL")

    static func record(_ row: any SQLRow) throws(LedgerError) -> ManualExport {
        var submission: ManualSubmission?
        if let at = try submittedAt.readIfPresent(from: row) {
            submission = ManualSubmission(
                at: at,
                by: try submittedBy.read(from: row),
                reference: try reference.read(from: row)
            )
        }
        var withdrawal: ExportWithdrawal?
        if let at = try withdrawnAt.readIfPresent(from: row) {
            withdrawal = ExportWithdrawal(
                at: at,
                by: try withdrawnBy.read(from: row),
                reason: try withdrawnReason.read(from: row)
            )
        }
        return ManualExport(
            sequence: try sequence.read(from: row),
            exportId: try exportId.read(from: row),
            bundleId: try bundleId.read(from: row),
            programme: try programme.read(from: row),
            month: try month.read(from: row),
            madeAt: try madeAt.read(from: row),
            submission: submission,
            withdrawal: withdrawal
        )
    }
}

import ExternalPurchaseCore

/// The columns of a review item.
enum ReviewRow {
    typealias Column<Value> = RowColumn<ReviewItem, Value>
    typealias ResolutionColumn<Value> = RowColumn<ReviewResolution, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let bundleId = Column("bundle_id", .rawValue, written: .once) { $0.bundleId }
    static let kind = Column("kind", .rawValue, written: .once) { $0.kind }
    static let subjectKind = Column("subject_kind", .text, written: .once) { $0.subject.columns.kind }
    static let subjectId = Column("subject_id", .text, written: .once) { $0.subject.columns.id }
    static let detail = Column("detail", .text, written: .once) { $0.detail }
    static let openedAt = Column("opened_at", .time, written: .once) { $0.openedAt }
    static let correctionId = Column("correction_id", .optional(.rawValue), written: .once) { $0.correctionId }
    static let resolvedAt = ResolutionColumn("resolved_at", .time, written: .always) { $0.resolvedAt }
    static let resolvedBy = ResolutionColumn("resolved_by", .text, written: .always) { $0.by }
    static let note = ResolutionColumn("note", .text, written: .always) { $0.note }

    static let table = RowTable<ReviewItem>(
        "review_items",
        [
            sequence, bundleId, kind, subjectKind, subjectId, detail, openedAt, correctionId,
            resolvedAt.ofOptional(written: .elsewhere) { $0.resolution },
            resolvedBy.ofOptional(written: .elsewhere) { $0.resolution },
            note.ofOptional(written: .elsewhere) { $0.resolution },
        ]
    )
    static let resolution = RowTable<ReviewResolution>("review_items", [resolvedAt, resolvedBy, note])
        .update(where: "sequence = ? AND resolved_at IS NULL")

    static func record(_ row: any SQLRow) throws(LedgerError) -> ReviewItem {
        let (kindOfSubject, id) = (try subjectKind.read(from: row), try subjectId.read(from: row))
        guard let subject = ReviewSubject(kind: kindOfSubject, id: id) else {
            throw .corrupt("a review item is about the unknown \(kindOfSubject) \(id)")
        }
        var resolution: ReviewResolution?
        if let at = try resolvedAt.readIfPresent(from: row) {
            resolution = ReviewResolution(
                resolvedAt: at,
                by: try resolvedBy.read(from: row),
                note: try note.read(from: row)
            )
        }
        return ReviewItem(
            sequence: try sequence.read(from: row),
            bundleId: try bundleId.read(from: row),
            kind: try kind.read(from: row),
            subject: subject,
            detail: try detail.read(from: row),
            openedAt: try openedAt.read(from: row),
            correctionId: try correctionId.read(from: row),
            resolution: resolution
        )
    }
}

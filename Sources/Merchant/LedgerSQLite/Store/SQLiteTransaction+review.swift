import ExternalPurchaseCore
import GRDB
import Ledger

extension SQLiteTransaction {
    func reviewItems(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [ReviewItem] {
        try rows(.reviewItems, filter, page).decoded(reviewItem)
    }

    func openReviewItems(_ page: LedgerPage) throws(LedgerError) -> [ReviewItem] {
        try rows(Query.openReview, [page.after, page.bound]).decoded(reviewItem)
    }

    func openReviewItems(
        of kind: ReviewKind,
        app bundleId: BundleId
    ) throws(LedgerError) -> [ReviewItem] {
        try rows(Query.openReviewOfKind, [bundleId.rawValue, kind.rawValue]).decoded(reviewItem)
    }

    func reviewItems(
        about subject: ReviewSubject,
        app bundleId: BundleId
    ) throws(LedgerError) -> [ReviewItem] {
        try rows(Query.reviewAbout, [bundleId.rawValue, subject.columns.kind, subject.columns.id])
            .decoded(reviewItem)
    }

    func insertRow(of item: ReviewItem) throws(LedgerError) -> Int64 {
        try insert(
            """
            INSERT INTO attention_items (bundle_id, kind, subject_kind, subject_id, detail, opened_at, correction_id)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                item.bundleId.rawValue, item.kind.rawValue, item.subject.columns.kind, item.subject.columns.id,
                item.detail, item.openedAt.milliseconds, item.correctionId?.rawValue,
            ]
        )
    }

    func resolveRow(_ sequence: Int64, _ resolution: ReviewResolution) throws(LedgerError) -> Int64 {
        try change(
            """
            UPDATE attention_items SET resolved_at = ?, resolved_by = ?, note = ?
            WHERE sequence = ? AND resolved_at IS NULL
            """,
            [resolution.resolvedAt.milliseconds, resolution.by, resolution.note, sequence],
            otherwise: "no such open item"
        )
    }

    private func reviewItem(_ row: Row) throws(LedgerError) -> ReviewItem {
        let (kind, id) = (try row.text("subject_kind"), try row.text("subject_id"))
        guard let subject = ReviewSubject(kind: kind, id: id) else {
            throw .corrupt("an attention item is about the unknown \(kind) \(id)")
        }
        var resolution: ReviewResolution?
        if let resolvedAt = try row.optionalTime("resolved_at") {
            resolution = ReviewResolution(
                resolvedAt: resolvedAt,
                by: try row.text("resolved_by"),
                note: try row.text("note")
            )
        }
        return ReviewItem(
            sequence: try row.integer("sequence"),
            bundleId: BundleId(try row.text("bundle_id")),
            kind: ReviewKind(rawValue: try row.text("kind")),
            subject: subject,
            detail: try row.text("detail"),
            openedAt: try row.time("opened_at"),
            correctionId: try row.optionalText("correction_id").map { CorrectionId($0) },
            resolution: resolution
        )
    }
}

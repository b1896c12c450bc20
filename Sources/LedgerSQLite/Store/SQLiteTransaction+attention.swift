import ExternalPurchaseCore
import GRDB
import Ledger

extension SQLiteTransaction {
    func attentionItems(matching filter: ListFilter, _ page: LedgerPage) throws(LedgerError) -> [AttentionItem] {
        try rows(.attentionItems, filter, page).decoded(attentionItem)
    }

    func openAttentionItems(_ page: LedgerPage) throws(LedgerError) -> [AttentionItem] {
        try rows(Query.openAttention, [page.after, page.bound]).decoded(attentionItem)
    }

    func openAttentionItems(
        of kind: AttentionKind,
        app bundleId: BundleId
    ) throws(LedgerError) -> [AttentionItem] {
        try rows(Query.openAttentionOfKind, [bundleId.rawValue, kind.rawValue]).decoded(attentionItem)
    }

    func attentionItems(
        about subject: AttentionSubject,
        app bundleId: BundleId
    ) throws(LedgerError) -> [AttentionItem] {
        try rows(Query.attentionAbout, [bundleId.rawValue, subject.columns.kind, subject.columns.id])
            .decoded(attentionItem)
    }

    func insertRow(of item: AttentionItem) throws(LedgerError) -> Int64 {
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

    func resolveRow(_ sequence: Int64, _ resolution: AttentionResolution) throws(LedgerError) -> Int64 {
        try change(
            """
            UPDATE attention_items SET resolved_at = ?, resolved_by = ?, note = ?
            WHERE sequence = ? AND resolved_at IS NULL
            """,
            [resolution.resolvedAt.milliseconds, resolution.by, resolution.note, sequence],
            otherwise: "no such open item"
        )
    }

    private func attentionItem(_ row: Row) throws(LedgerError) -> AttentionItem {
        let (kind, id) = (try row.text("subject_kind"), try row.text("subject_id"))
        guard let subject = AttentionSubject(kind: kind, id: id) else {
            throw .corrupt("an attention item is about the unknown \(kind) \(id)")
        }
        var resolution: AttentionResolution?
        if let resolvedAt = try row.optionalTime("resolved_at") {
            resolution = AttentionResolution(
                resolvedAt: resolvedAt,
                by: try row.text("resolved_by"),
                note: try row.text("note")
            )
        }
        return AttentionItem(
            sequence: try row.integer("sequence"),
            bundleId: BundleId(try row.text("bundle_id")),
            kind: AttentionKind(rawValue: try row.text("kind")),
            subject: subject,
            detail: try row.text("detail"),
            openedAt: try row.time("opened_at"),
            correctionId: try row.optionalText("correction_id").map { CorrectionId($0) },
            resolution: resolution
        )
    }
}

extension Migration {
    /// Adds the correction of a review item, and an index of open items by kind.
    static let reviewCorrections = Migration(
        id: "0007-review-corrections",
        sql: """
            ALTER TABLE attention_items ADD COLUMN correction_id TEXT CHECK (correction_id <> '');
            CREATE INDEX attention_open_of_kind ON attention_items (bundle_id, kind, sequence)
                WHERE resolved_at IS NULL;
            CREATE TRIGGER attention_items_keep_their_correction BEFORE UPDATE OF correction_id ON attention_items
            BEGIN SELECT RAISE(ABORT, 'an attention item does not change'); END;
            """
    )
}

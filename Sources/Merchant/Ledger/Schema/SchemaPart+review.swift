extension SchemaPart {
    /// What waits for a person.
    static let review = SchemaPart(
        tables: """
            CREATE TABLE review_items (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                kind TEXT NOT NULL CHECK (kind <> ''),
                subject_kind TEXT NOT NULL CHECK (subject_kind IN ('app', 'token', 'sale', 'report', 'notification')),
                subject_id TEXT NOT NULL,
                detail TEXT NOT NULL,
                -- The correction that the item offers.
                correction_id TEXT CHECK (correction_id <> ''),
                opened_at INTEGER NOT NULL,
                resolved_at INTEGER,
                resolved_by TEXT CHECK (resolved_by <> ''),
                note TEXT,
                CHECK ((resolved_at IS NULL) = (resolved_by IS NULL) AND (resolved_at IS NULL) = (note IS NULL)),
                CHECK ((subject_kind = 'app') = (subject_id = ''))
            ) STRICT;
            CREATE UNIQUE INDEX review_items_once ON review_items (bundle_id, subject_kind, subject_id, kind)
                WHERE resolved_at IS NULL;
            CREATE INDEX review_items_open ON review_items (sequence) WHERE resolved_at IS NULL;
            CREATE INDEX review_items_by_subject ON review_items (bundle_id, subject_kind, subject_id);
            CREATE INDEX review_items_open_of_kind ON review_items (bundle_id, kind, sequence)
                WHERE resolved_at IS NULL;
            CREATE INDEX review_items_of_kind ON review_items (bundle_id, kind);
            CREATE INDEX review_items_by_day ON review_items ((opened_at / 86400000));
            CREATE INDEX review_items_of_refused_keys ON review_items (bundle_id)
                WHERE kind = 'key-refused' AND resolved_at IS NULL;
            """,
        triggers: [
            .refuse(
                .update(of: "sequence, bundle_id, kind, subject_kind, subject_id, detail, correction_id, opened_at"),
                on: "review_items",
                "keep_what_was_found",
                "a review item does not change"
            ),
            .refuse(
                .update(),
                on: "review_items",
                when: "old.resolved_at IS NOT NULL",
                "are_resolved_once",
                "a review item is resolved once"
            ),
            .deleteInPurge("review_items"),
        ]
    )
}

extension SchemaPart {
    static let corrections = SchemaPart(
        tables: """
            CREATE TABLE corrections (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                correction_id TEXT NOT NULL CHECK (correction_id <> ''),
                requested_by TEXT NOT NULL CHECK (requested_by <> ''),
                reason TEXT NOT NULL CHECK (reason <> ''),
                requested_at INTEGER NOT NULL,
                request TEXT NOT NULL CHECK (json_valid(request)),
                dry_run TEXT CHECK (dry_run IS NULL OR json_valid(dry_run)),
                confirmed_at INTEGER,
                confirmed_by TEXT,
                confirmed_note TEXT,
                closed_at INTEGER,
                closed_by TEXT,
                closed_note TEXT,
                UNIQUE (bundle_id, correction_id),
                CHECK ((confirmed_at IS NULL) = (confirmed_by IS NULL)
                    AND (confirmed_at IS NULL) = (confirmed_note IS NULL)),
                CHECK ((closed_at IS NULL) = (closed_by IS NULL) AND (closed_at IS NULL) = (closed_note IS NULL))
            ) STRICT;
            CREATE INDEX corrections_open ON corrections (sequence) WHERE closed_at IS NULL;

            CREATE TABLE correction_reports (
                bundle_id TEXT NOT NULL,
                correction_id TEXT NOT NULL,
                position INTEGER NOT NULL CHECK (position > 0),
                environment TEXT NOT NULL,
                request_key TEXT NOT NULL,
                PRIMARY KEY (bundle_id, correction_id, position),
                UNIQUE (bundle_id, environment, request_key),
                FOREIGN KEY (bundle_id, correction_id) REFERENCES corrections (bundle_id, correction_id),
                FOREIGN KEY (bundle_id, environment, request_key)
                    REFERENCES reports (bundle_id, environment, request_key)
            ) STRICT, WITHOUT ROWID;
            """,
        triggers: [
            .refuse(
                .update(of: "sequence, bundle_id, correction_id, requested_by, reason, requested_at, request"),
                on: "corrections",
                "keep_their_request",
                "the request of a correction does not change"
            ),
            .refuse(
                .update(),
                on: "corrections",
                when: """
                    old.confirmed_at IS NOT NULL AND (
                        new.confirmed_at IS NOT old.confirmed_at OR new.confirmed_by IS NOT old.confirmed_by
                        OR new.confirmed_note IS NOT old.confirmed_note OR new.dry_run IS NOT old.dry_run
                    )
                    """,
                "keep_their_confirmation",
                "a confirmed correction does not change"
            ),
            .refuse(
                .update(),
                on: "corrections",
                when: "old.closed_at IS NOT NULL",
                "are_closed_once",
                "a closed correction does not change"
            ),
            .deleteInPurge("corrections"),
            .neverChange("correction_reports", "reports of a correction are only ever added to"),
            .deleteInPurge("correction_reports"),
        ]
    )
}

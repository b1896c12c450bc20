extension SchemaPart {
    /// The audit log, and the purges that deleted what it tells of.
    static let audit = SchemaPart(
        tables: """
            CREATE TABLE audit_log (
                sequence INTEGER PRIMARY KEY CHECK (sequence > 0),
                time INTEGER NOT NULL,
                kind TEXT NOT NULL CHECK (kind <> ''),
                content TEXT NOT NULL CHECK (json_valid(content)),
                hash BLOB NOT NULL CHECK (length(hash) = 32)
            ) STRICT;
            CREATE INDEX audit_of_kind ON audit_log (kind);
            CREATE INDEX audit_by_day ON audit_log ((time / 86400000));
            CREATE INDEX audit_of_token ON audit_log (
                coalesce(content ->> '$.externalPurchaseId', content ->> '$.token.externalPurchaseId',
                    content ->> '$.attribution.externalPurchaseId', content ->> '$.sale.externalPurchaseId',
                    iif(content ->> '$.about' = 'token', content ->> '$.id', NULL))
            );
            CREATE INDEX audit_of_sale ON audit_log (
                coalesce(content ->> '$.saleId', content ->> '$.sale.saleId',
                    iif(content ->> '$.about' = 'sale', content ->> '$.id', NULL))
            );

            CREATE TABLE purges (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                cut INTEGER NOT NULL,
                purged_at INTEGER NOT NULL,
                purged_by TEXT NOT NULL CHECK (purged_by <> ''),
                head_sequence INTEGER NOT NULL,
                head_hash BLOB NOT NULL CHECK (length(head_hash) = 32),
                removed TEXT NOT NULL CHECK (json_valid(removed)),
                finished INTEGER NOT NULL DEFAULT 0 CHECK (finished IN (0, 1))
            ) STRICT;
            CREATE UNIQUE INDEX purges_open ON purges (finished) WHERE finished = 0;
            """,
        triggers: [
            .refuse(
                .insertion,
                on: "audit_log",
                when: "new.sequence <> 1 + coalesce((SELECT max(sequence) FROM audit_log), 0)",
                "has_no_gaps",
                "an entry of the audit log follows the newest one"
            ),
            .neverChange("audit_log", "the audit log is only ever added to"),
            .neverDelete("audit_log"),
            .refuse(
                .update(),
                on: "purges",
                when: """
                    old.finished = 1 OR new.finished = 0 OR new.cut <> old.cut OR new.removed <> old.removed
                    OR new.head_hash <> old.head_hash OR new.purged_by <> old.purged_by
                    OR new.purged_at <> old.purged_at
                    """,
                "never_change",
                "the record of a purge does not change"
            ),
            .neverDelete("purges"),
        ]
    )
}

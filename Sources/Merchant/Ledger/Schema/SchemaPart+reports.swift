extension SchemaPart {
    /// Reports to Apple and their line items.
    static let reports = SchemaPart(
        tables: """
            CREATE TABLE reports (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL,
                environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
                request_key TEXT NOT NULL CHECK (length(request_key) = 36 AND request_key = lower(request_key)),
                request_identifier TEXT NOT NULL CHECK (lower(request_identifier) = request_key),
                external_purchase_id TEXT NOT NULL,
                status TEXT NOT NULL
                    CHECK (status IN ('LINE_ITEM', 'NO_LINE_ITEM', 'UNRECOGNIZED_TOKEN', 'DUPLICATE_TOKEN')),
                -- The bytes that are sent.
                body BLOB NOT NULL CHECK (length(body) > 0),
                imported INTEGER NOT NULL CHECK (imported IN (0, 1) AND (imported = 0 OR state = 'accepted')),
                written_at INTEGER NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('written', 'sending', 'unknown', 'accepted', 'needsAttention')),
                changed_at INTEGER NOT NULL,
                attempts INTEGER NOT NULL CHECK (attempts >= 0),
                answer_status INTEGER,
                answer_body BLOB,
                answer_at INTEGER,
                answer_conclusion TEXT,
                errors TEXT NOT NULL CHECK (json_valid(errors)),
                withdrawn_at INTEGER CHECK (withdrawn_at IS NULL OR state = 'needsAttention'),
                UNIQUE (bundle_id, environment, request_key),
                FOREIGN KEY (bundle_id, external_purchase_id) REFERENCES tokens (bundle_id, external_purchase_id),
                CHECK ((environment = 'sandbox') = (substr(external_purchase_id, 1, 7) = 'SANDBOX')),
                CHECK ((answer_at IS NULL) = (answer_conclusion IS NULL)
                    AND (answer_at IS NULL) = (answer_body IS NULL))
            ) STRICT;
            CREATE INDEX reports_open ON reports (bundle_id, environment, external_purchase_id)
                WHERE state <> 'accepted';
            -- With status and state, so that one entry answers whether a token has a report of that kind.
            CREATE INDEX reports_of_token ON reports (bundle_id, external_purchase_id, status, state);
            CREATE INDEX reports_in_state ON reports (bundle_id, state);
            CREATE INDEX reports_of_kind ON reports (bundle_id, status);
            CREATE INDEX reports_by_day ON reports ((written_at / 86400000));

            -- Reports that a restart must not forget to write.
            CREATE TABLE report_requests (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL,
                environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
                external_purchase_id TEXT NOT NULL,
                UNIQUE (bundle_id, environment, external_purchase_id)
            ) STRICT;

            -- Where in which report each version of a line item stands; the version itself is in the report's bytes.
            CREATE TABLE sent_items (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL,
                environment TEXT NOT NULL,
                line_item_id TEXT NOT NULL CHECK (line_item_id <> ''),
                creation_date INTEGER,
                request_key TEXT NOT NULL,
                position INTEGER NOT NULL CHECK (position >= 0),
                UNIQUE (bundle_id, environment, request_key, position),
                FOREIGN KEY (bundle_id, environment, request_key)
                    REFERENCES reports (bundle_id, environment, request_key)
            ) STRICT;
            CREATE INDEX sent_items_by_id ON sent_items (bundle_id, environment, line_item_id);
            CREATE INDEX sent_items_by_date ON sent_items (bundle_id, environment, creation_date)
                WHERE creation_date IS NOT NULL;

            -- The versions that Apple has.
            CREATE TABLE accepted_items (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL,
                environment TEXT NOT NULL,
                line_item_id TEXT NOT NULL CHECK (line_item_id <> ''),
                version INTEGER NOT NULL CHECK (version > 0),
                reference_line_item_id TEXT,
                external_purchase_id TEXT NOT NULL,
                request_key TEXT NOT NULL,
                content TEXT NOT NULL CHECK (json_valid(content)),
                UNIQUE (bundle_id, environment, line_item_id, version),
                FOREIGN KEY (bundle_id, environment, request_key)
                    REFERENCES reports (bundle_id, environment, request_key)
            ) STRICT;
            CREATE INDEX accepted_by_reference ON accepted_items (bundle_id, environment, reference_line_item_id)
                WHERE reference_line_item_id IS NOT NULL;
            """,
        triggers: [
            .refuse(
                .update(
                    of: """
                        sequence, bundle_id, environment, request_key, request_identifier, external_purchase_id, \
                        status, body, imported, written_at
                        """
                ),
                on: "reports",
                "keep_their_bytes",
                "a written report does not change"
            ),
            .refuse(
                .update(),
                on: "reports",
                when: "old.state = 'accepted'",
                "stay_accepted",
                "an accepted report does not change"
            ),
            .refuse(
                .update(of: "withdrawn_at"),
                on: "reports",
                when: "new.withdrawn_at IS NOT NULL AND old.state <> 'needsAttention'",
                "are_withdrawn_when_refused",
                "only a report that was refused is withdrawn"
            ),
            .refuse(
                .update(),
                on: "reports",
                when: "old.withdrawn_at IS NOT NULL",
                "stay_withdrawn",
                "a withdrawn report does not change"
            ),
            .deleteInPurge("reports"),
            .run(
                after: .update(of: "state"),
                on: "reports",
                when: "new.state = 'accepted'",
                "tokens_reported_by_answer",
                reportedAt
            ),
            .run(
                after: .insertion,
                on: "reports",
                when: "new.state = 'accepted'",
                "tokens_reported_elsewhere",
                reportedAt
            ),
            .neverChange("sent_items", "sent line items are only ever added to"),
            .deleteInPurge("sent_items"),
            .neverChange("accepted_items", "an accepted line item does not change"),
            .deleteInPurge("accepted_items"),
        ]
    )

    private static let reportedAt = """
        UPDATE tokens SET reported_at = new.changed_at
            WHERE bundle_id = new.bundle_id AND external_purchase_id = new.external_purchase_id
                AND reported_at IS NULL;
        """
}

extension SchemaPart {
    /// The deadlines of unreported rows, so that lists, queues, alerts and metrics read an index.
    static let deadlines = SchemaPart(
        tables: """
            CREATE TABLE deadline_rules (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                version TEXT NOT NULL CHECK (version <> ''),
                since INTEGER NOT NULL
            ) STRICT;

            -- Rows are derived from tokens and sales. Only open ones have one, so that the table stays small.
            CREATE TABLE deadlines (
                is_line_item INTEGER NOT NULL CHECK (is_line_item IN (0, 1)),
                -- Of the token or of the sale.
                sequence INTEGER NOT NULL,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                environment TEXT CHECK (environment IN ('sandbox', 'production')),
                standing TEXT NOT NULL CHECK (standing IN ('scheduled', 'waiting', 'review')),
                is_unconfirmed INTEGER NOT NULL CHECK (is_unconfirmed IN (0, 1)),
                created_at INTEGER NOT NULL,
                due_at INTEGER,
                send_at INTEGER,
                review_at INTEGER,
                -- The rules that computed the row; -1 before the first time, 0 since the token or sale changed.
                rules INTEGER NOT NULL CHECK (rules >= -1),
                PRIMARY KEY (is_line_item, sequence)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX deadlines_in_order ON deadlines (
                bundle_id, standing, due_at, created_at, is_line_item, sequence, environment, is_unconfirmed, review_at,
                rules
            );
            CREATE INDEX deadlines_to_send ON deadlines (bundle_id, environment, is_line_item, send_at, sequence)
                WHERE send_at IS NOT NULL;
            CREATE INDEX deadlines_by_rules ON deadlines (rules);
            """,
        triggers: [.neverDelete("deadline_rules")]
    )
}

extension Migration {
    /// Stores the deadlines of unreported rows, so that lists, queues, alerts and metrics read an index.
    ///
    /// The deadlines are computed later in batches, because their rules cannot be expressed in SQL.
    static let deadlines = Migration(
        id: "0013-deadlines",
        sql: """
            CREATE TABLE deadline_rules (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                version TEXT NOT NULL CHECK (version <> ''),
                since INTEGER NOT NULL
            ) STRICT;
            CREATE TRIGGER deadline_rules_are_never_deleted BEFORE DELETE ON deadline_rules
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from deadline_rules'); END;
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
            CREATE INDEX attention_of_refused_keys ON attention_items (bundle_id)
                WHERE kind = 'key-refused' AND resolved_at IS NULL;

            INSERT INTO deadlines
            SELECT 0, sequence, bundle_id, environment, 'scheduled', 0, creation_date, NULL, NULL, NULL, -1
            FROM tokens INDEXED BY tokens_open WHERE reported_at IS NULL;
            INSERT INTO deadlines
            SELECT 1, sequence, bundle_id, environment, 'scheduled', 0, occurred_at, NULL, NULL, NULL, -1
            FROM sales INDEXED BY sales_in_turn
            WHERE state = 'planned' AND request_key IS NULL AND export_id IS NULL;
            INSERT INTO deadlines
            SELECT 1, sequence, bundle_id, environment, 'scheduled', 0, occurred_at, NULL, NULL, NULL, -1
            FROM sales INDEXED BY sales_held WHERE state = 'held' AND export_id IS NULL;
            INSERT INTO deadlines
            SELECT 1, sales.sequence, sales.bundle_id, sales.environment, 'scheduled', 0, sales.occurred_at, NULL, NULL,
                NULL, -1
            FROM reports INDEXED BY reports_open CROSS JOIN sales INDEXED BY sales_of_report
                ON sales.bundle_id = reports.bundle_id AND sales.environment = reports.environment
                    AND sales.request_key = reports.request_key
            WHERE reports.state <> 'accepted';
            """
    )
}

extension Migration {
    /// Adds alerts and withdrawn reports.
    static let alerts = Migration(
        id: "0005-escalations",
        sql: """
            CREATE TABLE escalation_messages (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                message_id TEXT NOT NULL UNIQUE CHECK (message_id <> ''),
                made_at INTEGER NOT NULL,
                body BLOB CHECK (length(body) > 0),
                delivered_at INTEGER,
                CHECK ((body IS NULL) = (delivered_at IS NOT NULL))
            ) STRICT;
            CREATE INDEX escalation_messages_waiting ON escalation_messages (sequence) WHERE delivered_at IS NULL;

            CREATE TABLE escalations (
                event_id TEXT PRIMARY KEY CHECK (event_id <> ''),
                crossed_at INTEGER NOT NULL,
                message INTEGER REFERENCES escalation_messages (sequence)
            ) STRICT, WITHOUT ROWID;

            ALTER TABLE reports ADD COLUMN withdrawn_at INTEGER
                CHECK (withdrawn_at IS NULL OR state = 'needsAttention');

            CREATE TRIGGER reports_are_withdrawn_when_refused BEFORE UPDATE OF withdrawn_at ON reports
            WHEN new.withdrawn_at IS NOT NULL AND old.state <> 'needsAttention'
            BEGIN SELECT RAISE(ABORT, 'only a report that was refused is withdrawn'); END;
            CREATE TRIGGER reports_stay_withdrawn BEFORE UPDATE ON reports WHEN old.withdrawn_at IS NOT NULL
            BEGIN SELECT RAISE(ABORT, 'a withdrawn report does not change'); END;
            DROP TRIGGER sales_stay_in_their_report;
            CREATE TRIGGER sales_stay_in_their_report
            BEFORE UPDATE OF state, external_purchase_id, environment, flags, request_key, export_id ON sales
            WHEN (old.request_key IS NOT NULL OR old.export_id IS NOT NULL) AND NOT (
                new.request_key IS NULL AND new.export_id IS NULL AND new.state = old.state
                    AND new.external_purchase_id IS old.external_purchase_id AND new.environment IS old.environment
                    AND new.flags = old.flags AND (
                        EXISTS (
                            SELECT 1 FROM reports WHERE reports.bundle_id = old.bundle_id
                                AND reports.environment = old.environment
                                AND reports.request_key = old.request_key AND reports.withdrawn_at IS NOT NULL
                        ) OR EXISTS (
                            SELECT 1 FROM manual_exports WHERE manual_exports.bundle_id = old.bundle_id
                                AND manual_exports.export_id = old.export_id
                                AND manual_exports.withdrawn_at IS NOT NULL
                        )
                    )
            )
            BEGIN SELECT RAISE(ABORT, 'a report or an export holds the sale'); END;
            CREATE TRIGGER escalation_messages_are_delivered_once BEFORE UPDATE ON escalation_messages
            WHEN old.delivered_at IS NOT NULL OR new.delivered_at IS NULL OR new.sequence <> old.sequence
                OR new.message_id <> old.message_id OR new.made_at <> old.made_at
            BEGIN SELECT RAISE(ABORT, 'a message is delivered once'); END;
            CREATE TRIGGER escalations_never_change BEFORE UPDATE ON escalations
            BEGIN SELECT RAISE(ABORT, 'what was told does not change'); END;
            CREATE TRIGGER escalation_messages_are_never_deleted BEFORE DELETE ON escalation_messages
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from escalation_messages'); END;
            CREATE TRIGGER escalations_are_never_deleted BEFORE DELETE ON escalations
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from escalations'); END;
            """
    )
}

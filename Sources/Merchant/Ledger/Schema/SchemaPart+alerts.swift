extension SchemaPart {
    /// Deadlines that were told to the merchant, and the messages that told them.
    static let alerts = SchemaPart(
        tables: """
            -- The delivery deletes the body.
            CREATE TABLE alert_messages (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                message_id TEXT NOT NULL UNIQUE CHECK (message_id <> ''),
                made_at INTEGER NOT NULL,
                body BLOB CHECK (length(body) > 0),
                delivered_at INTEGER,
                CHECK ((body IS NULL) = (delivered_at IS NOT NULL))
            ) STRICT;
            CREATE INDEX alert_messages_waiting ON alert_messages (sequence) WHERE delivered_at IS NULL;

            CREATE TABLE alerts (
                event_id TEXT PRIMARY KEY CHECK (event_id <> ''),
                crossed_at INTEGER NOT NULL,
                message INTEGER REFERENCES alert_messages (sequence)
            ) STRICT, WITHOUT ROWID;
            """,
        triggers: [
            .refuse(
                .update(),
                on: "alert_messages",
                when: """
                    old.delivered_at IS NOT NULL OR new.delivered_at IS NULL OR new.sequence <> old.sequence
                    OR new.message_id <> old.message_id OR new.made_at <> old.made_at
                    """,
                "are_delivered_once",
                "a message is delivered once"
            ),
            .neverDelete("alert_messages"),
            .neverChange("alerts", "what was told does not change"),
            .neverDelete("alerts"),
        ]
    )
}

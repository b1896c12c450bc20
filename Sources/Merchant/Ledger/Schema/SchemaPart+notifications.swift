extension SchemaPart {
    /// Notifications of Apple.
    static let notifications = SchemaPart(
        tables: """
            -- One that Apple signed may name no app.
            CREATE TABLE notifications (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                uuid TEXT NOT NULL UNIQUE CHECK (uuid <> ''),
                type TEXT NOT NULL CHECK (type <> ''),
                subtype TEXT,
                bundle_id TEXT,
                environment TEXT CHECK (environment IN ('sandbox', 'production')),
                external_purchase_id TEXT,
                signed_date INTEGER NOT NULL,
                payload TEXT CHECK (payload <> ''),
                arrival TEXT NOT NULL CHECK (arrival IN ('delivered', 'history')),
                received_at INTEGER NOT NULL,
                done_at INTEGER,
                effect TEXT,
                CHECK ((done_at IS NULL) = (effect IS NULL))
            ) STRICT;
            CREATE INDEX notifications_to_do ON notifications (sequence) WHERE done_at IS NULL;
            CREATE INDEX notifications_by_type ON notifications (bundle_id, type, signed_date);
            CREATE INDEX notifications_of_token ON notifications (external_purchase_id, bundle_id)
                WHERE external_purchase_id IS NOT NULL;
            CREATE INDEX notifications_of_kind ON notifications (type);
            CREATE INDEX notifications_of_subtype ON notifications (subtype) WHERE subtype IS NOT NULL;
            CREATE INDEX notifications_by_day ON notifications ((received_at / 86400000));

            CREATE TABLE quarantined_notifications (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                uuid TEXT NOT NULL CHECK (uuid <> ''),
                reason TEXT NOT NULL CHECK (reason <> ''),
                payload TEXT NOT NULL,
                received_at INTEGER NOT NULL,
                UNIQUE (uuid, reason)
            ) STRICT;

            -- How often a text was refused as no notification of Apple.
            CREATE TABLE notification_refusals (
                failure TEXT PRIMARY KEY CHECK (failure <> ''),
                count INTEGER NOT NULL CHECK (count > 0),
                last_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            -- The position up to which the history at Apple was read.
            CREATE TABLE notification_history (
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
                position INTEGER NOT NULL,
                PRIMARY KEY (bundle_id, environment)
            ) STRICT, WITHOUT ROWID;
            """,
        triggers: [
            .refuse(
                .update(
                    of: """
                        sequence, uuid, type, subtype, bundle_id, environment, external_purchase_id, signed_date, \
                        payload, arrival, received_at
                        """
                ),
                on: "notifications",
                "keep_what_arrived",
                "a stored notification does not change"
            ),
            .refuse(
                .update(),
                on: "notifications",
                when: "old.done_at IS NOT NULL",
                "are_done_once",
                "a notification is done once"
            ),
            .deleteInPurge("notifications"),
            .neverChange("quarantined_notifications", "quarantined notifications are only ever added to"),
            .deleteInPurge("quarantined_notifications"),
            .neverDelete("notification_refusals"),
            .refuse(
                .update(),
                on: "notification_history",
                when: "new.position < old.position",
                "goes_on",
                "the position in the history does not go back"
            ),
            .neverDelete("notification_history"),
        ]
    )
}

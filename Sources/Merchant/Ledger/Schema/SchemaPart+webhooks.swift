extension SchemaPart {
    /// The migration `0004-webhooks`: what is sent to webhooks.
    ///
    /// It follows from the audit log, which therefore has no entries of it.
    package static let webhooks = """
        -- How far the changes of the ledger became deliveries of a webhook.
        CREATE TABLE webhook_positions (
            webhook TEXT PRIMARY KEY NOT NULL CHECK (webhook <> ''),
            position TEXT NOT NULL CHECK (position <> '')
        ) STRICT;

        CREATE TABLE webhook_deliveries (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            webhook TEXT NOT NULL CHECK (webhook <> ''),
            event_id TEXT NOT NULL CHECK (event_id <> ''),
            type TEXT NOT NULL CHECK (type <> ''),
            -- Empty for a change of all apps.
            bundle_id TEXT NOT NULL,
            subject_kind TEXT NOT NULL CHECK (subject_kind <> ''),
            subject_id TEXT NOT NULL,
            body BLOB NOT NULL CHECK (length(body) > 0),
            made_at INTEGER NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'parked')),
            attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
            -- The first attempt since its making, or since a person had it sent again.
            tried_since INTEGER,
            -- Empty also for one that waits behind an earlier one of its subject.
            next_at INTEGER,
            settled_at INTEGER,
            UNIQUE (webhook, event_id),
            CHECK ((state = 'waiting') = (settled_at IS NULL)),
            CHECK (state = 'waiting' OR next_at IS NULL)
        ) STRICT;
        CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook, next_at, sequence)
            WHERE next_at IS NOT NULL;
        CREATE INDEX webhook_deliveries_of_subject
            ON webhook_deliveries (webhook, bundle_id, subject_kind, subject_id, sequence)
            WHERE state <> 'delivered';
        CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries (state, sequence);
        CREATE INDEX webhook_deliveries_delivered ON webhook_deliveries (settled_at, sequence)
            WHERE state = 'delivered';

        CREATE TABLE webhook_attempts (
            delivery INTEGER NOT NULL REFERENCES webhook_deliveries (sequence),
            number INTEGER NOT NULL CHECK (number > 0),
            attempted_at INTEGER NOT NULL,
            status INTEGER,
            error TEXT CHECK (error <> ''),
            PRIMARY KEY (delivery, number)
        ) STRICT, WITHOUT ROWID;
        """
}

extension SchemaPart {
    /// Events of payment providers, the objects that they name, and objects that were fetched from a provider.
    static let payments = SchemaPart(
        tables: """
            CREATE TABLE payment_events (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                event_id TEXT NOT NULL CHECK (event_id <> ''),
                provider TEXT NOT NULL CHECK (provider <> ''),
                apps TEXT NOT NULL CHECK (json_valid(apps)),
                bundle_id TEXT CHECK (bundle_id <> ''),
                type TEXT NOT NULL CHECK (type <> ''),
                is_live INTEGER NOT NULL CHECK (is_live IN (0, 1)),
                created_at INTEGER NOT NULL,
                arrival TEXT NOT NULL CHECK (arrival IN ('delivered', 'fetched')),
                received_at INTEGER NOT NULL,
                content TEXT NOT NULL CHECK (json_valid(content)),
                customer_id TEXT CHECK (customer_id <> ''),
                objects TEXT NOT NULL CHECK (json_valid(objects)),
                state TEXT NOT NULL CHECK (state IN ('received', 'applied', 'waiting', 'not-used', 'held', 'dismissed')),
                detail TEXT CHECK (detail <> ''),
                sales TEXT NOT NULL CHECK (json_valid(sales)),
                decided_at INTEGER,
                reference TEXT CHECK (reference IN ('referenced', 'waiting', 'unreferenced')),
                payment_id TEXT CHECK (payment_id <> ''),
                payment_currency TEXT CHECK (payment_currency <> ''),
                payment_amount INTEGER,
                interpretation INTEGER,
                -- The app that it is of, or the first of those that it can be of: an index of PostgreSQL has no room for a
                -- list, and one of SQLite does not cover what a generated column is made of.
                app TEXT CHECK (app = coalesce(bundle_id, apps ->> '$[0]')),
                CHECK ((state = 'received') = (decided_at IS NULL)),
                CHECK ((payment_id IS NULL) = (payment_amount IS NULL)),
                CHECK ((payment_id IS NULL) = (payment_currency IS NULL)),
                UNIQUE (provider, event_id)
            ) STRICT;
            -- Most events are applied or not used: the others are found without reading these.
            CREATE INDEX payment_events_received ON payment_events (sequence) WHERE state = 'received';
            CREATE INDEX payment_events_waiting ON payment_events (sequence) WHERE state = 'waiting';
            CREATE INDEX payment_events_held ON payment_events (sequence) WHERE state = 'held';
            CREATE INDEX payment_events_of_payments ON payment_events
                (created_at, is_live, reference, payment_currency, payment_amount, app, payment_id)
                WHERE payment_id IS NOT NULL;
            CREATE INDEX payment_events_by_day ON payment_events ((received_at / 86400000));
            CREATE INDEX payment_events_of_customer ON payment_events (customer_id) WHERE customer_id IS NOT NULL;

            CREATE TABLE payment_event_objects (
                provider TEXT NOT NULL,
                object_id TEXT NOT NULL CHECK (object_id <> ''),
                sequence INTEGER NOT NULL REFERENCES payment_events (sequence),
                PRIMARY KEY (provider, object_id, sequence)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE payment_objects (
                provider TEXT NOT NULL,
                request TEXT NOT NULL CHECK (request <> ''),
                object_id TEXT CHECK (object_id <> ''),
                content TEXT NOT NULL CHECK (json_valid(content)),
                fetched_at INTEGER NOT NULL,
                PRIMARY KEY (provider, request)
            ) STRICT, WITHOUT ROWID;
            """,
        triggers: [
            // Only the erasure of a customer changes what was received.
            .refuse(
                .update(
                    of: "sequence, event_id, provider, apps, type, is_live, created_at, arrival, received_at, objects"
                ),
                on: "payment_events",
                "keep_what_was_received",
                "a stored payment event does not change"
            ),
            .deleteInPurge("payment_events"),
            .deleteInPurge("payment_event_objects"),
            .deleteInPurge("payment_objects"),
        ]
    )
}

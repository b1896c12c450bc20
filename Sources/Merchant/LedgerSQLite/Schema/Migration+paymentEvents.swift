extension Migration {
    /// Adds events of payment providers, the objects that they name, and objects that were fetched from the provider.
    static let paymentEvents = Migration(
        id: "0016-payment-events",
        sql: """
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
                state TEXT NOT NULL CHECK (state IN ('received', 'applied', 'waiting', 'not-used', 'held')),
                detail TEXT CHECK (detail <> ''),
                sales TEXT NOT NULL CHECK (json_valid(sales)),
                decided_at INTEGER,
                CHECK ((state = 'received') = (decided_at IS NULL)),
                UNIQUE (provider, event_id)
            ) STRICT;
            -- Most events are applied or not used: the others are found without reading these.
            CREATE INDEX payment_events_received ON payment_events (sequence) WHERE state = 'received';
            CREATE INDEX payment_events_waiting ON payment_events (sequence) WHERE state = 'waiting';
            CREATE INDEX payment_events_held ON payment_events (sequence) WHERE state = 'held';
            CREATE INDEX payment_events_by_arrival ON payment_events (received_at, sequence);
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

            -- Only the erasure of a customer changes what was received.
            CREATE TRIGGER payment_events_keep_what_was_received
            BEFORE UPDATE OF sequence, event_id, provider, apps, type, is_live, created_at, arrival, received_at, objects
            ON payment_events
            BEGIN SELECT RAISE(ABORT, 'a stored payment event does not change'); END;
            CREATE TRIGGER payment_events_forget_an_erased_customer AFTER UPDATE OF customer_id ON customers
            BEGIN
                UPDATE payment_events SET customer_id = new.customer_id,
                    content = replace(content, json_quote(old.customer_id), json_quote(new.customer_id))
                WHERE customer_id = old.customer_id AND (bundle_id = new.bundle_id OR bundle_id IS NULL);
            END;
            CREATE TRIGGER payment_events_are_never_deleted BEFORE DELETE ON payment_events
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from payment_events'); END;
            CREATE TRIGGER payment_event_objects_are_never_deleted BEFORE DELETE ON payment_event_objects
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from payment_event_objects'); END;
            CREATE TRIGGER payment_objects_are_never_deleted BEFORE DELETE ON payment_objects
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from payment_objects'); END;
            """
    )
}

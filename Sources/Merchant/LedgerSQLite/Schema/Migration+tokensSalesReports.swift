extension Migration {
    static let tokensSalesReports = Migration(
        id: "0001-tokens-sales-reports",
        sql: """
            CREATE TABLE tokens (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                external_purchase_id TEXT NOT NULL CHECK (external_purchase_id <> ''),
                environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
                app_apple_id INTEGER NOT NULL,
                creation_date INTEGER NOT NULL,
                token_type TEXT,
                expiration_date INTEGER,
                text TEXT NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('unconfirmed', 'confirmed', 'unknownToApple')),
                source TEXT NOT NULL CHECK (source IN ('app', 'website', 'notification')),
                first_seen INTEGER NOT NULL,
                checkout_id TEXT NOT NULL CHECK (checkout_id <> ''),
                customer_id TEXT CHECK (customer_id <> ''),
                storefront TEXT CHECK (length(storefront) = 3),
                flags TEXT NOT NULL CHECK (json_valid(flags)),
                UNIQUE (bundle_id, external_purchase_id),
                CHECK ((environment = 'sandbox') = (substr(external_purchase_id, 1, 7) = 'SANDBOX'))
            ) STRICT;
            CREATE INDEX tokens_by_id ON tokens (external_purchase_id);
            CREATE INDEX tokens_by_customer ON tokens (bundle_id, customer_id) WHERE customer_id IS NOT NULL;

            CREATE TABLE tokens_set_aside (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                text TEXT NOT NULL,
                reason TEXT NOT NULL CHECK (reason IN ('foreign', 'undecodable')),
                detail TEXT NOT NULL,
                source TEXT NOT NULL CHECK (source IN ('app', 'website', 'notification')),
                first_seen INTEGER NOT NULL,
                UNIQUE (text, reason)
            ) STRICT;

            CREATE TABLE checkouts (
                bundle_id TEXT NOT NULL,
                checkout_id TEXT NOT NULL CHECK (checkout_id <> ''),
                external_purchase_id TEXT,
                customer_id TEXT CHECK (customer_id <> ''),
                PRIMARY KEY (bundle_id, checkout_id),
                FOREIGN KEY (bundle_id, external_purchase_id) REFERENCES tokens (bundle_id, external_purchase_id)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE reports (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL,
                environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
                request_key TEXT NOT NULL CHECK (length(request_key) = 36 AND request_key = lower(request_key)),
                request_identifier TEXT NOT NULL CHECK (lower(request_identifier) = request_key),
                external_purchase_id TEXT NOT NULL,
                status TEXT NOT NULL
                    CHECK (status IN ('LINE_ITEM', 'NO_LINE_ITEM', 'UNRECOGNIZED_TOKEN', 'DUPLICATE_TOKEN')),
                body BLOB NOT NULL CHECK (length(body) > 0),
                written_at INTEGER NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('written', 'sending', 'unknown', 'accepted', 'needsAttention')),
                changed_at INTEGER NOT NULL,
                attempts INTEGER NOT NULL CHECK (attempts >= 0),
                answer_status INTEGER,
                answer_body BLOB,
                answer_at INTEGER,
                answer_conclusion TEXT,
                errors TEXT NOT NULL CHECK (json_valid(errors)),
                UNIQUE (bundle_id, environment, request_key),
                FOREIGN KEY (bundle_id, external_purchase_id) REFERENCES tokens (bundle_id, external_purchase_id),
                CHECK ((environment = 'sandbox') = (substr(external_purchase_id, 1, 7) = 'SANDBOX')),
                CHECK ((answer_at IS NULL) = (answer_conclusion IS NULL) AND (answer_at IS NULL) = (answer_body IS NULL))
            ) STRICT;
            CREATE INDEX reports_open ON reports (bundle_id, environment, external_purchase_id)
                WHERE state <> 'accepted';
            CREATE INDEX reports_of_token ON reports (bundle_id, external_purchase_id);

            CREATE TABLE sales (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                sale_id TEXT NOT NULL CHECK (sale_id <> ''),
                line_item_id TEXT NOT NULL CHECK (line_item_id <> ''),
                refund_of TEXT,
                content TEXT NOT NULL CHECK (json_valid(content)),
                received_at INTEGER NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('planned', 'held')),
                external_purchase_id TEXT,
                environment TEXT CHECK (environment IN ('sandbox', 'production')),
                flags TEXT NOT NULL CHECK (json_valid(flags)),
                request_key TEXT,
                UNIQUE (bundle_id, sale_id),
                UNIQUE (bundle_id, line_item_id),
                FOREIGN KEY (bundle_id, refund_of) REFERENCES sales (bundle_id, sale_id),
                FOREIGN KEY (bundle_id, external_purchase_id) REFERENCES tokens (bundle_id, external_purchase_id),
                FOREIGN KEY (bundle_id, environment, request_key)
                    REFERENCES reports (bundle_id, environment, request_key),
                CHECK ((external_purchase_id IS NULL) = (environment IS NULL)),
                CHECK (state = 'held' OR external_purchase_id IS NOT NULL),
                CHECK (request_key IS NULL OR state = 'planned')
            ) STRICT;
            CREATE INDEX sales_waiting ON sales (bundle_id, environment, external_purchase_id)
                WHERE state = 'planned' AND request_key IS NULL;
            CREATE INDEX sales_held ON sales (sequence) WHERE state = 'held';
            CREATE INDEX sales_refunds ON sales (bundle_id, refund_of) WHERE refund_of IS NOT NULL;
            CREATE INDEX sales_of_report ON sales (bundle_id, environment, request_key) WHERE request_key IS NOT NULL;

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

            CREATE TRIGGER tokens_keep_what_arrived
            BEFORE UPDATE OF bundle_id, external_purchase_id, text, checkout_id, first_seen ON tokens
            BEGIN SELECT RAISE(ABORT, 'a stored token does not change'); END;
            CREATE TRIGGER reports_keep_their_bytes
            BEFORE UPDATE OF bundle_id, environment, request_key, request_identifier, external_purchase_id, status, body
            ON reports
            BEGIN SELECT RAISE(ABORT, 'a written report does not change'); END;
            CREATE TRIGGER reports_stay_accepted BEFORE UPDATE ON reports WHEN old.state = 'accepted'
            BEGIN SELECT RAISE(ABORT, 'an accepted report does not change'); END;
            CREATE TRIGGER sales_keep_what_was_said
            BEFORE UPDATE OF bundle_id, sale_id, line_item_id, refund_of, content, received_at ON sales
            BEGIN SELECT RAISE(ABORT, 'a stored sale does not change'); END;
            CREATE TRIGGER sales_stay_in_their_report BEFORE UPDATE ON sales WHEN old.request_key IS NOT NULL
            BEGIN SELECT RAISE(ABORT, 'a report holds the sale'); END;
            CREATE TRIGGER accepted_items_never_change BEFORE UPDATE ON accepted_items
            BEGIN SELECT RAISE(ABORT, 'an accepted line item does not change'); END;
            CREATE TRIGGER tokens_are_never_deleted BEFORE DELETE ON tokens
            BEGIN SELECT RAISE(ABORT, 'tokens are never deleted'); END;
            CREATE TRIGGER sales_are_never_deleted BEFORE DELETE ON sales
            BEGIN SELECT RAISE(ABORT, 'sales are never deleted'); END;
            CREATE TRIGGER reports_are_never_deleted BEFORE DELETE ON reports
            BEGIN SELECT RAISE(ABORT, 'reports are never deleted'); END;
            CREATE TRIGGER accepted_items_are_never_deleted BEFORE DELETE ON accepted_items
            BEGIN SELECT RAISE(ABORT, 'accepted line items are never deleted'); END;
            """
    )
}

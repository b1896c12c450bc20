extension Migration {
    /// Adds customers, versions, notifications, review items, corrections, exports and the audit log.
    ///
    /// Three tables of the first migration are recreated, because SQLite cannot relax a constraint in place.
    static let wholeLedger = Migration(
        id: "0002-whole-ledger",
        sql: """
            -- Customers, with the pseudonym that stands for each in the audit log. Erasing a customer changes one row, and
            -- the id goes out of every other table by cascade.
            CREATE TABLE customers (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                customer_id TEXT NOT NULL CHECK (customer_id <> ''),
                pseudonym TEXT NOT NULL UNIQUE CHECK (pseudonym <> ''),
                first_seen INTEGER NOT NULL,
                erased_at INTEGER,
                UNIQUE (bundle_id, customer_id),
                CHECK (erased_at IS NULL OR customer_id = pseudonym)
            ) STRICT;
            INSERT INTO customers (bundle_id, customer_id, pseudonym, first_seen)
                SELECT bundle_id, customer_id, 'customer-' || lower(hex(randomblob(16))), min(seen) FROM (
                    SELECT bundle_id, customer_id, first_seen AS seen FROM tokens
                    UNION ALL SELECT bundle_id, customer_id, 1000 * unixepoch() FROM checkouts
                    UNION ALL SELECT bundle_id, json_extract(content, '$.customerId'), received_at FROM sales
                ) WHERE customer_id IS NOT NULL GROUP BY bundle_id, customer_id ORDER BY min(seen);

            CREATE TABLE corrections (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                correction_id TEXT NOT NULL CHECK (correction_id <> ''),
                requested_by TEXT NOT NULL CHECK (requested_by <> ''),
                reason TEXT NOT NULL CHECK (reason <> ''),
                requested_at INTEGER NOT NULL,
                request TEXT NOT NULL CHECK (json_valid(request)),
                dry_run TEXT CHECK (dry_run IS NULL OR json_valid(dry_run)),
                confirmed_at INTEGER,
                confirmed_by TEXT,
                confirmed_note TEXT,
                closed_at INTEGER,
                closed_by TEXT,
                closed_note TEXT,
                UNIQUE (bundle_id, correction_id),
                CHECK ((confirmed_at IS NULL) = (confirmed_by IS NULL)
                    AND (confirmed_at IS NULL) = (confirmed_note IS NULL)),
                CHECK ((closed_at IS NULL) = (closed_by IS NULL) AND (closed_at IS NULL) = (closed_note IS NULL))
            ) STRICT;
            CREATE INDEX corrections_open ON corrections (sequence) WHERE closed_at IS NULL;

            CREATE TABLE manual_exports (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                export_id TEXT NOT NULL CHECK (export_id <> ''),
                programme TEXT NOT NULL CHECK (programme <> ''),
                month TEXT NOT NULL CHECK (month <> ''),
                made_at INTEGER NOT NULL,
                handed_in_at INTEGER,
                handed_in_by TEXT CHECK (handed_in_by <> ''),
                reference TEXT,
                UNIQUE (bundle_id, export_id),
                CHECK ((handed_in_at IS NULL) = (handed_in_by IS NULL) AND (handed_in_at IS NULL) = (reference IS NULL))
            ) STRICT;

            -- Tokens: the text may be missing while only notifications have named the token.
            CREATE TABLE tokens_new (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                external_purchase_id TEXT NOT NULL CHECK (external_purchase_id <> ''),
                environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
                app_apple_id INTEGER NOT NULL,
                creation_date INTEGER NOT NULL,
                token_type TEXT,
                expiration_date INTEGER,
                text TEXT,
                state TEXT NOT NULL CHECK (state IN ('unconfirmed', 'confirmed', 'unknownToApple')),
                source TEXT NOT NULL CHECK (source IN ('app', 'website', 'notification', 'imported')),
                first_seen INTEGER NOT NULL,
                checkout_id TEXT NOT NULL CHECK (checkout_id <> ''),
                customer_id TEXT CHECK (customer_id <> ''),
                storefront TEXT CHECK (length(storefront) = 3),
                flags TEXT NOT NULL CHECK (json_valid(flags)),
                reported_at INTEGER,
                UNIQUE (bundle_id, external_purchase_id),
                FOREIGN KEY (bundle_id, customer_id) REFERENCES customers (bundle_id, customer_id) ON UPDATE CASCADE,
                CHECK ((environment = 'sandbox') = (substr(external_purchase_id, 1, 7) = 'SANDBOX')),
                CHECK (text IS NOT NULL OR source IN ('notification', 'imported'))
            ) STRICT;
            INSERT INTO tokens_new (sequence, bundle_id, external_purchase_id, environment, app_apple_id,
                creation_date, token_type,
                    expiration_date, text, state, source, first_seen, checkout_id, customer_id, storefront, flags,
                        reported_at)
                SELECT sequence, bundle_id, external_purchase_id, environment, app_apple_id, creation_date, token_type,
                    expiration_date, text, state, source, first_seen, checkout_id, customer_id, storefront, flags,
                    (SELECT min(changed_at) FROM reports WHERE reports.bundle_id = tokens.bundle_id
                        AND reports.external_purchase_id = tokens.external_purchase_id AND reports.state = 'accepted')
                FROM tokens ORDER BY sequence;
            DROP TABLE tokens;
            ALTER TABLE tokens_new RENAME TO tokens;
            CREATE INDEX tokens_by_id ON tokens (external_purchase_id);
            CREATE INDEX tokens_by_customer ON tokens (bundle_id, customer_id) WHERE customer_id IS NOT NULL;
            CREATE INDEX tokens_by_creation ON tokens (bundle_id, environment, creation_date);
            CREATE INDEX tokens_unreported ON tokens (bundle_id, environment, creation_date)
                WHERE reported_at IS NULL AND state <> 'unknownToApple';

            CREATE TABLE token_sightings (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL,
                external_purchase_id TEXT NOT NULL,
                source TEXT NOT NULL CHECK (source IN ('app', 'website', 'notification', 'imported')),
                seen_at INTEGER NOT NULL,
                contradiction TEXT CHECK (contradiction <> ''),
                FOREIGN KEY (bundle_id, external_purchase_id) REFERENCES tokens (bundle_id, external_purchase_id)
            ) STRICT;
            CREATE UNIQUE INDEX token_sightings_once
                ON token_sightings (bundle_id, external_purchase_id, source, coalesce(contradiction, ''));

            CREATE TABLE checkouts_new (
                bundle_id TEXT NOT NULL,
                checkout_id TEXT NOT NULL CHECK (checkout_id <> ''),
                external_purchase_id TEXT,
                customer_id TEXT CHECK (customer_id <> ''),
                PRIMARY KEY (bundle_id, checkout_id),
                FOREIGN KEY (bundle_id, external_purchase_id) REFERENCES tokens (bundle_id, external_purchase_id),
                FOREIGN KEY (bundle_id, customer_id) REFERENCES customers (bundle_id, customer_id) ON UPDATE CASCADE
            ) STRICT, WITHOUT ROWID;
            INSERT INTO checkouts_new SELECT bundle_id, checkout_id, external_purchase_id, customer_id FROM checkouts;
            DROP TABLE checkouts;
            ALTER TABLE checkouts_new RENAME TO checkouts;
            CREATE INDEX checkouts_by_customer ON checkouts (bundle_id, customer_id) WHERE customer_id IS NOT NULL;

            CREATE TABLE link_taps (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                link TEXT NOT NULL CHECK (link <> ''),
                tapped_at INTEGER NOT NULL,
                external_purchase_id TEXT,
                checkout_id TEXT CHECK (checkout_id <> ''),
                FOREIGN KEY (bundle_id, external_purchase_id) REFERENCES tokens (bundle_id, external_purchase_id),
                CHECK (external_purchase_id IS NOT NULL OR checkout_id IS NOT NULL)
            ) STRICT;
            CREATE INDEX link_taps_by_token ON link_taps (bundle_id, external_purchase_id, tapped_at)
                WHERE external_purchase_id IS NOT NULL;
            CREATE INDEX link_taps_by_checkout ON link_taps (bundle_id, checkout_id, tapped_at)
                WHERE checkout_id IS NOT NULL;

            -- Sales: the customer stands beside the content instead of in it, so that the content never changes.
            CREATE TABLE sales_new (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                sale_id TEXT NOT NULL CHECK (sale_id <> ''),
                line_item_id TEXT NOT NULL CHECK (line_item_id <> ''),
                refund_of TEXT,
                customer_id TEXT CHECK (customer_id <> ''),
                subscription_id TEXT CHECK (subscription_id <> ''),
                occurred_at INTEGER NOT NULL,
                content TEXT NOT NULL CHECK (json_valid(content)),
                received_at INTEGER NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('planned', 'held', 'recorded')),
                external_purchase_id TEXT,
                environment TEXT CHECK (environment IN ('sandbox', 'production')),
                flags TEXT NOT NULL CHECK (json_valid(flags)),
                request_key TEXT,
                export_id TEXT,
                version INTEGER NOT NULL DEFAULT 1 CHECK (version > 0),
                UNIQUE (bundle_id, sale_id),
                UNIQUE (bundle_id, line_item_id),
                FOREIGN KEY (bundle_id, refund_of) REFERENCES sales (bundle_id, sale_id),
                FOREIGN KEY (bundle_id, customer_id) REFERENCES customers (bundle_id, customer_id) ON UPDATE CASCADE,
                FOREIGN KEY (bundle_id, external_purchase_id) REFERENCES tokens (bundle_id, external_purchase_id),
                FOREIGN KEY (bundle_id, environment, request_key)
                    REFERENCES reports (bundle_id, environment, request_key),
                FOREIGN KEY (bundle_id, export_id) REFERENCES manual_exports (bundle_id, export_id),
                CHECK (json_type(content, '$.type') = 'text' AND json_type(content, '$.customerId') IS NULL),
                CHECK ((external_purchase_id IS NULL) = (environment IS NULL)),
                CHECK (state <> 'planned' OR external_purchase_id IS NOT NULL),
                CHECK (request_key IS NULL OR state = 'planned'),
                CHECK (request_key IS NULL OR export_id IS NULL)
            ) STRICT;
            INSERT INTO sales_new (sequence, bundle_id, sale_id, line_item_id, refund_of, customer_id,
                subscription_id, occurred_at,
                    content, received_at, state, external_purchase_id, environment, flags, request_key)
                SELECT sequence, bundle_id, sale_id, line_item_id, refund_of, json_extract(content, '$.customerId'),
                    json_extract(content, '$.subscriptionId'),
                    1000 * unixepoch(json_extract(content, '$.occurredAt'))
                        + CAST(substr(strftime('%f', json_extract(content, '$.occurredAt')), 4) AS INTEGER),
                    json_remove(content, '$.customerId'), received_at, state, external_purchase_id, environment,
                        flags, request_key
                FROM sales ORDER BY sequence;
            DROP TABLE sales;
            ALTER TABLE sales_new RENAME TO sales;
            CREATE INDEX sales_waiting ON sales (bundle_id, environment, external_purchase_id)
                WHERE state = 'planned' AND request_key IS NULL AND export_id IS NULL;
            CREATE INDEX sales_held ON sales (sequence) WHERE state = 'held' AND export_id IS NULL;
            CREATE INDEX sales_by_state ON sales (bundle_id, state) WHERE request_key IS NULL AND export_id IS NULL;
            CREATE INDEX sales_refunds ON sales (bundle_id, refund_of) WHERE refund_of IS NOT NULL;
            CREATE INDEX sales_of_report ON sales (bundle_id, environment, request_key) WHERE request_key IS NOT NULL;
            CREATE INDEX sales_of_export ON sales (bundle_id, export_id) WHERE export_id IS NOT NULL;
            CREATE INDEX sales_of_subscription ON sales (bundle_id, subscription_id) WHERE subscription_id IS NOT NULL;
            CREATE INDEX sales_of_customer ON sales (bundle_id, customer_id) WHERE customer_id IS NOT NULL;
            CREATE INDEX sales_of_token ON sales (bundle_id, external_purchase_id)
                WHERE external_purchase_id IS NOT NULL;
            CREATE INDEX sales_by_moment ON sales (bundle_id, occurred_at);

            -- What was said of a sale later; its arrival is version 1.
            CREATE TABLE sale_versions (
                bundle_id TEXT NOT NULL,
                sale_id TEXT NOT NULL,
                version INTEGER NOT NULL CHECK (version > 1),
                customer_id TEXT CHECK (customer_id <> ''),
                line_item_id TEXT NOT NULL CHECK (line_item_id <> ''),
                content TEXT NOT NULL CHECK (json_valid(content)),
                change TEXT NOT NULL CHECK (change IN ('restated', 'retracted', 'restored')),
                said_at INTEGER NOT NULL,
                correction_id TEXT,
                PRIMARY KEY (bundle_id, sale_id, version),
                FOREIGN KEY (bundle_id, sale_id) REFERENCES sales (bundle_id, sale_id),
                FOREIGN KEY (bundle_id, customer_id) REFERENCES customers (bundle_id, customer_id) ON UPDATE CASCADE,
                FOREIGN KEY (bundle_id, correction_id) REFERENCES corrections (bundle_id, correction_id),
                CHECK (json_type(content, '$.type') = 'text' AND json_type(content, '$.customerId') IS NULL)
            ) STRICT;
            CREATE INDEX sale_versions_by_item ON sale_versions (bundle_id, line_item_id);
            CREATE INDEX sale_versions_by_customer ON sale_versions (bundle_id, customer_id)
                WHERE customer_id IS NOT NULL;

            ALTER TABLE reports ADD COLUMN imported INTEGER NOT NULL DEFAULT 0
                CHECK (imported IN (0, 1) AND (imported = 0 OR state = 'accepted'));

            CREATE TABLE correction_reports (
                bundle_id TEXT NOT NULL,
                correction_id TEXT NOT NULL,
                position INTEGER NOT NULL CHECK (position > 0),
                environment TEXT NOT NULL,
                request_key TEXT NOT NULL,
                PRIMARY KEY (bundle_id, correction_id, position),
                UNIQUE (bundle_id, environment, request_key),
                FOREIGN KEY (bundle_id, correction_id) REFERENCES corrections (bundle_id, correction_id),
                FOREIGN KEY (bundle_id, environment, request_key)
                    REFERENCES reports (bundle_id, environment, request_key)
            ) STRICT, WITHOUT ROWID;

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
            INSERT INTO sent_items (bundle_id, environment, line_item_id, creation_date, request_key, position)
                SELECT reports.bundle_id, reports.environment, json_extract(item.value, '$.lineItemId'),
                    json_extract(item.value, '$.creationDate'), reports.request_key, item.key
                FROM reports JOIN json_each(
                    CASE WHEN json_valid(CAST(body AS TEXT)) THEN CAST(body AS TEXT) ELSE '{}' END, '$.lineItems'
                ) AS item
                WHERE reports.status = 'LINE_ITEM' ORDER BY reports.sequence, item.key;

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
            CREATE INDEX notifications_of_token ON notifications (bundle_id, external_purchase_id)
                WHERE external_purchase_id IS NOT NULL;
            CREATE INDEX notifications_by_type ON notifications (bundle_id, type, signed_date);

            CREATE TABLE notifications_set_aside (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                uuid TEXT NOT NULL CHECK (uuid <> ''),
                reason TEXT NOT NULL CHECK (reason <> ''),
                payload TEXT NOT NULL,
                received_at INTEGER NOT NULL,
                UNIQUE (uuid, reason)
            ) STRICT;

            CREATE TABLE notification_refusals (
                failure TEXT PRIMARY KEY CHECK (failure <> ''),
                count INTEGER NOT NULL CHECK (count > 0),
                last_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE notification_history (
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
                position INTEGER NOT NULL,
                PRIMARY KEY (bundle_id, environment)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE attention_items (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                kind TEXT NOT NULL CHECK (kind <> ''),
                subject_kind TEXT NOT NULL CHECK (subject_kind IN ('app', 'token', 'sale', 'report', 'notification')),
                subject_id TEXT NOT NULL,
                detail TEXT NOT NULL,
                opened_at INTEGER NOT NULL,
                resolved_at INTEGER,
                resolved_by TEXT CHECK (resolved_by <> ''),
                note TEXT,
                CHECK ((resolved_at IS NULL) = (resolved_by IS NULL) AND (resolved_at IS NULL) = (note IS NULL)),
                CHECK ((subject_kind = 'app') = (subject_id = ''))
            ) STRICT;
            CREATE UNIQUE INDEX attention_once ON attention_items (bundle_id, subject_kind, subject_id, kind)
                WHERE resolved_at IS NULL;
            CREATE INDEX attention_open ON attention_items (sequence) WHERE resolved_at IS NULL;
            CREATE INDEX attention_by_subject ON attention_items (bundle_id, subject_kind, subject_id);

            CREATE TABLE audit_log (
                sequence INTEGER PRIMARY KEY CHECK (sequence > 0),
                time INTEGER NOT NULL,
                kind TEXT NOT NULL CHECK (kind <> ''),
                content TEXT NOT NULL CHECK (json_valid(content)),
                hash BLOB NOT NULL CHECK (length(hash) = 32)
            ) STRICT;

            CREATE TRIGGER audit_log_has_no_gaps BEFORE INSERT ON audit_log
            WHEN new.sequence <> 1 + coalesce((SELECT max(sequence) FROM audit_log), 0)
            BEGIN SELECT RAISE(ABORT, 'an entry of the audit log follows the newest one'); END;
            CREATE TRIGGER tokens_keep_what_arrived
            BEFORE UPDATE OF sequence, external_purchase_id, environment, app_apple_id, creation_date, source,
                first_seen,
                checkout_id ON tokens
            BEGIN SELECT RAISE(ABORT, 'a stored token does not change'); END;
            CREATE TRIGGER tokens_are_completed_once BEFORE UPDATE OF text, token_type, expiration_date ON tokens
            WHEN (old.text IS NOT NULL)
                OR (old.token_type IS NOT NULL AND new.token_type IS NOT old.token_type)
                OR (old.expiration_date IS NOT NULL AND new.expiration_date IS NOT old.expiration_date)
            BEGIN SELECT RAISE(ABORT, 'the first known values of a token stay'); END;
            CREATE TRIGGER tokens_keep_their_first_report BEFORE UPDATE OF reported_at ON tokens
            WHEN old.reported_at IS NOT NULL
            BEGIN SELECT RAISE(ABORT, 'the first accepted report of a token stays the first'); END;
            CREATE TRIGGER tokens_reported_by_answer AFTER UPDATE OF state ON reports WHEN new.state = 'accepted'
            BEGIN
                UPDATE tokens SET reported_at = new.changed_at WHERE bundle_id = new.bundle_id
                    AND external_purchase_id = new.external_purchase_id AND reported_at IS NULL;
            END;
            CREATE TRIGGER tokens_reported_elsewhere AFTER INSERT ON reports WHEN new.state = 'accepted'
            BEGIN
                UPDATE tokens SET reported_at = new.changed_at WHERE bundle_id = new.bundle_id
                    AND external_purchase_id = new.external_purchase_id AND reported_at IS NULL;
            END;
            CREATE TRIGGER reports_keep_their_origin BEFORE UPDATE OF sequence, imported, written_at ON reports
            BEGIN SELECT RAISE(ABORT, 'a written report does not change'); END;
            CREATE TRIGGER sales_keep_what_was_said
            BEFORE UPDATE OF sequence, sale_id, line_item_id, refund_of, subscription_id, occurred_at, content,
                received_at ON sales
            BEGIN SELECT RAISE(ABORT, 'a stored sale does not change'); END;
            CREATE TRIGGER sales_stay_in_their_report
            BEFORE UPDATE OF state, external_purchase_id, environment, flags, request_key, export_id ON sales
            WHEN old.request_key IS NOT NULL OR old.export_id IS NOT NULL
            BEGIN SELECT RAISE(ABORT, 'a report or an export holds the sale'); END;
            CREATE TRIGGER sales_have_their_own_item BEFORE INSERT ON sales WHEN EXISTS (
                SELECT 1 FROM sale_versions AS other
                WHERE other.bundle_id = new.bundle_id AND other.line_item_id = new.line_item_id
            )
            BEGIN SELECT RAISE(ABORT, 'the line item is another sale''s'); END;
            CREATE TRIGGER sale_versions_follow_one_another BEFORE INSERT ON sale_versions WHEN new.version IS NOT (
                SELECT version + 1 FROM sales WHERE sales.bundle_id = new.bundle_id AND sales.sale_id = new.sale_id
            )
            BEGIN SELECT RAISE(ABORT, 'the version does not follow the newest one'); END;
            CREATE TRIGGER sale_versions_have_their_own_item BEFORE INSERT ON sale_versions WHEN EXISTS (
                SELECT 1 FROM sales AS other WHERE other.bundle_id = new.bundle_id
                    AND other.line_item_id = new.line_item_id
                    AND other.sale_id <> new.sale_id
            ) OR EXISTS (
                SELECT 1 FROM sale_versions AS other WHERE other.bundle_id = new.bundle_id
                    AND other.line_item_id = new.line_item_id AND other.sale_id <> new.sale_id
            )
            BEGIN SELECT RAISE(ABORT, 'the line item is another sale''s'); END;
            CREATE TRIGGER sales_take_their_newest_version AFTER INSERT ON sale_versions
            BEGIN
                UPDATE sales SET version = new.version WHERE bundle_id = new.bundle_id AND sale_id = new.sale_id;
            END;
            CREATE TRIGGER sale_versions_never_change
            BEFORE UPDATE OF sale_id, version, line_item_id, content, change, said_at, correction_id ON sale_versions
            BEGIN SELECT RAISE(ABORT, 'a version of a sale does not change'); END;
            CREATE TRIGGER customers_keep_their_pseudonym
            BEFORE UPDATE OF sequence, bundle_id, pseudonym, first_seen ON customers
            BEGIN SELECT RAISE(ABORT, 'a pseudonym does not change'); END;
            CREATE TRIGGER customers_are_renamed_by_erasure BEFORE UPDATE ON customers
            WHEN old.erased_at IS NOT NULL OR new.erased_at IS NULL
            BEGIN SELECT RAISE(ABORT, 'a customer changes by erasure only, and once'); END;
            CREATE TRIGGER notifications_keep_what_arrived
            BEFORE UPDATE OF sequence, uuid, type, subtype, bundle_id, environment, external_purchase_id,
                signed_date, payload,
                arrival, received_at ON notifications
            BEGIN SELECT RAISE(ABORT, 'a stored notification does not change'); END;
            CREATE TRIGGER notifications_are_done_once BEFORE UPDATE ON notifications WHEN old.done_at IS NOT NULL
            BEGIN SELECT RAISE(ABORT, 'a notification is done once'); END;
            CREATE TRIGGER notification_history_goes_on BEFORE UPDATE ON notification_history
            WHEN new.position < old.position
            BEGIN SELECT RAISE(ABORT, 'the position in the history does not go back'); END;
            CREATE TRIGGER attention_items_keep_what_was_found
            BEFORE UPDATE OF sequence, bundle_id, kind, subject_kind, subject_id, detail, opened_at ON attention_items
            BEGIN SELECT RAISE(ABORT, 'an attention item does not change'); END;
            CREATE TRIGGER attention_items_are_resolved_once BEFORE UPDATE ON attention_items
            WHEN old.resolved_at IS NOT NULL
            BEGIN SELECT RAISE(ABORT, 'an attention item is resolved once'); END;
            CREATE TRIGGER corrections_keep_their_request
            BEFORE UPDATE OF sequence, bundle_id, correction_id, requested_by, reason, requested_at,
                request ON corrections
            BEGIN SELECT RAISE(ABORT, 'the request of a correction does not change'); END;
            CREATE TRIGGER corrections_keep_their_confirmation BEFORE UPDATE ON corrections
            WHEN old.confirmed_at IS NOT NULL AND (
                new.confirmed_at IS NOT old.confirmed_at OR new.confirmed_by IS NOT old.confirmed_by
                OR new.confirmed_note IS NOT old.confirmed_note OR new.dry_run IS NOT old.dry_run
            )
            BEGIN SELECT RAISE(ABORT, 'a confirmed correction does not change'); END;
            CREATE TRIGGER corrections_are_closed_once BEFORE UPDATE ON corrections WHEN old.closed_at IS NOT NULL
            BEGIN SELECT RAISE(ABORT, 'a closed correction does not change'); END;
            CREATE TRIGGER manual_exports_keep_their_content
            BEFORE UPDATE OF sequence, bundle_id, export_id, programme, month, made_at ON manual_exports
            BEGIN SELECT RAISE(ABORT, 'a manual export does not change'); END;
            CREATE TRIGGER manual_exports_are_handed_in_once BEFORE UPDATE ON manual_exports
            WHEN old.handed_in_at IS NOT NULL
            BEGIN SELECT RAISE(ABORT, 'a manual export is handed in once'); END;
            -- A cascade from the customer sets the whole key, the app included, to what it was.
            CREATE TRIGGER tokens_stay_with_their_app BEFORE UPDATE OF bundle_id ON tokens
            WHEN new.bundle_id <> old.bundle_id
            BEGIN SELECT RAISE(ABORT, 'nothing moves to another app'); END;
            CREATE TRIGGER sales_stay_with_their_app BEFORE UPDATE OF bundle_id ON sales
            WHEN new.bundle_id <> old.bundle_id
            BEGIN SELECT RAISE(ABORT, 'nothing moves to another app'); END;
            CREATE TRIGGER sale_versions_stay_with_their_app BEFORE UPDATE OF bundle_id ON sale_versions
            WHEN new.bundle_id <> old.bundle_id
            BEGIN SELECT RAISE(ABORT, 'nothing moves to another app'); END;
            CREATE TRIGGER checkouts_stay_with_their_app BEFORE UPDATE OF bundle_id ON checkouts
            WHEN new.bundle_id <> old.bundle_id
            BEGIN SELECT RAISE(ABORT, 'nothing moves to another app'); END;
            CREATE TRIGGER token_sightings_never_change BEFORE UPDATE ON token_sightings
            BEGIN SELECT RAISE(ABORT, 'sightings are only ever added to'); END;
            CREATE TRIGGER link_taps_never_change BEFORE UPDATE ON link_taps
            BEGIN SELECT RAISE(ABORT, 'taps are only ever added to'); END;
            CREATE TRIGGER correction_reports_never_change BEFORE UPDATE ON correction_reports
            BEGIN SELECT RAISE(ABORT, 'reports of a correction are only ever added to'); END;
            CREATE TRIGGER sent_items_never_change BEFORE UPDATE ON sent_items
            BEGIN SELECT RAISE(ABORT, 'sent line items are only ever added to'); END;
            CREATE TRIGGER notifications_set_aside_never_change BEFORE UPDATE ON notifications_set_aside
            BEGIN SELECT RAISE(ABORT, 'notifications set aside are only ever added to'); END;
            CREATE TRIGGER audit_log_never_change BEFORE UPDATE ON audit_log
            BEGIN SELECT RAISE(ABORT, 'the audit log is only ever added to'); END;
            CREATE TRIGGER tokens_are_never_deleted BEFORE DELETE ON tokens
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from tokens'); END;
            CREATE TRIGGER token_sightings_are_never_deleted BEFORE DELETE ON token_sightings
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from token_sightings'); END;
            CREATE TRIGGER tokens_set_aside_are_never_deleted BEFORE DELETE ON tokens_set_aside
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from tokens_set_aside'); END;
            CREATE TRIGGER customers_are_never_deleted BEFORE DELETE ON customers
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from customers'); END;
            CREATE TRIGGER checkouts_are_never_deleted BEFORE DELETE ON checkouts
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from checkouts'); END;
            CREATE TRIGGER link_taps_are_never_deleted BEFORE DELETE ON link_taps
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from link_taps'); END;
            CREATE TRIGGER sales_are_never_deleted BEFORE DELETE ON sales
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from sales'); END;
            CREATE TRIGGER sale_versions_are_never_deleted BEFORE DELETE ON sale_versions
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from sale_versions'); END;
            CREATE TRIGGER corrections_are_never_deleted BEFORE DELETE ON corrections
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from corrections'); END;
            CREATE TRIGGER correction_reports_are_never_deleted BEFORE DELETE ON correction_reports
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from correction_reports'); END;
            CREATE TRIGGER manual_exports_are_never_deleted BEFORE DELETE ON manual_exports
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from manual_exports'); END;
            CREATE TRIGGER sent_items_are_never_deleted BEFORE DELETE ON sent_items
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from sent_items'); END;
            CREATE TRIGGER notifications_are_never_deleted BEFORE DELETE ON notifications
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from notifications'); END;
            CREATE TRIGGER notifications_set_aside_are_never_deleted BEFORE DELETE ON notifications_set_aside
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from notifications_set_aside'); END;
            CREATE TRIGGER notification_refusals_are_never_deleted BEFORE DELETE ON notification_refusals
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from notification_refusals'); END;
            CREATE TRIGGER notification_history_are_never_deleted BEFORE DELETE ON notification_history
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from notification_history'); END;
            CREATE TRIGGER attention_items_are_never_deleted BEFORE DELETE ON attention_items
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from attention_items'); END;
            CREATE TRIGGER audit_log_are_never_deleted BEFORE DELETE ON audit_log
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from audit_log'); END;
            """
    )
}

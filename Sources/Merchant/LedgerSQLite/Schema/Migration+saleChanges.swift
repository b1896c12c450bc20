extension Migration {
    /// Adds amended, completed and voided sales, changes that wait for Apple's response, and links made by sales only.
    ///
    /// The search columns of `sales` contain the values of the newest version that was not made by a correction;
    /// `keys_version` is the number of that version, `arrival_customer_id` the customer of the arrival if it differs.
    static let saleChanges = Migration(
        id: "0006-sale-changes",
        sql: """
            ALTER TABLE sales ADD COLUMN keys_version INTEGER NOT NULL DEFAULT 1 CHECK (keys_version > 0);
            ALTER TABLE sales ADD COLUMN arrival_customer_id TEXT CHECK (arrival_customer_id <> '');
            CREATE INDEX sales_of_arrival_customer ON sales (bundle_id, arrival_customer_id)
                WHERE arrival_customer_id IS NOT NULL;

            ALTER TABLE sale_versions ADD COLUMN said_by TEXT CHECK (said_by <> '');
            ALTER TABLE sale_versions ADD COLUMN reason TEXT CHECK (reason <> '');
            ALTER TABLE sale_versions ADD COLUMN refund_of TEXT;
            ALTER TABLE sale_versions ADD COLUMN subscription_id TEXT;
            ALTER TABLE sale_versions ADD COLUMN occurred_at INTEGER;

            -- 1 while nothing but sales said it: such a link goes when the sales do.
            ALTER TABLE checkouts ADD COLUMN token_from_sale INTEGER NOT NULL DEFAULT 0
                CHECK (token_from_sale IN (0, 1));
            ALTER TABLE checkouts ADD COLUMN customer_from_sale INTEGER NOT NULL DEFAULT 0
                CHECK (customer_from_sale IN (0, 1));

            -- Without content the sale is to be voided.
            CREATE TABLE sale_changes (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL,
                sale_id TEXT NOT NULL,
                customer_id TEXT CHECK (customer_id <> ''),
                content TEXT CHECK (content IS NULL OR json_valid(content)),
                said_by TEXT CHECK (said_by <> ''),
                reason TEXT CHECK (reason <> ''),
                asked_at INTEGER NOT NULL,
                closed_at INTEGER,
                outcome TEXT CHECK (outcome IN ('applied', 'superseded', 'needs-correction', 'impossible')),
                FOREIGN KEY (bundle_id, sale_id) REFERENCES sales (bundle_id, sale_id),
                FOREIGN KEY (bundle_id, customer_id) REFERENCES customers (bundle_id, customer_id) ON UPDATE CASCADE,
                CHECK ((closed_at IS NULL) = (outcome IS NULL)),
                CHECK (json_type(content, '$.customerId') IS NULL)
            ) STRICT;
            CREATE UNIQUE INDEX sale_changes_one_waits ON sale_changes (bundle_id, sale_id) WHERE closed_at IS NULL;
            CREATE INDEX sale_changes_waiting ON sale_changes (sequence) WHERE closed_at IS NULL;
            CREATE INDEX sale_changes_by_sale ON sale_changes (bundle_id, sale_id);
            CREATE INDEX sale_changes_by_customer ON sale_changes (bundle_id, customer_id)
                WHERE customer_id IS NOT NULL;

            DROP TRIGGER sales_keep_what_was_said;
            CREATE TRIGGER sales_keep_what_was_said
            BEFORE UPDATE OF sequence, sale_id, line_item_id, content, received_at ON sales
            BEGIN SELECT RAISE(ABORT, 'a stored sale does not change'); END;
            CREATE TRIGGER sales_are_found_by_a_version
            BEFORE UPDATE OF refund_of, subscription_id, occurred_at, arrival_customer_id, keys_version ON sales
            WHEN (new.keys_version = old.keys_version AND (
                    new.refund_of IS NOT old.refund_of OR new.subscription_id IS NOT old.subscription_id
                    OR new.occurred_at <> old.occurred_at
                )) OR (new.keys_version <> old.keys_version AND new.keys_version <> new.version)
            BEGIN SELECT RAISE(ABORT, 'a stored sale does not change'); END;
            DROP TRIGGER sales_take_their_newest_version;
            CREATE TRIGGER sales_take_their_newest_version AFTER INSERT ON sale_versions
            BEGIN
                UPDATE sales SET version = new.version WHERE bundle_id = new.bundle_id AND sale_id = new.sale_id;
                UPDATE sales SET arrival_customer_id = iif(keys_version = 1, customer_id, arrival_customer_id),
                    customer_id = new.customer_id, refund_of = new.refund_of,
                    subscription_id = new.subscription_id, occurred_at = new.occurred_at, keys_version = new.version
                WHERE bundle_id = new.bundle_id AND sale_id = new.sale_id AND new.occurred_at IS NOT NULL;
            END;
            DROP TRIGGER sale_versions_never_change;
            CREATE TRIGGER sale_versions_never_change
            BEFORE UPDATE OF sale_id, version, line_item_id, content, change, said_at, correction_id, said_by, reason,
                refund_of, subscription_id, occurred_at ON sale_versions
            BEGIN SELECT RAISE(ABORT, 'a version of a sale does not change'); END;
            -- The only column with a customer that no cascade reaches.
            CREATE TRIGGER sales_forget_their_first_customer AFTER UPDATE OF customer_id ON customers
            BEGIN
                UPDATE sales SET arrival_customer_id = new.customer_id
                WHERE bundle_id = new.bundle_id AND arrival_customer_id = old.customer_id;
            END;
            CREATE TRIGGER sale_changes_keep_what_was_asked
            BEFORE UPDATE OF sequence, sale_id, content, said_by, reason, asked_at ON sale_changes
            BEGIN SELECT RAISE(ABORT, 'a change of a sale stays as it was asked for'); END;
            CREATE TRIGGER sale_changes_are_closed_once BEFORE UPDATE OF closed_at, outcome ON sale_changes
            WHEN old.closed_at IS NOT NULL
            BEGIN SELECT RAISE(ABORT, 'a change of a sale is closed once'); END;
            CREATE TRIGGER sale_changes_are_deleted_by_a_purge_only BEFORE DELETE ON sale_changes
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from sale_changes'); END;
            """
    )
}

extension Migration {
    /// Adds refunds that arrive before their purchase, and orders of several products.
    ///
    /// `refund_of` remains for older rows; its foreign key refuses sales that are not stored yet. `takes_back` contains
    /// the referenced sale, stored or not.
    static let orders = Migration(
        id: "0008-orders",
        sql: """
            ALTER TABLE sales ADD COLUMN takes_back TEXT CHECK (takes_back <> '');
            UPDATE sales SET takes_back = refund_of WHERE refund_of IS NOT NULL;
            DROP INDEX sales_refunds;
            CREATE INDEX sales_refunds ON sales (bundle_id, takes_back) WHERE takes_back IS NOT NULL;
            -- The sale whose line a row is.
            ALTER TABLE sales ADD COLUMN part_of TEXT CHECK (part_of <> '');
            CREATE INDEX sales_of_order ON sales (bundle_id, part_of) WHERE part_of IS NOT NULL;
            -- What lists are filtered by, of the newest version.
            ALTER TABLE sales ADD COLUMN checkout_id TEXT;
            ALTER TABLE sales ADD COLUMN product_id TEXT;
            UPDATE sales SET checkout_id = json_extract(content, '$.checkoutId'),
                product_id = json_extract(content, '$.productId');
            UPDATE sales SET checkout_id = (
                    SELECT json_extract(said.content, '$.checkoutId') FROM sale_versions AS said
                    WHERE said.bundle_id = sales.bundle_id AND said.sale_id = sales.sale_id
                        AND said.version = sales.version
                ), product_id = (
                    SELECT json_extract(said.content, '$.productId') FROM sale_versions AS said
                    WHERE said.bundle_id = sales.bundle_id AND said.sale_id = sales.sale_id
                        AND said.version = sales.version
                )
            WHERE version > 1;
            CREATE INDEX sales_of_checkout ON sales (bundle_id, checkout_id) WHERE checkout_id IS NOT NULL;
            CREATE INDEX sales_of_product ON sales (bundle_id, product_id) WHERE product_id IS NOT NULL;
            CREATE INDEX sales_flagged ON sales (bundle_id) WHERE flags <> '[]';
            CREATE INDEX sales_not_planned ON sales (bundle_id, state) WHERE state <> 'planned';
            CREATE TRIGGER sales_stay_where_they_belong BEFORE UPDATE OF refund_of, part_of ON sales
            BEGIN SELECT RAISE(ABORT, 'a stored sale does not change'); END;
            DROP TRIGGER sales_are_found_by_a_version;
            CREATE TRIGGER sales_are_found_by_a_version
            BEFORE UPDATE OF takes_back, subscription_id, occurred_at, arrival_customer_id, keys_version ON sales
            WHEN (new.keys_version = old.keys_version AND (
                    new.takes_back IS NOT old.takes_back OR new.subscription_id IS NOT old.subscription_id
                    OR new.occurred_at <> old.occurred_at
                )) OR (new.keys_version <> old.keys_version AND new.keys_version <> new.version)
            BEGIN SELECT RAISE(ABORT, 'a stored sale does not change'); END;
            DROP TRIGGER sales_take_their_newest_version;
            CREATE TRIGGER sales_take_their_newest_version AFTER INSERT ON sale_versions
            BEGIN
                UPDATE sales SET version = new.version, checkout_id = json_extract(new.content, '$.checkoutId'),
                    product_id = json_extract(new.content, '$.productId')
                WHERE bundle_id = new.bundle_id AND sale_id = new.sale_id;
                UPDATE sales SET arrival_customer_id = iif(keys_version = 1, customer_id, arrival_customer_id),
                    customer_id = new.customer_id, takes_back = new.refund_of,
                    subscription_id = new.subscription_id, occurred_at = new.occurred_at, keys_version = new.version
                WHERE bundle_id = new.bundle_id AND sale_id = new.sale_id AND new.occurred_at IS NOT NULL;
            END;
            CREATE TRIGGER sales_are_parts_of_stored_ones BEFORE INSERT ON sales
            WHEN new.part_of IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM sales AS whole WHERE whole.bundle_id = new.bundle_id AND whole.sale_id = new.part_of
            )
            BEGIN SELECT RAISE(ABORT, 'the sale that the line belongs to is not stored'); END;
            """
    )
}

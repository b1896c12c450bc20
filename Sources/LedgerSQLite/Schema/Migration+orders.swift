extension Migration {
    /// Refunds that arrive before their purchase, and orders of several products.
    ///
    /// `refund_of` keeps the refunds of older rows; its foreign key refuses a sale that is not stored yet. What a sale
    /// refers to, known or not, stands in `takes_back`.
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
            CREATE TRIGGER sales_keep_what_they_refer_to BEFORE UPDATE OF takes_back, part_of ON sales
            BEGIN SELECT RAISE(ABORT, 'a stored sale does not change'); END;
            CREATE TRIGGER sales_are_parts_of_stored_ones BEFORE INSERT ON sales
            WHEN new.part_of IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM sales AS whole WHERE whole.bundle_id = new.bundle_id AND whole.sale_id = new.part_of
            )
            BEGIN SELECT RAISE(ABORT, 'the sale that the line belongs to is not stored'); END;
            """
    )
}

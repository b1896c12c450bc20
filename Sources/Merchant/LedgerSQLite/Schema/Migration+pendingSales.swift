extension Migration {
    /// Adds indexes that find the pending sales of a token or customer without reading reported ones.
    static let pendingSales = Migration(
        id: "0010-pending-sales",
        sql: """
            CREATE INDEX sales_pending_on_token ON sales (bundle_id, external_purchase_id)
                WHERE request_key IS NULL AND export_id IS NULL AND state <> 'recorded';
            CREATE INDEX sales_pending_of_customer ON sales (bundle_id, customer_id)
                WHERE request_key IS NULL AND export_id IS NULL AND state <> 'recorded';
            -- With status and state, so that one entry answers whether a token has a report of that kind.
            DROP INDEX reports_of_token;
            CREATE INDEX reports_of_token ON reports (bundle_id, external_purchase_id, status, state);
            """
    )
}

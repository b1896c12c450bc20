extension Migration {
    /// Adds the columns and indexes by which lists are filtered.
    static let lists = Migration(
        id: "0012-lists",
        sql: """
            CREATE INDEX tokens_in_state ON tokens (bundle_id, state);
            CREATE INDEX tokens_flagged ON tokens (bundle_id) WHERE flags <> '[]';
            CREATE INDEX reports_in_state ON reports (bundle_id, state);
            CREATE INDEX reports_of_kind ON reports (bundle_id, status);
            CREATE INDEX reports_by_moment ON reports (bundle_id, written_at);
            -- A notification may name no app.
            DROP INDEX notifications_of_token;
            CREATE INDEX notifications_of_token ON notifications (external_purchase_id, bundle_id)
                WHERE external_purchase_id IS NOT NULL;
            CREATE INDEX notifications_of_kind ON notifications (type);
            CREATE INDEX notifications_of_subtype ON notifications (subtype) WHERE subtype IS NOT NULL;
            CREATE INDEX notifications_by_arrival ON notifications (received_at);
            CREATE INDEX attention_of_kind ON attention_items (bundle_id, kind);
            CREATE INDEX attention_by_moment ON attention_items (bundle_id, opened_at);
            CREATE INDEX audit_of_kind ON audit_log (kind);
            CREATE INDEX audit_by_time ON audit_log (time);
            CREATE INDEX audit_of_token ON audit_log (
                coalesce(content ->> '$.externalPurchaseId', content ->> '$.token.externalPurchaseId',
                    content ->> '$.attribution.externalPurchaseId', content ->> '$.sale.externalPurchaseId',
                    iif(content ->> '$.about' = 'token', content ->> '$.id', NULL))
            );
            CREATE INDEX audit_of_sale ON audit_log (
                coalesce(content ->> '$.saleId', content ->> '$.sale.saleId',
                    iif(content ->> '$.about' = 'sale', content ->> '$.id', NULL))
            );
            -- Sales whose line item was replaced by another one: the new one may be on another token.
            CREATE INDEX sale_versions_replaced ON sale_versions (bundle_id, sale_id) WHERE line_item_id <> sale_id;
            """
    )
}

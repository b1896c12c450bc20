#if PostgreSQL
extension PostgresMigration {
    /// The indexes.
    static let indexes = """
        CREATE INDEX reports_open ON reports (bundle_id, environment, external_purchase_id)
            WHERE state <> 'accepted';
        CREATE INDEX accepted_by_reference ON accepted_items (bundle_id, environment,
            reference_line_item_id) WHERE reference_line_item_id IS NOT NULL;
        CREATE INDEX corrections_open ON corrections (sequence) WHERE closed_at IS NULL;
        CREATE INDEX tokens_by_id ON tokens (external_purchase_id);
        CREATE INDEX tokens_by_customer ON tokens (bundle_id, customer_id) WHERE customer_id IS NOT NULL;
        CREATE INDEX tokens_by_creation ON tokens (bundle_id, environment, creation_date);
        CREATE UNIQUE INDEX token_sightings_once ON token_sightings (bundle_id, external_purchase_id,
            source, coalesce(contradiction, ''));
        CREATE INDEX checkouts_by_customer ON checkouts (bundle_id, customer_id)
            WHERE customer_id IS NOT NULL;
        CREATE INDEX link_taps_by_token ON link_taps (bundle_id, external_purchase_id, tapped_at)
            WHERE external_purchase_id IS NOT NULL;
        CREATE INDEX link_taps_by_checkout ON link_taps (bundle_id, checkout_id, tapped_at)
            WHERE checkout_id IS NOT NULL;
        CREATE INDEX sales_held ON sales (sequence) WHERE state = 'held' AND export_id IS NULL;
        CREATE INDEX sales_by_state ON sales (bundle_id, state)
            WHERE request_key IS NULL AND export_id IS NULL;
        CREATE INDEX sales_of_report ON sales (bundle_id, environment, request_key)
            WHERE request_key IS NOT NULL;
        CREATE INDEX sales_of_export ON sales (bundle_id, export_id) WHERE export_id IS NOT NULL;
        CREATE INDEX sales_of_subscription ON sales (bundle_id, subscription_id)
            WHERE subscription_id IS NOT NULL;
        CREATE INDEX sales_of_customer ON sales (bundle_id, customer_id) WHERE customer_id IS NOT NULL;
        CREATE INDEX sales_of_token ON sales (bundle_id, external_purchase_id)
            WHERE external_purchase_id IS NOT NULL;
        CREATE INDEX sales_by_moment ON sales (bundle_id, occurred_at);
        CREATE INDEX sale_versions_by_item ON sale_versions (bundle_id, line_item_id);
        CREATE INDEX sale_versions_by_customer ON sale_versions (bundle_id, customer_id)
            WHERE customer_id IS NOT NULL;
        CREATE INDEX sent_items_by_id ON sent_items (bundle_id, environment, line_item_id);
        CREATE INDEX sent_items_by_date ON sent_items (bundle_id, environment, creation_date)
            WHERE creation_date IS NOT NULL;
        CREATE INDEX notifications_to_do ON notifications (sequence) WHERE done_at IS NULL;
        CREATE INDEX notifications_by_type ON notifications (bundle_id, type, signed_date);
        CREATE UNIQUE INDEX attention_once ON attention_items (bundle_id, subject_kind, subject_id, kind)
            WHERE resolved_at IS NULL;
        CREATE INDEX attention_open ON attention_items (sequence) WHERE resolved_at IS NULL;
        CREATE INDEX attention_by_subject ON attention_items (bundle_id, subject_kind, subject_id);
        CREATE INDEX tokens_open ON tokens (bundle_id, environment, creation_date)
            WHERE reported_at IS NULL;
        CREATE INDEX sales_in_turn ON sales (bundle_id, environment, received_at)
            WHERE state = 'planned' AND request_key IS NULL AND export_id IS NULL;
        CREATE UNIQUE INDEX purges_open ON purges (finished) WHERE finished = 0;
        CREATE INDEX escalation_messages_waiting ON escalation_messages (sequence)
            WHERE delivered_at IS NULL;
        CREATE INDEX sales_of_arrival_customer ON sales (bundle_id, arrival_customer_id)
            WHERE arrival_customer_id IS NOT NULL;
        CREATE UNIQUE INDEX sale_changes_one_waits ON sale_changes (bundle_id, sale_id)
            WHERE closed_at IS NULL;
        CREATE INDEX sale_changes_waiting ON sale_changes (sequence) WHERE closed_at IS NULL;
        CREATE INDEX sale_changes_by_sale ON sale_changes (bundle_id, sale_id);
        CREATE INDEX sale_changes_by_customer ON sale_changes (bundle_id, customer_id)
            WHERE customer_id IS NOT NULL;
        CREATE INDEX sales_refunds ON sales (bundle_id, takes_back) WHERE takes_back IS NOT NULL;
        CREATE INDEX sales_of_order ON sales (bundle_id, part_of) WHERE part_of IS NOT NULL;
        CREATE INDEX sales_of_checkout ON sales (bundle_id, checkout_id) WHERE checkout_id IS NOT NULL;
        CREATE INDEX sales_of_product ON sales (bundle_id, product_id) WHERE product_id IS NOT NULL;
        CREATE INDEX sales_not_planned ON sales (bundle_id, state) WHERE state <> 'planned';
        CREATE INDEX sales_pending_on_token ON sales (bundle_id, external_purchase_id)
            WHERE request_key IS NULL AND export_id IS NULL AND state <> 'recorded';
        CREATE INDEX sales_pending_of_customer ON sales (bundle_id, customer_id)
            WHERE request_key IS NULL AND export_id IS NULL AND state <> 'recorded';
        CREATE INDEX reports_of_token ON reports (bundle_id, external_purchase_id, status, state);
        CREATE INDEX attention_open_of_kind ON attention_items (bundle_id, kind, sequence)
            WHERE resolved_at IS NULL;
        CREATE INDEX tokens_in_state ON tokens (bundle_id, state);
        CREATE INDEX reports_in_state ON reports (bundle_id, state);
        CREATE INDEX reports_of_kind ON reports (bundle_id, status);
        CREATE INDEX reports_by_moment ON reports (bundle_id, written_at);
        CREATE INDEX notifications_of_token ON notifications (external_purchase_id, bundle_id)
            WHERE external_purchase_id IS NOT NULL;
        CREATE INDEX notifications_of_kind ON notifications (type);
        CREATE INDEX notifications_of_subtype ON notifications (subtype) WHERE subtype IS NOT NULL;
        CREATE INDEX notifications_by_arrival ON notifications (received_at);
        CREATE INDEX attention_of_kind ON attention_items (bundle_id, kind);
        CREATE INDEX attention_by_moment ON attention_items (bundle_id, opened_at);
        CREATE INDEX audit_of_kind ON audit_log (kind);
        CREATE INDEX audit_by_time ON audit_log (time);
        CREATE INDEX audit_of_token ON audit_log (coalesce(content::jsonb #>> '{externalPurchaseId}',
            content::jsonb #>> '{token,externalPurchaseId}',
                content::jsonb #>> '{attribution,externalPurchaseId}',
                    content::jsonb #>> '{sale,externalPurchaseId}', CASE
                        WHEN content::jsonb #>> '{about}' = 'token' THEN content::jsonb #>> '{id}' END));
        CREATE INDEX audit_of_sale ON audit_log (coalesce(content::jsonb #>> '{saleId}',
            content::jsonb #>> '{sale,saleId}', CASE
                WHEN content::jsonb #>> '{about}' = 'sale' THEN content::jsonb #>> '{id}' END));
        CREATE INDEX sale_versions_replaced ON sale_versions (bundle_id, sale_id)
            WHERE line_item_id <> sale_id;
        CREATE INDEX deadlines_in_order ON deadlines ( bundle_id, standing, due_at, created_at,
            is_line_item, sequence, environment, is_unconfirmed, review_at, rules );
        CREATE INDEX deadlines_to_send ON deadlines (bundle_id, environment, is_line_item, send_at,
            sequence) WHERE send_at IS NOT NULL;
        CREATE INDEX deadlines_by_rules ON deadlines (rules);
        CREATE INDEX attention_of_refused_keys ON attention_items (bundle_id)
            WHERE kind = 'key-refused' AND resolved_at IS NULL;
        CREATE INDEX tokens_flagged ON tokens (bundle_id) WHERE flags <> '[]';
        CREATE INDEX sales_flagged ON sales (bundle_id) WHERE flags <> '[]';
        CREATE INDEX payment_events_received ON payment_events (sequence) WHERE state = 'received';
        CREATE INDEX payment_events_waiting ON payment_events (sequence) WHERE state = 'waiting';
        CREATE INDEX payment_events_held ON payment_events (sequence) WHERE state = 'held';
        CREATE INDEX payment_events_by_arrival ON payment_events (received_at, sequence);
        CREATE INDEX payment_events_of_customer ON payment_events (customer_id)
            WHERE customer_id IS NOT NULL;
        -- A text may be longer than an entry of a tree can be.
        CREATE UNIQUE INDEX tokens_set_aside_once ON tokens_set_aside (md5(text), reason);
        CREATE INDEX tokens_set_aside_by_text ON tokens_set_aside USING hash (text);
        """
}
#endif

import Ledger

extension PostgresMigration {
    /// What the pages of lists are read by, in the order of arrival.
    ///
    /// SQLite's indexes end with the number of the row. Here they end with an expression of it: where many rows match, as it
    /// thinks, PostgreSQL would read all rows in the order of their numbers instead, although the matching ones may be old.
    ///
    /// A version without it reads the same rows, and more of them.
    static let pages = PostgresMigration(
        id: "0008-pages",
        sql: """
            -- Without an element in its FROM, PostgreSQL 15 refuses some statements as soon as it has figures of the tables:
            -- "failed to find unique expression in subplan tlist".
            CREATE OR REPLACE FUNCTION json_each(list text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE PARALLEL SAFE
            AS $$
                SELECT element.value COLLATE "C" FROM jsonb_array_elements_text(list::jsonb) AS element (value)
            $$;

            \(PostgresDialect.definition(SchemaPart.types))
            \(definition(of: SchemaPart.typeOfNewestVersion))

            DROP INDEX tokens_by_customer, tokens_in_state, tokens_noted, tokens_of_sales, tokens_chosen, tokens_refused,
                tokens_without_endpoint, tokens_of_app, tokens_of_kind, tokens_in_sandbox;
            CREATE INDEX tokens_by_customer ON tokens (bundle_id, customer_id, (sequence + 0))
                WHERE customer_id IS NOT NULL;
            CREATE INDEX tokens_in_state ON tokens (bundle_id, state, (sequence + 0));
            CREATE INDEX tokens_noted ON tokens (bundle_id, (sequence + 0)) WHERE notes <> '[]';
            CREATE INDEX tokens_of_sales ON tokens (bundle_id, (sequence + 0)) WHERE customer_source = 'sales';
            CREATE INDEX tokens_chosen ON tokens (bundle_id, (sequence + 0)) WHERE period_choice = 'chosen';
            CREATE INDEX tokens_refused ON tokens (bundle_id, (sequence + 0)) WHERE reporting = 'onRequest';
            CREATE INDEX tokens_without_endpoint ON tokens (bundle_id, (sequence + 0)) WHERE endpoint = 'missing';
            CREATE INDEX tokens_of_app ON tokens ((bundle_id || ''), (sequence + 0));
            CREATE INDEX tokens_of_kind ON tokens (bundle_id, coalesce(token_type, 'none'), (sequence + 0));
            CREATE INDEX tokens_in_sandbox ON tokens ((bundle_id || ''), (sequence + 0)) WHERE environment = 'sandbox';

            DROP INDEX reports_in_state, reports_of_kind, reports_of_app, reports_in_sandbox;
            CREATE INDEX reports_in_state ON reports (bundle_id, state, (sequence + 0));
            CREATE INDEX reports_of_kind ON reports (bundle_id, status, (sequence + 0));
            CREATE INDEX reports_of_app ON reports ((bundle_id || ''), (sequence + 0));
            CREATE INDEX reports_in_sandbox ON reports ((bundle_id || ''), (sequence + 0)) WHERE environment = 'sandbox';

            DROP INDEX sales_by_state, sales_of_subscription, sales_of_customer, sales_of_token, sales_of_order,
                sales_of_checkout, sales_of_product, sales_not_planned, sales_pending_on_token, sales_pending_of_customer,
                sales_with_causes, sales_noted, sales_decided, sales_imported, sales_retracted, sales_held_of_customer,
                sales_pending_of_checkout, sales_of_app, sales_in_sandbox, sales_handed_over;
            CREATE INDEX sales_by_state ON sales (bundle_id, state, (sequence + 0))
                WHERE request_key IS NULL AND export_id IS NULL;
            CREATE INDEX sales_of_subscription ON sales (bundle_id, subscription_id, (sequence + 0))
                WHERE subscription_id IS NOT NULL;
            CREATE INDEX sales_of_customer ON sales (bundle_id, customer_id, (sequence + 0))
                WHERE customer_id IS NOT NULL;
            CREATE INDEX sales_of_token ON sales (bundle_id, external_purchase_id, (sequence + 0))
                WHERE external_purchase_id IS NOT NULL;
            CREATE INDEX sales_of_order ON sales (bundle_id, part_of, (sequence + 0)) WHERE part_of IS NOT NULL;
            CREATE INDEX sales_of_checkout ON sales (bundle_id, checkout_id, (sequence + 0))
                WHERE checkout_id IS NOT NULL;
            CREATE INDEX sales_of_product ON sales (bundle_id, product_id, (sequence + 0)) WHERE product_id IS NOT NULL;
            CREATE INDEX sales_not_planned ON sales (bundle_id, state, (sequence + 0))
                WHERE state <> 'planned' AND has_lines = 0;
            CREATE INDEX sales_pending_on_token ON sales (bundle_id, external_purchase_id, (sequence + 0))
                WHERE request_key IS NULL AND export_id IS NULL AND state <> 'recorded';
            CREATE INDEX sales_pending_of_customer ON sales (bundle_id, customer_id, (sequence + 0))
                WHERE request_key IS NULL AND export_id IS NULL AND state <> 'recorded';
            CREATE INDEX sales_with_causes ON sales (bundle_id, (sequence + 0)) WHERE hold_causes <> '[]';
            CREATE INDEX sales_noted ON sales (bundle_id, (sequence + 0)) WHERE notes <> '[]' OR hold_causes <> '[]';
            CREATE INDEX sales_decided ON sales (bundle_id, (sequence + 0))
                WHERE review = 'closed' OR dispatch = 'apart' OR subscription_decision = 'newSubscription';
            CREATE INDEX sales_imported ON sales (bundle_id, (sequence + 0)) WHERE origin = 'imported';
            CREATE INDEX sales_retracted ON sales (bundle_id, (sequence + 0)) WHERE is_retracted = 1;
            CREATE INDEX sales_held_of_customer ON sales (bundle_id, customer_id, (sequence + 0))
                WHERE state = 'held' AND export_id IS NULL;
            CREATE INDEX sales_pending_of_checkout ON sales (bundle_id, checkout_id, (sequence + 0))
                WHERE request_key IS NULL AND export_id IS NULL AND state <> 'recorded';
            CREATE INDEX sales_of_app ON sales ((bundle_id || ''), (sequence + 0));
            CREATE INDEX sales_of_type ON sales
                (bundle_id, coalesce(retyped, content::jsonb #>> '{type}'), (sequence + 0));
            CREATE INDEX sales_in_sandbox ON sales ((bundle_id || ''), (sequence + 0))
                WHERE coalesce(environment, 'sandbox') = 'sandbox';
            CREATE INDEX sales_handed_over ON sales ((bundle_id || ''), (sequence + 0)) WHERE export_id IS NOT NULL;

            -- A span of time is read from the index alone.
            DROP INDEX tokens_by_creation, sales_by_moment;
            CREATE INDEX tokens_by_creation ON tokens (bundle_id, environment, creation_date, sequence);
            CREATE INDEX sales_by_moment ON sales (bundle_id, occurred_at, sequence);

            DROP INDEX reports_by_day, notifications_by_day, payment_events_by_day, review_items_by_day, audit_by_day;
            CREATE INDEX reports_by_day ON reports ((written_at / 86400000), (sequence + 0));
            CREATE INDEX notifications_by_day ON notifications ((received_at / 86400000), (sequence + 0));
            CREATE INDEX payment_events_by_day ON payment_events ((received_at / 86400000), (sequence + 0));
            CREATE INDEX review_items_by_day ON review_items ((opened_at / 86400000), (sequence + 0));
            CREATE INDEX audit_by_day ON audit_log ((time / 86400000), (sequence + 0));

            DROP INDEX payment_events_of_type, payment_events_of_app, notifications_of_kind, notifications_of_subtype,
                notifications_of_app, review_items_of_kind, review_items_open_of_app, audit_of_kind;
            CREATE INDEX payment_events_of_type ON payment_events (type, (sequence + 0));
            CREATE INDEX payment_events_of_app ON payment_events ((bundle_id || ''), (sequence + 0));
            CREATE INDEX notifications_of_kind ON notifications (type, (sequence + 0));
            CREATE INDEX notifications_of_subtype ON notifications (subtype, (sequence + 0)) WHERE subtype IS NOT NULL;
            CREATE INDEX notifications_of_app ON notifications ((bundle_id || ''), (sequence + 0));
            CREATE INDEX review_items_of_kind ON review_items (bundle_id, kind, (sequence + 0));
            CREATE INDEX review_items_open_of_app ON review_items ((bundle_id || ''), (sequence + 0))
                WHERE resolved_at IS NULL;
            CREATE INDEX audit_of_kind ON audit_log (kind, (sequence + 0));
            CREATE INDEX audit_of_app ON audit_log (
                coalesce(content::jsonb #>> '{bundleId}', content::jsonb #>> '{token,bundleId}',
                    content::jsonb #>> '{sale,bundleId}'),
                (sequence + 0)
            );
            CREATE INDEX audit_of_kind_in_app ON audit_log (
                coalesce(content::jsonb #>> '{bundleId}', content::jsonb #>> '{token,bundleId}',
                    content::jsonb #>> '{sale,bundleId}'),
                kind,
                (sequence + 0)
            );
            CREATE INDEX payment_events_of_type_in_app ON payment_events (bundle_id, type, (sequence + 0));
            CREATE INDEX notifications_of_kind_in_app ON notifications (bundle_id, type, (sequence + 0));
            """,
        onlyAdds: true
    )
}

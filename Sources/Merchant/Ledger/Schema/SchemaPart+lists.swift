extension SchemaPart {
    /// The migration `0003-lists`: an index for each parameter of a list, whose entries stand in the order of arrival.
    ///
    /// Without them a page of an app that has few of many rows, or none of a kind, reads all rows. Those of the app alone are
    /// indexes of an expression, so that no other statement takes them for their order instead of one that finds few rows.
    package static let lists = """
        CREATE INDEX tokens_of_app ON tokens ((bundle_id || ''));
        CREATE INDEX tokens_of_kind ON tokens (bundle_id, coalesce(token_type, 'none'));
        CREATE INDEX tokens_in_sandbox ON tokens ((bundle_id || '')) WHERE environment = 'sandbox';
        CREATE INDEX reports_of_app ON reports ((bundle_id || ''));
        CREATE INDEX reports_in_sandbox ON reports ((bundle_id || '')) WHERE environment = 'sandbox';
        CREATE INDEX sales_of_app ON sales ((bundle_id || ''));
        CREATE INDEX sales_of_purchases ON sales ((bundle_id || '')) WHERE takes_back IS NULL AND subscription_id IS NULL;
        CREATE INDEX sales_taking_back ON sales ((bundle_id || '')) WHERE takes_back IS NOT NULL;
        CREATE INDEX sales_in_subscriptions ON sales ((bundle_id || '')) WHERE subscription_id IS NOT NULL;
        CREATE INDEX sales_in_sandbox ON sales ((bundle_id || '')) WHERE coalesce(environment, 'sandbox') = 'sandbox';
        CREATE INDEX sales_handed_over ON sales ((bundle_id || '')) WHERE export_id IS NOT NULL;
        CREATE INDEX payment_events_dismissed ON payment_events (sequence) WHERE state = 'dismissed';
        CREATE INDEX payment_events_of_type ON payment_events (type);
        CREATE INDEX payment_events_of_app ON payment_events ((bundle_id || ''));
        CREATE INDEX notifications_of_app ON notifications ((bundle_id || ''));
        CREATE INDEX notifications_in_sandbox ON notifications (sequence) WHERE environment = 'sandbox';
        CREATE INDEX review_items_open_of_app ON review_items ((bundle_id || '')) WHERE resolved_at IS NULL;

        INSERT INTO payment_event_objects (provider, object_id, sequence)
        SELECT DISTINCT provider, 'sale:' || told.value, sequence FROM payment_events, json_each(sales) AS told;
        """

    /// The indexes that have the rows of an app in the order of arrival, by the expression `bundle_id || ''`.
    static let ordersOfApps: Set<String> = [
        "tokens_of_app", "tokens_in_sandbox", "reports_of_app", "reports_in_sandbox", "sales_of_app",
        "sales_in_sandbox", "sales_handed_over", "payment_events_of_app",
        "notifications_of_app", "review_items_open_of_app",
    ]
}

extension SchemaPart {
    /// Part of the migration `0008-pages`: the type of a sale's newest version, and the events that an app's review items name.
    ///
    /// Without their indexes a page of a type that few sales have reads all sales of the app, and each event that is applied all
    /// events that wait or are held.
    package static let types = """
        -- The type of the newest version where it is not that of the content.
        ALTER TABLE sales ADD COLUMN retyped TEXT CHECK (retyped <> '');
        UPDATE sales SET retyped = (
            SELECT newest.content ->> '$.type' FROM sale_versions AS newest
            WHERE newest.bundle_id = sales.bundle_id AND newest.sale_id = sales.sale_id AND newest.version = sales.version
        ) WHERE EXISTS (
            SELECT 1 FROM sale_versions AS newest
            WHERE newest.bundle_id = sales.bundle_id AND newest.sale_id = sales.sale_id AND newest.version = sales.version
                AND newest.content ->> '$.type' <> sales.content ->> '$.type'
        ) AND version > 1;
        DROP INDEX sales_of_purchases;
        DROP INDEX sales_taking_back;
        DROP INDEX sales_in_subscriptions;
        CREATE INDEX payment_events_held_of_app ON payment_events (app, sequence) WHERE state = 'held';
        CREATE INDEX payment_events_stuck ON payment_events (app, received_at, sequence)
            WHERE state = 'waiting' AND detail NOT LIKE 'unpaid:%' AND detail NOT LIKE 'refund-pending:%'
                AND detail NOT LIKE 'token:%';
        """

    /// The trigger of ``types``.
    package static let typeOfNewestVersion = SchemaTrigger.run(
        after: .insertion,
        on: "sale_versions",
        "sales_take_their_newest_type",
        """
        UPDATE sales SET retyped = nullif(new.content ->> '$.type', content ->> '$.type')
            WHERE bundle_id = new.bundle_id AND sale_id = new.sale_id
                AND retyped IS NOT nullif(new.content ->> '$.type', content ->> '$.type');
        """
    )
}

extension Migration {
    /// Adds indexes that find what a plan needs of a customer, however many tokens and sales the customer has.
    static let customerHistory = Migration(
        id: "0020-customer-history",
        sql: """
            CREATE INDEX tokens_of_periods ON tokens (bundle_id, customer_id, environment, token_type, creation_date,
                    expiration_date, period_choice, state)
                WHERE customer_id IS NOT NULL AND token_type IS NOT NULL;
            -- Without the tokens whose customer only public arrivals named, of which anybody can make any number.
            CREATE INDEX tokens_of_trusted_periods ON tokens (bundle_id, customer_id, environment, token_type,
                    creation_date, expiration_date)
                WHERE customer_id IS NOT NULL AND token_type IS NOT NULL
                    AND state <> 'unknownToApple'
                    AND (state = 'confirmed' OR customer_claimed = 0 OR customer_source <> 'stated');
            CREATE INDEX tokens_imported ON tokens (bundle_id, customer_id) WHERE source = 'imported';
            CREATE INDEX token_sightings_imported ON token_sightings (bundle_id, external_purchase_id)
                WHERE source = 'imported';
            CREATE INDEX sales_held_of_customer ON sales (bundle_id, customer_id)
                WHERE state = 'held' AND export_id IS NULL;
            CREATE INDEX sales_pending_of_checkout ON sales (bundle_id, checkout_id)
                WHERE request_key IS NULL AND export_id IS NULL AND state <> 'recorded';
            """
    )
}

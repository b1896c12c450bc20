extension Migration {
    /// Adds who says that a token or a customer belongs to a checkout or a token, and the claims of public arrivals.
    ///
    /// What only visits had named so far becomes a claim.
    static let checkoutClaims = Migration(
        id: "0019-checkout-claims",
        sql: """
            ALTER TABLE tokens ADD COLUMN customer_claimed INTEGER NOT NULL DEFAULT 0
                CHECK (customer_claimed IN (0, 1));
            UPDATE tokens SET customer_claimed = 1 WHERE customer_id IS NOT NULL AND source = 'website'
                AND NOT EXISTS (
                    SELECT 1 FROM token_sightings WHERE token_sightings.bundle_id = tokens.bundle_id
                        AND token_sightings.external_purchase_id = tokens.external_purchase_id
                        AND token_sightings.source IN ('app', 'imported')
                );
            CREATE INDEX tokens_claimed ON tokens (bundle_id, customer_id)
                WHERE customer_claimed = 1 AND customer_source = 'stated' AND state <> 'unconfirmed';

            ALTER TABLE checkouts ADD COLUMN token_claim TEXT NOT NULL DEFAULT 'authenticated'
                CHECK (token_claim IN ('authenticated', 'claimed', 'contested', 'replaced'));
            UPDATE checkouts SET token_claim = 'claimed' WHERE token_from_sale = 0 AND EXISTS (
                SELECT 1 FROM tokens WHERE tokens.bundle_id = checkouts.bundle_id
                    AND tokens.external_purchase_id = checkouts.external_purchase_id AND tokens.source = 'website'
                    AND NOT EXISTS (
                        SELECT 1 FROM token_sightings WHERE token_sightings.bundle_id = tokens.bundle_id
                            AND token_sightings.external_purchase_id = tokens.external_purchase_id
                            AND token_sightings.source IN ('app', 'imported')
                    )
            );

            CREATE TABLE checkout_claims (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL,
                checkout_id TEXT NOT NULL CHECK (checkout_id <> ''),
                external_purchase_id TEXT NOT NULL,
                UNIQUE (bundle_id, checkout_id, external_purchase_id),
                FOREIGN KEY (bundle_id, external_purchase_id) REFERENCES tokens (bundle_id, external_purchase_id)
            ) STRICT;
            CREATE INDEX checkout_claims_by_token ON checkout_claims (bundle_id, external_purchase_id);
            CREATE TRIGGER checkout_claims_never_change BEFORE UPDATE ON checkout_claims
            BEGIN SELECT RAISE(ABORT, 'claims are only ever added to'); END;
            CREATE TRIGGER checkout_claims_are_deleted_by_a_purge_only BEFORE DELETE ON checkout_claims
            WHEN NOT EXISTS (SELECT 1 FROM purges WHERE finished = 0)
            BEGIN SELECT RAISE(ABORT, 'nothing is deleted from checkout_claims'); END;
            """
    )
}

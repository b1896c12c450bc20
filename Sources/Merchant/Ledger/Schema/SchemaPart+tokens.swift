extension SchemaPart {
    /// Tokens, the checkouts and taps that they arrived with, and texts that are no tokens of the merchant.
    static let tokens = SchemaPart(
        tables: """
            CREATE TABLE tokens (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                external_purchase_id TEXT NOT NULL CHECK (external_purchase_id <> ''),
                environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
                app_apple_id INTEGER NOT NULL,
                creation_date INTEGER NOT NULL,
                token_type TEXT,
                expiration_date INTEGER,
                -- Missing while only notifications or an import have named the token.
                text TEXT,
                state TEXT NOT NULL CHECK (state IN ('unconfirmed', 'confirmed', 'unknownToApple')),
                source TEXT NOT NULL CHECK (source IN ('app', 'website', 'notification', 'imported')),
                first_seen INTEGER NOT NULL,
                checkout_id TEXT NOT NULL CHECK (checkout_id <> ''),
                customer_id TEXT CHECK (customer_id <> ''),
                customer_source TEXT NOT NULL CHECK (customer_source IN ('stated', 'sales', 'removed')),
                -- 1 while only public arrivals named the customer.
                customer_claimed INTEGER NOT NULL CHECK (customer_claimed IN (0, 1)),
                storefront TEXT CHECK (length(storefront) = 3),
                period_choice TEXT NOT NULL CHECK (period_choice IN ('undecided', 'chosen')),
                reporting TEXT NOT NULL CHECK (reporting IN ('whenDue', 'onRequest')),
                endpoint TEXT NOT NULL CHECK (endpoint IN ('configured', 'missing')),
                notes TEXT NOT NULL CHECK (json_valid(notes)),
                -- The first accepted report, written by a trigger of the reports.
                reported_at INTEGER,
                -- The states that a person reads as flags, and the notes.
                flags TEXT GENERATED ALWAYS AS (
                    '[' || substr(
                        iif(notes = '[]', '', ',' || substr(notes, 2, length(notes) - 2))
                            || iif(customer_source = 'sales', ',"customer-from-sale"', '')
                            || iif(period_choice = 'chosen', ',"chosen-for-period"', '')
                            || iif(reporting = 'onRequest', ',"report-refused"', '')
                            || iif(endpoint = 'missing', ',"no-base-url"', ''),
                        2
                    ) || ']'
                ) VIRTUAL,
                UNIQUE (bundle_id, external_purchase_id),
                FOREIGN KEY (bundle_id, customer_id) REFERENCES customers (bundle_id, customer_id) ON UPDATE CASCADE,
                CHECK ((environment = 'sandbox') = (substr(external_purchase_id, 1, 7) = 'SANDBOX')),
                CHECK (text IS NOT NULL OR source IN ('notification', 'imported'))
            ) STRICT;
            CREATE INDEX tokens_by_id ON tokens (external_purchase_id);
            CREATE INDEX tokens_by_customer ON tokens (bundle_id, customer_id) WHERE customer_id IS NOT NULL;
            CREATE INDEX tokens_by_creation ON tokens (bundle_id, environment, creation_date);
            -- The cost of finding open rows does not depend on the number of reported ones.
            CREATE INDEX tokens_open ON tokens (bundle_id, environment, creation_date) WHERE reported_at IS NULL;
            CREATE INDEX tokens_in_state ON tokens (bundle_id, state);
            -- Where most tokens have one flag, the tokens of another one are found without reading them.
            CREATE INDEX tokens_noted ON tokens (bundle_id) WHERE notes <> '[]';
            CREATE INDEX tokens_of_sales ON tokens (bundle_id) WHERE customer_source = 'sales';
            CREATE INDEX tokens_chosen ON tokens (bundle_id) WHERE period_choice = 'chosen';
            CREATE INDEX tokens_refused ON tokens (bundle_id) WHERE reporting = 'onRequest';
            CREATE INDEX tokens_without_endpoint ON tokens (bundle_id) WHERE endpoint = 'missing';
            CREATE INDEX tokens_claimed ON tokens (bundle_id, customer_id)
                WHERE customer_claimed = 1 AND customer_source = 'stated' AND state <> 'unconfirmed';
            -- What a plan needs of a customer, however many tokens the customer has.
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

            -- Each way by which a token arrived, and what a later arrival contradicted.
            CREATE TABLE token_observations (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL,
                external_purchase_id TEXT NOT NULL,
                source TEXT NOT NULL CHECK (source IN ('app', 'website', 'notification', 'imported')),
                seen_at INTEGER NOT NULL,
                contradiction TEXT CHECK (contradiction <> ''),
                FOREIGN KEY (bundle_id, external_purchase_id) REFERENCES tokens (bundle_id, external_purchase_id)
            ) STRICT;
            CREATE UNIQUE INDEX token_observations_once
                ON token_observations (bundle_id, external_purchase_id, source, coalesce(contradiction, ''));
            CREATE INDEX token_observations_imported ON token_observations (bundle_id, external_purchase_id)
                WHERE source = 'imported';

            -- Its unique index is the engine's own.
            CREATE TABLE quarantined_tokens (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                text TEXT NOT NULL,
                reason TEXT NOT NULL CHECK (reason IN ('foreign', 'undecodable')),
                detail TEXT NOT NULL,
                source TEXT NOT NULL CHECK (source IN ('app', 'website', 'notification')),
                first_seen INTEGER NOT NULL
            ) STRICT;
            -- Old texts go without a purge. Only the oldest, one after another: the newest that goes stands here.
            CREATE TABLE quarantine_expiry (
                singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
                through INTEGER NOT NULL
            ) STRICT;
            INSERT INTO quarantine_expiry (singleton, through) VALUES (1, 0);

            CREATE TABLE checkouts (
                bundle_id TEXT NOT NULL,
                checkout_id TEXT NOT NULL CHECK (checkout_id <> ''),
                external_purchase_id TEXT,
                token_claim TEXT NOT NULL CHECK (token_claim IN ('authenticated', 'claimed', 'contested', 'replaced')),
                customer_id TEXT CHECK (customer_id <> ''),
                -- 1 while nothing but sales said it: such a link goes when the sales do.
                token_from_sale INTEGER NOT NULL CHECK (token_from_sale IN (0, 1)),
                customer_from_sale INTEGER NOT NULL CHECK (customer_from_sale IN (0, 1)),
                PRIMARY KEY (bundle_id, checkout_id),
                FOREIGN KEY (bundle_id, external_purchase_id) REFERENCES tokens (bundle_id, external_purchase_id),
                FOREIGN KEY (bundle_id, customer_id) REFERENCES customers (bundle_id, customer_id) ON UPDATE CASCADE
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX checkouts_by_customer ON checkouts (bundle_id, customer_id) WHERE customer_id IS NOT NULL;
            CREATE INDEX checkouts_of_token ON checkouts (bundle_id, external_purchase_id)
                WHERE external_purchase_id IS NOT NULL;
            -- What public arrivals said of a checkout.
            CREATE TABLE checkout_claims (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL,
                checkout_id TEXT NOT NULL CHECK (checkout_id <> ''),
                external_purchase_id TEXT NOT NULL,
                UNIQUE (bundle_id, checkout_id, external_purchase_id),
                FOREIGN KEY (bundle_id, external_purchase_id) REFERENCES tokens (bundle_id, external_purchase_id)
            ) STRICT;
            CREATE INDEX checkout_claims_by_token ON checkout_claims (bundle_id, external_purchase_id);

            -- Visits of landing addresses.
            CREATE TABLE link_taps (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                link TEXT NOT NULL CHECK (link <> ''),
                tapped_at INTEGER NOT NULL,
                external_purchase_id TEXT,
                checkout_id TEXT CHECK (checkout_id <> ''),
                FOREIGN KEY (bundle_id, external_purchase_id) REFERENCES tokens (bundle_id, external_purchase_id),
                CHECK (external_purchase_id IS NOT NULL OR checkout_id IS NOT NULL)
            ) STRICT;
            CREATE INDEX link_taps_by_token ON link_taps (bundle_id, external_purchase_id, tapped_at)
                WHERE external_purchase_id IS NOT NULL;
            CREATE INDEX link_taps_by_checkout ON link_taps (bundle_id, checkout_id, tapped_at)
                WHERE checkout_id IS NOT NULL;
            """,
        triggers: [
            .refuse(
                .update(
                    of: """
                        sequence, external_purchase_id, environment, app_apple_id, creation_date, source, first_seen, \
                        checkout_id
                        """
                ),
                on: "tokens",
                "keep_what_arrived",
                "a stored token does not change"
            ),
            .refuse(
                .update(of: "text, token_type, expiration_date"),
                on: "tokens",
                when: """
                    (old.text IS NOT NULL)
                    OR (old.token_type IS NOT NULL AND new.token_type IS NOT old.token_type)
                    OR (old.expiration_date IS NOT NULL AND new.expiration_date IS NOT old.expiration_date)
                    """,
                "are_completed_once",
                "the first known values of a token stay"
            ),
            .refuse(
                .update(of: "reported_at"),
                on: "tokens",
                when: "old.reported_at IS NOT NULL",
                "keep_their_first_report",
                "the first accepted report of a token stays the first"
            ),
            .keepApp("tokens"),
            .deleteInPurge("tokens"),
            .neverChange("token_observations", "observations are only ever added to"),
            .deleteInPurge("token_observations"),
            .deleteInPurge(
                "quarantined_tokens",
                unless: "old.sequence <= (SELECT through FROM quarantine_expiry)"
            ),
            .neverDelete("quarantine_expiry"),
            .keepApp("checkouts"),
            .deleteInPurge("checkouts"),
            .neverChange("checkout_claims", "claims are only ever added to"),
            .deleteInPurge("checkout_claims"),
            .neverChange("link_taps", "taps are only ever added to"),
            .deleteInPurge("link_taps"),
        ]
    )
}

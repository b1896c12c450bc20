extension SchemaPart {
    /// Sales, their later versions, and changes that wait for Apple's answer.
    static let sales = SchemaPart(
        tables: """
            -- The content never changes, and has no customer: the customer stands beside it. The columns by which lists
            -- search have the values of the newest version.
            CREATE TABLE sales (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                sale_id TEXT NOT NULL CHECK (sale_id <> ''),
                line_item_id TEXT NOT NULL CHECK (line_item_id <> ''),
                content TEXT NOT NULL CHECK (json_valid(content)),
                received_at INTEGER NOT NULL,
                -- The sale whose line a row is.
                part_of TEXT CHECK (part_of <> ''),
                -- 1 for a sale that its lines represent in lists; written with its lines.
                has_lines INTEGER NOT NULL DEFAULT 0 CHECK (has_lines IN (0, 1)),
                -- 1 while the newest version takes the sale back.
                is_retracted INTEGER NOT NULL DEFAULT 0 CHECK (is_retracted IN (0, 1)),
                version INTEGER NOT NULL DEFAULT 1 CHECK (version > 0),
                -- The version that the search columns are of, and the customer of the arrival if it differs.
                keys_version INTEGER NOT NULL DEFAULT 1 CHECK (keys_version > 0),
                arrival_customer_id TEXT CHECK (arrival_customer_id <> ''),
                customer_id TEXT CHECK (customer_id <> ''),
                -- Of a refund: the sale that it takes back, stored or not.
                takes_back TEXT CHECK (takes_back <> ''),
                subscription_id TEXT CHECK (subscription_id <> ''),
                checkout_id TEXT,
                product_id TEXT,
                occurred_at INTEGER NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('planned', 'held', 'recorded')),
                external_purchase_id TEXT,
                environment TEXT CHECK (environment IN ('sandbox', 'production')),
                hold_causes TEXT NOT NULL CHECK (json_valid(hold_causes)),
                review TEXT NOT NULL CHECK (review IN ('open', 'closed')),
                dispatch TEXT NOT NULL CHECK (dispatch IN ('together', 'apart')),
                subscription_decision TEXT NOT NULL CHECK (subscription_decision IN ('undecided', 'newSubscription')),
                origin TEXT NOT NULL CHECK (origin IN ('merchant', 'imported')),
                notes TEXT NOT NULL CHECK (json_valid(notes)),
                -- The report or the manual export that holds the sale.
                request_key TEXT,
                export_id TEXT,
                -- The states that a person reads as flags, and the notes.
                flags TEXT GENERATED ALWAYS AS (
                    '[' || substr(
                        iif(notes = '[]', '', ',' || substr(notes, 2, length(notes) - 2))
                            || iif(hold_causes = '[]', '', ',' || substr(hold_causes, 2, length(hold_causes) - 2))
                            || iif(review = 'closed', ',"review-closed"', '')
                            || iif(dispatch = 'apart', ',"sent-apart"', '')
                            || iif(subscription_decision = 'newSubscription', ',"new-subscription"', '')
                            || iif(origin = 'imported', ',"imported"', ''),
                        2
                    ) || ']'
                ) VIRTUAL,
                UNIQUE (bundle_id, sale_id),
                UNIQUE (bundle_id, line_item_id),
                FOREIGN KEY (bundle_id, customer_id) REFERENCES customers (bundle_id, customer_id) ON UPDATE CASCADE,
                FOREIGN KEY (bundle_id, external_purchase_id) REFERENCES tokens (bundle_id, external_purchase_id),
                FOREIGN KEY (bundle_id, environment, request_key)
                    REFERENCES reports (bundle_id, environment, request_key),
                FOREIGN KEY (bundle_id, export_id) REFERENCES manual_exports (bundle_id, export_id),
                CHECK (json_type(content, '$.type') = 'text' AND json_type(content, '$.customerId') IS NULL),
                CHECK ((external_purchase_id IS NULL) = (environment IS NULL)),
                CHECK (state <> 'planned' OR external_purchase_id IS NOT NULL),
                CHECK (request_key IS NULL OR state = 'planned'),
                CHECK (request_key IS NULL OR export_id IS NULL)
            ) STRICT;
            CREATE INDEX sales_held ON sales (sequence) WHERE state = 'held' AND export_id IS NULL;
            CREATE INDEX sales_by_state ON sales (bundle_id, state) WHERE request_key IS NULL AND export_id IS NULL;
            CREATE INDEX sales_of_report ON sales (bundle_id, environment, request_key) WHERE request_key IS NOT NULL;
            CREATE INDEX sales_of_export ON sales (bundle_id, export_id) WHERE export_id IS NOT NULL;
            CREATE INDEX sales_of_subscription ON sales (bundle_id, subscription_id) WHERE subscription_id IS NOT NULL;
            CREATE INDEX sales_of_customer ON sales (bundle_id, customer_id) WHERE customer_id IS NOT NULL;
            CREATE INDEX sales_of_token ON sales (bundle_id, external_purchase_id)
                WHERE external_purchase_id IS NOT NULL;
            CREATE INDEX sales_by_moment ON sales (bundle_id, occurred_at);
            -- In the order of their turn: a sale that rests is behind everything that may go.
            CREATE INDEX sales_in_turn ON sales (bundle_id, environment, received_at)
                WHERE state = 'planned' AND request_key IS NULL AND export_id IS NULL;
            CREATE INDEX sales_of_arrival_customer ON sales (bundle_id, arrival_customer_id)
                WHERE arrival_customer_id IS NOT NULL;
            CREATE INDEX sales_refunds ON sales (bundle_id, takes_back) WHERE takes_back IS NOT NULL;
            CREATE INDEX sales_of_order ON sales (bundle_id, part_of) WHERE part_of IS NOT NULL;
            CREATE INDEX sales_of_checkout ON sales (bundle_id, checkout_id) WHERE checkout_id IS NOT NULL;
            CREATE INDEX sales_of_product ON sales (bundle_id, product_id) WHERE product_id IS NOT NULL;
            CREATE INDEX sales_not_planned ON sales (bundle_id, state) WHERE state <> 'planned' AND has_lines = 0;
            -- The pending sales of a token, a customer or a checkout, without reading reported ones.
            CREATE INDEX sales_pending_on_token ON sales (bundle_id, external_purchase_id)
                WHERE request_key IS NULL AND export_id IS NULL AND state <> 'recorded';
            CREATE INDEX sales_pending_of_customer ON sales (bundle_id, customer_id)
                WHERE request_key IS NULL AND export_id IS NULL AND state <> 'recorded';
            -- Where most sales have one flag, the sales of another one are found without reading them.
            CREATE INDEX sales_with_causes ON sales (bundle_id) WHERE hold_causes <> '[]';
            CREATE INDEX sales_noted ON sales (bundle_id) WHERE notes <> '[]' OR hold_causes <> '[]';
            CREATE INDEX sales_decided ON sales (bundle_id)
                WHERE review = 'closed' OR dispatch = 'apart' OR subscription_decision = 'newSubscription';
            CREATE INDEX sales_imported ON sales (bundle_id) WHERE origin = 'imported';
            CREATE INDEX sales_retracted ON sales (bundle_id) WHERE is_retracted = 1;
            CREATE INDEX sales_held_of_customer ON sales (bundle_id, customer_id)
                WHERE state = 'held' AND export_id IS NULL;
            CREATE INDEX sales_pending_of_checkout ON sales (bundle_id, checkout_id)
                WHERE request_key IS NULL AND export_id IS NULL AND state <> 'recorded';
            -- The sales that name a token, whichever token they are reported on.
            CREATE INDEX sales_naming_token ON sales (bundle_id, (content ->> '$.externalPurchaseId'));
            CREATE INDEX sales_of_payment ON sales (bundle_id, (content ->> '$.payment.id'));

            -- What was said of a sale later; its arrival is version 1. In older ledgers a version that a correction made
            -- has no search columns.
            CREATE TABLE sale_versions (
                bundle_id TEXT NOT NULL,
                sale_id TEXT NOT NULL,
                version INTEGER NOT NULL CHECK (version > 1),
                customer_id TEXT CHECK (customer_id <> ''),
                line_item_id TEXT NOT NULL CHECK (line_item_id <> ''),
                content TEXT NOT NULL CHECK (json_valid(content)),
                change TEXT NOT NULL CHECK (change IN ('restated', 'retracted', 'restored')),
                said_at INTEGER NOT NULL,
                said_by TEXT CHECK (said_by <> ''),
                reason TEXT CHECK (reason <> ''),
                correction_id TEXT,
                refund_of TEXT,
                subscription_id TEXT,
                occurred_at INTEGER,
                PRIMARY KEY (bundle_id, sale_id, version),
                FOREIGN KEY (bundle_id, sale_id) REFERENCES sales (bundle_id, sale_id),
                FOREIGN KEY (bundle_id, customer_id) REFERENCES customers (bundle_id, customer_id) ON UPDATE CASCADE,
                FOREIGN KEY (bundle_id, correction_id) REFERENCES corrections (bundle_id, correction_id),
                CHECK (json_type(content, '$.type') = 'text' AND json_type(content, '$.customerId') IS NULL)
            ) STRICT;
            CREATE INDEX sale_versions_by_item ON sale_versions (bundle_id, line_item_id);
            CREATE INDEX sale_versions_by_customer ON sale_versions (bundle_id, customer_id)
                WHERE customer_id IS NOT NULL;
            -- Sales whose line item was replaced by another one: the new one may be on another token.
            CREATE INDEX sale_versions_replaced ON sale_versions (bundle_id, sale_id) WHERE line_item_id <> sale_id;
            CREATE INDEX versions_naming_token ON sale_versions (bundle_id, (content ->> '$.externalPurchaseId'));
            CREATE INDEX versions_of_payment ON sale_versions (bundle_id, (content ->> '$.payment.id'));

            -- Without content the sale is to be voided.
            CREATE TABLE sale_changes (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL,
                sale_id TEXT NOT NULL,
                customer_id TEXT CHECK (customer_id <> ''),
                content TEXT CHECK (content IS NULL OR json_valid(content)),
                said_by TEXT CHECK (said_by <> ''),
                reason TEXT CHECK (reason <> ''),
                asked_at INTEGER NOT NULL,
                closed_at INTEGER,
                outcome TEXT CHECK (outcome IN ('applied', 'superseded', 'needs-correction', 'impossible')),
                FOREIGN KEY (bundle_id, sale_id) REFERENCES sales (bundle_id, sale_id),
                FOREIGN KEY (bundle_id, customer_id) REFERENCES customers (bundle_id, customer_id) ON UPDATE CASCADE,
                CHECK ((closed_at IS NULL) = (outcome IS NULL)),
                CHECK (json_type(content, '$.customerId') IS NULL)
            ) STRICT;
            CREATE UNIQUE INDEX sale_changes_one_waits ON sale_changes (bundle_id, sale_id) WHERE closed_at IS NULL;
            CREATE INDEX sale_changes_waiting ON sale_changes (sequence) WHERE closed_at IS NULL;
            CREATE INDEX sale_changes_by_sale ON sale_changes (bundle_id, sale_id);
            CREATE INDEX sale_changes_by_customer ON sale_changes (bundle_id, customer_id)
                WHERE customer_id IS NOT NULL;
            """,
        triggers: [
            .refuse(
                .insertion,
                on: "sales",
                when: """
                    EXISTS (
                        SELECT 1 FROM sale_versions AS other
                        WHERE other.bundle_id = new.bundle_id AND other.line_item_id = new.line_item_id
                    )
                    """,
                "have_their_own_item",
                "the line item is another sale's"
            ),
            .refuse(
                .insertion,
                on: "sales",
                when: """
                    new.part_of IS NOT NULL AND NOT EXISTS (
                        SELECT 1 FROM sales AS whole
                        WHERE whole.bundle_id = new.bundle_id AND whole.sale_id = new.part_of
                    )
                    """,
                "are_parts_of_stored_ones",
                "the sale that the line belongs to is not stored"
            ),
            .refuse(
                .update(of: "sequence, sale_id, line_item_id, content, received_at, part_of"),
                on: "sales",
                "keep_what_was_said",
                "a stored sale does not change"
            ),
            .refuse(
                .update(of: "takes_back, subscription_id, occurred_at, arrival_customer_id, keys_version"),
                on: "sales",
                when: """
                    (new.keys_version = old.keys_version AND (
                        new.takes_back IS NOT old.takes_back OR new.subscription_id IS NOT old.subscription_id
                        OR new.occurred_at <> old.occurred_at
                    )) OR (new.keys_version <> old.keys_version AND new.keys_version <> new.version)
                    """,
                "are_found_by_a_version",
                "a stored sale does not change"
            ),
            // Nothing of the plan changes while a report or an export holds the sale; only a withdrawn one frees it.
            .refuse(
                .update(
                    of: """
                        state, external_purchase_id, environment, hold_causes, review, dispatch, \
                        subscription_decision, origin, notes, request_key, export_id
                        """
                ),
                on: "sales",
                when: """
                    (old.request_key IS NOT NULL OR old.export_id IS NOT NULL) AND NOT (
                        new.request_key IS NULL AND new.export_id IS NULL AND new.state = old.state
                            AND new.external_purchase_id IS old.external_purchase_id
                            AND new.environment IS old.environment
                            AND new.hold_causes = old.hold_causes AND new.review = old.review
                            AND new.dispatch = old.dispatch
                            AND new.subscription_decision = old.subscription_decision
                            AND new.origin = old.origin AND new.notes = old.notes AND (
                                EXISTS (
                                    SELECT 1 FROM reports WHERE reports.bundle_id = old.bundle_id
                                        AND reports.environment = old.environment
                                        AND reports.request_key = old.request_key AND reports.withdrawn_at IS NOT NULL
                                ) OR EXISTS (
                                    SELECT 1 FROM manual_exports WHERE manual_exports.bundle_id = old.bundle_id
                                        AND manual_exports.export_id = old.export_id
                                        AND manual_exports.withdrawn_at IS NOT NULL
                                )
                            )
                    )
                    """,
                "stay_in_their_report",
                "a report or an export holds the sale"
            ),
            .keepApp("sales"),
            .deleteInPurge("sales"),
            .refuse(
                .insertion,
                on: "sale_versions",
                when: """
                    new.version IS NOT (
                        SELECT version + 1 FROM sales
                        WHERE sales.bundle_id = new.bundle_id AND sales.sale_id = new.sale_id
                    )
                    """,
                "follow_one_another",
                "the version does not follow the newest one"
            ),
            .refuse(
                .insertion,
                on: "sale_versions",
                when: """
                    EXISTS (
                        SELECT 1 FROM sales AS other WHERE other.bundle_id = new.bundle_id
                            AND other.line_item_id = new.line_item_id AND other.sale_id <> new.sale_id
                    ) OR EXISTS (
                        SELECT 1 FROM sale_versions AS other WHERE other.bundle_id = new.bundle_id
                            AND other.line_item_id = new.line_item_id AND other.sale_id <> new.sale_id
                    )
                    """,
                "have_their_own_item",
                "the line item is another sale's"
            ),
            .run(
                after: .insertion,
                on: "sale_versions",
                "sales_take_their_newest_version",
                """
                UPDATE sales SET version = new.version, checkout_id = new.content ->> '$.checkoutId',
                        product_id = new.content ->> '$.productId', is_retracted = iif(new.change = 'retracted', 1, 0)
                    WHERE bundle_id = new.bundle_id AND sale_id = new.sale_id;
                UPDATE sales SET arrival_customer_id = iif(keys_version = 1, customer_id, arrival_customer_id),
                        customer_id = new.customer_id, takes_back = new.refund_of,
                        subscription_id = new.subscription_id, occurred_at = new.occurred_at,
                        keys_version = new.version
                    WHERE bundle_id = new.bundle_id AND sale_id = new.sale_id AND new.occurred_at IS NOT NULL;
                """
            ),
            // Without the customer, which an erasure renames.
            .refuse(
                .update(
                    of: """
                        sale_id, version, line_item_id, content, change, said_at, correction_id, said_by, reason, \
                        refund_of, subscription_id, occurred_at
                        """
                ),
                on: "sale_versions",
                "never_change",
                "a version of a sale does not change"
            ),
            .keepApp("sale_versions"),
            .deleteInPurge("sale_versions"),
            .refuse(
                .update(of: "sequence, sale_id, content, said_by, reason, asked_at"),
                on: "sale_changes",
                "keep_what_was_asked",
                "a change of a sale stays as it was asked for"
            ),
            .refuse(
                .update(of: "closed_at, outcome"),
                on: "sale_changes",
                when: "old.closed_at IS NOT NULL",
                "are_closed_once",
                "a change of a sale is closed once"
            ),
            .deleteInPurge("sale_changes"),
        ]
    )
}

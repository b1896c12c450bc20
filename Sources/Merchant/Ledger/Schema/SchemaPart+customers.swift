extension SchemaPart {
    static let customers = SchemaPart(
        tables: """
            -- With the pseudonym that stands for a customer in the audit log. Erasing a customer changes this row, and
            -- the id goes out of every other table by cascade.
            CREATE TABLE customers (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                bundle_id TEXT NOT NULL CHECK (bundle_id <> ''),
                customer_id TEXT NOT NULL CHECK (customer_id <> ''),
                pseudonym TEXT NOT NULL UNIQUE CHECK (pseudonym <> ''),
                first_seen INTEGER NOT NULL,
                erased_at INTEGER,
                UNIQUE (bundle_id, customer_id),
                CHECK (erased_at IS NULL OR customer_id = pseudonym)
            ) STRICT;
            """,
        triggers: [
            .refuse(
                .update(of: "sequence, bundle_id, pseudonym, first_seen"),
                on: "customers",
                "keep_their_pseudonym",
                "a pseudonym does not change"
            ),
            .refuse(
                .update(),
                on: "customers",
                when: "old.erased_at IS NOT NULL OR new.erased_at IS NULL",
                "are_renamed_by_erasure",
                "a customer changes by erasure only, and once"
            ),
            .deleteInPurge("customers"),
            // What no cascade reaches.
            .run(
                after: .update(of: "customer_id"),
                on: "customers",
                "sales_forget_their_first_customer",
                """
                UPDATE sales SET arrival_customer_id = new.customer_id
                    WHERE bundle_id = new.bundle_id AND arrival_customer_id = old.customer_id;
                """
            ),
            .run(
                after: .update(of: "customer_id"),
                on: "customers",
                "payment_events_forget_an_erased_customer",
                """
                UPDATE payment_events SET customer_id = new.customer_id,
                        content = replace(content, json_quote(old.customer_id), json_quote(new.customer_id))
                    WHERE customer_id = old.customer_id AND (bundle_id = new.bundle_id OR bundle_id IS NULL);
                """
            ),
        ]
    )
}

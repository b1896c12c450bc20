/// The statements of a purge, which decide what is kept, how rows are connected, and what is deleted (OB-91).
///
/// The table `purge_keep` contains all rows that stay, so that counting and deleting use the same conditions.
enum PurgeQuery {
    static let keepTable = """
        CREATE TEMP TABLE IF NOT EXISTS purge_keep (
            kind TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            PRIMARY KEY (kind, sequence)
        ) WITHOUT ROWID
        """

    /// Rows that are open or not older than the cut-off time; `?1` is the cut-off time in ms.
    ///
    /// Both environments are named where an index has the environment before what is looked for.
    static let seeds = [
        """
        INSERT OR IGNORE INTO purge_keep SELECT 'token', sequence FROM tokens
        WHERE (reported_at IS NULL AND state <> 'unknownToApple') OR first_seen >= ?1 OR creation_date >= ?1
            OR expiration_date >= ?1 OR reported_at >= ?1
        """,
        """
        INSERT OR IGNORE INTO purge_keep SELECT 'token', tokens.sequence FROM token_observations JOIN tokens
            USING (bundle_id, external_purchase_id) WHERE token_observations.seen_at >= ?1
        """,
        """
        INSERT OR IGNORE INTO purge_keep SELECT 'token', tokens.sequence FROM link_taps JOIN tokens
            USING (bundle_id, external_purchase_id) WHERE link_taps.tapped_at >= ?1
        """,
        """
        INSERT OR IGNORE INTO purge_keep SELECT 'token', tokens.sequence FROM notifications JOIN tokens
            USING (bundle_id, external_purchase_id)
        WHERE notifications.done_at IS NULL OR notifications.received_at >= ?1
        """,
        """
        INSERT OR IGNORE INTO purge_keep SELECT 'report', sequence FROM reports
        WHERE state <> 'accepted' OR changed_at >= ?1 OR answer_at >= ?1
        """,
        // A sale that is neither reported nor submitted by hand is open, regardless of its age.
        """
        INSERT OR IGNORE INTO purge_keep SELECT 'sale', sequence FROM sales
        WHERE received_at >= ?1 OR occurred_at >= ?1
            OR (state <> 'recorded' AND request_key IS NULL AND export_id IS NULL)
        """,
        """
        INSERT OR IGNORE INTO purge_keep SELECT 'sale', sequence FROM sales
        WHERE \(lasts("content")) OR EXISTS (
            SELECT 1 FROM sale_versions AS newer WHERE newer.bundle_id = sales.bundle_id
                AND newer.sale_id = sales.sale_id AND (newer.said_at >= ?1 OR \(lasts("newer.content")))
        )
        """,
        """
        INSERT OR IGNORE INTO purge_keep SELECT 'correction', sequence FROM corrections
        WHERE closed_at IS NULL OR closed_at >= ?1 OR requested_at >= ?1
        """,
        """
        INSERT OR IGNORE INTO purge_keep SELECT 'export', sequence FROM manual_exports
        WHERE made_at >= ?1 OR coalesce(withdrawn_at, submitted_at, ?1) >= ?1
        """,
        """
        INSERT OR IGNORE INTO purge_keep
        SELECT 'token', tokens.sequence FROM review_items AS item JOIN tokens
            ON tokens.bundle_id = item.bundle_id AND tokens.external_purchase_id = item.subject_id
        WHERE item.subject_kind = 'token' AND (item.resolved_at IS NULL OR item.resolved_at >= ?1)
        """,
        """
        INSERT OR IGNORE INTO purge_keep
        SELECT 'sale', sales.sequence FROM review_items AS item JOIN sales
            ON sales.bundle_id = item.bundle_id AND sales.sale_id = item.subject_id
        WHERE item.subject_kind = 'sale' AND (item.resolved_at IS NULL OR item.resolved_at >= ?1)
        """,
        """
        INSERT OR IGNORE INTO purge_keep
        SELECT 'report', reports.sequence FROM review_items AS item JOIN reports
            ON reports.bundle_id = item.bundle_id AND reports.environment IN ('production', 'sandbox')
                AND reports.request_key = item.subject_id
        WHERE item.subject_kind = 'report' AND (item.resolved_at IS NULL OR item.resolved_at >= ?1)
        """,
        """
        INSERT OR IGNORE INTO purge_keep SELECT 'event', sequence FROM payment_events
        WHERE state IN ('received', 'waiting', 'held') OR received_at >= ?1 OR created_at >= ?1
        """,
    ]

    /// SQL that is true while paid service or a cancellation extends to the cut-off time, and for unreadable content.
    private static func lasts(_ content: String) -> String {
        ["$.period.end", "$.effectiveAt"].map { path in
            """
            (\(content) ->> '\(path)' IS NOT NULL
                AND coalesce(1000 * (1 + unixepoch(\(content) ->> '\(path)')), ?1) >= ?1)
            """
        }.joined(separator: " OR ")
    }

    /// One step from kept rows to the rows connected with them; repeated until nothing is added.
    ///
    /// The rows of each are found by those before them, in the order of its tables: joined in another order, each payment
    /// event would be compared with each sale of the app.
    static let steps = [
        from(
            "report",
            "reports",
            to: "token",
            "tokens",
            on: "its.bundle_id = one.bundle_id",
            "its.external_purchase_id = one.external_purchase_id"
        ),
        from(
            "token",
            "tokens",
            to: "report",
            "reports",
            on: "its.bundle_id = one.bundle_id",
            "its.external_purchase_id = one.external_purchase_id"
        ),
        from(
            "sale",
            "sales",
            to: "token",
            "tokens",
            on: "its.bundle_id = one.bundle_id",
            "its.external_purchase_id = one.external_purchase_id"
        ),
        from(
            "token",
            "tokens",
            to: "sale",
            "sales",
            on: "its.bundle_id = one.bundle_id",
            "its.external_purchase_id = one.external_purchase_id"
        ),
        from(
            "sale",
            "sales",
            to: "report",
            "reports",
            on: "its.bundle_id = one.bundle_id",
            "its.environment = one.environment",
            "its.request_key = one.request_key"
        ),
        from(
            "report",
            "reports",
            to: "sale",
            "sales",
            on: "its.bundle_id = one.bundle_id",
            "its.environment = one.environment",
            "its.request_key = one.request_key"
        ),
        from("sale", "sales", to: "sale", "sales", on: "its.bundle_id = one.bundle_id", "its.sale_id = one.takes_back"),
        from("sale", "sales", to: "sale", "sales", on: "its.bundle_id = one.bundle_id", "its.takes_back = one.sale_id"),
        from("sale", "sales", to: "sale", "sales", on: "its.bundle_id = one.bundle_id", "its.sale_id = one.part_of"),
        from("sale", "sales", to: "sale", "sales", on: "its.bundle_id = one.bundle_id", "its.part_of = one.sale_id"),
        from(
            "sale",
            "sales",
            to: "sale",
            "sales",
            on: "its.bundle_id = one.bundle_id",
            "its.subscription_id = one.subscription_id"
        ),
        from(
            "sale",
            "sales",
            to: "export",
            "manual_exports",
            on: "its.bundle_id = one.bundle_id",
            "its.export_id = one.export_id"
        ),
        from(
            "export",
            "manual_exports",
            to: "sale",
            "sales",
            on: "its.bundle_id = one.bundle_id",
            "its.export_id = one.export_id"
        ),
        from(
            "sale",
            "sales JOIN sale_versions AS said USING (bundle_id, sale_id)",
            to: "correction",
            "corrections",
            on: "its.bundle_id = said.bundle_id",
            "its.correction_id = said.correction_id",
            one: "sales"
        ),
        from(
            "correction",
            "corrections JOIN sale_versions AS said USING (bundle_id, correction_id)",
            to: "sale",
            "sales",
            on: "its.bundle_id = said.bundle_id",
            "its.sale_id = said.sale_id",
            one: "corrections"
        ),
        from(
            "correction",
            "corrections JOIN correction_reports AS sent USING (bundle_id, correction_id)",
            to: "report",
            "reports",
            on: "its.bundle_id = sent.bundle_id",
            "its.environment = sent.environment",
            "its.request_key = sent.request_key",
            one: "corrections"
        ),
        from(
            "report",
            "reports JOIN correction_reports AS sent USING (bundle_id, environment, request_key)",
            to: "correction",
            "corrections",
            on: "its.bundle_id = sent.bundle_id",
            "its.correction_id = sent.correction_id",
            one: "reports"
        ),
        // Versions of one line item can be in reports of several tokens.
        from(
            "report",
            """
            reports JOIN sent_items AS mine USING (bundle_id, environment, request_key)
                JOIN sent_items AS other ON other.bundle_id = mine.bundle_id AND other.environment = mine.environment
                AND other.line_item_id = mine.line_item_id
            """,
            to: "report",
            "reports",
            on: "its.bundle_id = other.bundle_id",
            "its.environment = other.environment",
            "its.request_key = other.request_key",
            one: "reports"
        ),
        from(
            "report",
            """
            reports JOIN sent_items AS mine USING (bundle_id, environment, request_key)
                JOIN accepted_items AS other ON other.bundle_id = mine.bundle_id
                AND other.environment = mine.environment AND other.reference_line_item_id = mine.line_item_id
            """,
            to: "report",
            "reports",
            on: "its.bundle_id = other.bundle_id",
            "its.environment = other.environment",
            "its.request_key = other.request_key",
            one: "reports"
        ),
        from(
            "report",
            """
            reports JOIN accepted_items AS mine USING (bundle_id, environment, request_key)
                JOIN sent_items AS other ON other.bundle_id = mine.bundle_id AND other.environment = mine.environment
                AND other.line_item_id = mine.reference_line_item_id
            """,
            to: "report",
            "reports",
            on: "its.bundle_id = other.bundle_id",
            "its.environment = other.environment",
            "its.request_key = other.request_key",
            one: "reports"
        ),
        from(
            "event",
            "payment_events CROSS JOIN json_each(payment_events.sales) AS told",
            to: "sale",
            "sales",
            on: "its.bundle_id = payment_events.bundle_id",
            "its.sale_id = told.value",
            one: "payment_events"
        ),
        from(
            "sale",
            "payment_events AS event CROSS JOIN json_each(event.sales) AS told CROSS JOIN sales",
            to: "event",
            "payment_events",
            on: "sales.bundle_id = event.bundle_id",
            "sales.sale_id = told.value",
            "its.sequence = event.sequence",
            one: "sales"
        ),
        // Later events of a payment are read together with all earlier ones.
        from(
            "event",
            """
            payment_events JOIN payment_event_objects AS mine ON mine.sequence = payment_events.sequence
                JOIN payment_event_objects AS other ON other.provider = mine.provider
                AND other.object_id = mine.object_id AND \(PaymentReference.isObject("mine.object_id"))
            """,
            to: "event",
            "payment_events",
            on: "its.sequence = other.sequence",
            one: "payment_events"
        ),
    ]

    private static func from(
        _ kind: String,
        _ rows: String,
        to other: String,
        _ table: String,
        on conditions: String...,
        one: String? = nil
    ) -> String {
        let (source, name) = one.map { (rows, $0) } ?? ("\(rows) AS one", "one")
        return """
            INSERT OR IGNORE INTO purge_keep SELECT '\(other)', its.sequence
            FROM \(source) CROSS JOIN \(table) AS its
            WHERE \(conditions.joined(separator: " AND "))
                AND EXISTS (SELECT 1 FROM purge_keep WHERE kind = '\(kind)' AND purge_keep.sequence = \(name).sequence)
                AND NOT EXISTS (SELECT 1 FROM purge_keep WHERE kind = '\(other)' AND purge_keep.sequence = its.sequence)
            """
    }

    /// Returns the kind of a table's rows in a plan, and in the hash-chained audit log: a released text.
    static func kind(of table: String) -> String {
        switch table {
        case "token_observations": "token_sightings"
        case "quarantined_tokens": "tokens_set_aside"
        case "quarantined_notifications": "notifications_set_aside"
        case "review_items": "attention_items"
        default: table
        }
    }

    /// The deletions by table, in an order that never leaves a dangling reference.
    ///
    /// Each has a condition on `purge_keep`, on rows that stay or on rows deleted later, and the column with the row's
    /// time.
    static let removals: [(table: String, time: String?, condition: String)] = [
        (
            "review_items", "opened_at",
            """
            resolved_at < ?1 AND NOT EXISTS (
                SELECT 1 FROM tokens WHERE review_items.subject_kind = 'token' AND \(kept("tokens", "token"))
                    AND tokens.bundle_id = review_items.bundle_id
                    AND tokens.external_purchase_id = review_items.subject_id
            ) AND NOT EXISTS (
                SELECT 1 FROM sales WHERE review_items.subject_kind = 'sale' AND \(kept("sales", "sale"))
                    AND sales.bundle_id = review_items.bundle_id AND sales.sale_id = review_items.subject_id
            ) AND NOT EXISTS (
                SELECT 1 FROM reports WHERE review_items.subject_kind = 'report' AND \(kept("reports", "report"))
                    AND reports.bundle_id = review_items.bundle_id
                    AND reports.environment IN ('production', 'sandbox')
                    AND reports.request_key = review_items.subject_id
            )
            """
        ),
        (
            "notifications", "received_at",
            """
            done_at IS NOT NULL AND received_at < ?1 AND NOT EXISTS (
                SELECT 1 FROM tokens WHERE \(kept("tokens", "token")) AND tokens.bundle_id = notifications.bundle_id
                    AND tokens.external_purchase_id = notifications.external_purchase_id
            )
            """
        ),
        ("quarantined_notifications", "received_at", "received_at < ?1"),
        (
            "payment_objects", "fetched_at",
            """
            fetched_at < ?1 AND object_id IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM payment_event_objects AS named WHERE named.provider = payment_objects.provider
                    AND named.object_id = payment_objects.object_id AND \(kept("named", "event"))
            )
            """
        ),
        ("payment_event_objects", nil, "NOT \(kept("payment_event_objects", "event"))"),
        ("payment_events", "received_at", "NOT \(kept("payment_events", "event"))"),
        ("quarantined_tokens", "first_seen", "first_seen < ?1"),
        ("token_observations", "seen_at", ofGoneToken("token_observations")),
        (
            "link_taps", "tapped_at",
            """
            (external_purchase_id IS NULL AND tapped_at < ?1) OR \(ofGoneToken("link_taps"))
            """
        ),
        ("checkout_claims", nil, ofGoneToken("checkout_claims")),
        ("checkouts", nil, ofGoneToken("checkouts")),
        ("correction_reports", nil, ofGoneReport("correction_reports")),
        ("sent_items", nil, ofGoneReport("sent_items")),
        ("accepted_items", nil, ofGoneReport("accepted_items")),
        (
            "sale_versions", "said_at",
            """
            EXISTS (
                SELECT 1 FROM sales WHERE sales.bundle_id = sale_versions.bundle_id
                    AND sales.sale_id = sale_versions.sale_id AND NOT \(kept("sales", "sale"))
            )
            """
        ),
        (
            "sale_changes", "asked_at",
            """
            EXISTS (
                SELECT 1 FROM sales WHERE sales.bundle_id = sale_changes.bundle_id
                    AND sales.sale_id = sale_changes.sale_id AND NOT \(kept("sales", "sale"))
            )
            """
        ),
        ("sales", "received_at", "NOT \(kept("sales", "sale"))"),
        ("corrections", "requested_at", "NOT \(kept("corrections", "correction"))"),
        ("manual_exports", "made_at", "NOT \(kept("manual_exports", "export"))"),
        ("reports", "written_at", "NOT \(kept("reports", "report"))"),
        ("tokens", "first_seen", "NOT \(kept("tokens", "token"))"),
        (
            "webhook_attempts", "attempted_at",
            """
            EXISTS (
                SELECT 1 FROM webhook_deliveries WHERE webhook_deliveries.sequence = webhook_attempts.delivery
                    AND webhook_deliveries.settled_at < ?1
            )
            """
        ),
        ("webhook_deliveries", "made_at", "settled_at < ?1"),
        (
            "customers", "first_seen",
            """
            NOT EXISTS (
                SELECT 1 FROM tokens WHERE tokens.bundle_id = customers.bundle_id
                    AND tokens.customer_id = customers.customer_id AND \(kept("tokens", "token"))
            ) AND NOT EXISTS (
                SELECT 1 FROM sales WHERE sales.bundle_id = customers.bundle_id
                    AND sales.customer_id = customers.customer_id AND \(kept("sales", "sale"))
            ) AND NOT EXISTS (
                SELECT 1 FROM sales WHERE sales.bundle_id = customers.bundle_id
                    AND sales.arrival_customer_id = customers.customer_id AND \(kept("sales", "sale"))
            ) AND NOT EXISTS (
                SELECT 1 FROM sale_changes AS asked JOIN sales USING (bundle_id, sale_id)
                WHERE asked.bundle_id = customers.bundle_id AND asked.customer_id = customers.customer_id
                    AND \(kept("sales", "sale"))
            ) AND NOT EXISTS (
                SELECT 1 FROM sale_versions AS said JOIN sales USING (bundle_id, sale_id)
                WHERE said.bundle_id = customers.bundle_id AND said.customer_id = customers.customer_id
                    AND \(kept("sales", "sale"))
            ) AND NOT EXISTS (
                SELECT 1 FROM checkouts INDEXED BY checkouts_by_customer WHERE checkouts.bundle_id = customers.bundle_id
                    AND checkouts.customer_id = customers.customer_id AND NOT \(ofGoneToken("checkouts"))
            ) AND NOT EXISTS (
                SELECT 1 FROM payment_events WHERE payment_events.customer_id = customers.customer_id
                    AND coalesce(payment_events.bundle_id, customers.bundle_id) = customers.bundle_id
                    AND \(kept("payment_events", "event"))
            )
            """
        ),
    ]

    private static func kept(_ table: String, _ kind: String) -> String {
        "EXISTS (SELECT 1 FROM purge_keep WHERE kind = '\(kind)' AND purge_keep.sequence = \(table).sequence)"
    }

    private static func ofGoneToken(_ table: String) -> String {
        """
        EXISTS (
            SELECT 1 FROM tokens WHERE tokens.bundle_id = \(table).bundle_id
                AND tokens.external_purchase_id = \(table).external_purchase_id AND NOT \(kept("tokens", "token"))
        )
        """
    }

    private static func ofGoneReport(_ table: String) -> String {
        """
        EXISTS (
            SELECT 1 FROM reports WHERE reports.bundle_id = \(table).bundle_id
                AND reports.environment = \(table).environment AND reports.request_key = \(table).request_key
                AND NOT \(kept("reports", "report"))
        )
        """
    }
}

package import ExternalPurchaseCore

// Deliveries to webhooks. The audit log, from which they follow, has no entries of them.
extension LedgerQueries {
    /// How far the changes became deliveries of a webhook; nil for one that is new.
    package func webhookPosition(_ webhook: String) throws(LedgerError) -> String? {
        try query("SELECT position FROM webhook_positions WHERE webhook = ?", [webhook])
            .decoded { row throws(LedgerError) in try row.text("position") }.first
    }

    /// Deliveries whose attempt is due, by that time: of each subject only the first one that is not delivered.
    package func dueDeliveries(of webhook: String, at now: Timestamp, limit: Int) throws(LedgerError)
        -> [WebhookDelivery]
    {
        try query(Query.dueDeliveries, [webhook, now.milliseconds, max(0, limit)]).decoded(WebhookDelivery.record)
    }

    /// Deliveries in the order of the changes.
    ///
    /// - Parameters:
    ///   - webhook: the only webhook; nil for all.
    ///   - state: the only state; nil for all.
    ///   - bundleId: the only app; nil for all.
    ///   - page: the page.
    package func deliveries(
        to webhook: String? = nil,
        in state: WebhookDelivery.State? = nil,
        of bundleId: BundleId? = nil,
        _ page: LedgerPage
    ) throws(LedgerError) -> [WebhookDelivery] {
        let conditions: [(sql: String, value: String?)] = [
            ("webhook = ?", webhook), ("state = ?", state?.rawValue), ("bundle_id = ?", bundleId?.rawValue),
        ]
        let set = conditions.filter { $0.value != nil }
        let values = [page.place.sqlValue] + set.compactMap { $0.value?.sqlValue } + [page.bound.sqlValue]
        return try query(
            """
            SELECT * FROM webhook_deliveries WHERE \((["sequence \(page.sign) ?"] + set.map(\.sql)).joined(separator: " AND ")) \
            ORDER BY sequence\(page.direction) LIMIT ?
            """,
            SQLArguments(values)
        ).decoded(WebhookDelivery.record)
    }

    package func delivery(_ sequence: Int64) throws(LedgerError) -> WebhookDelivery? {
        try query("SELECT * FROM webhook_deliveries WHERE sequence = ?", [sequence])
            .decoded(WebhookDelivery.record).first
    }

    /// The attempts of a delivery, the first one first.
    package func attempts(of delivery: Int64) throws(LedgerError) -> [WebhookAttempt] {
        try query("SELECT * FROM webhook_attempts WHERE delivery = ? ORDER BY number", [delivery])
            .decoded { row throws(LedgerError) in
                WebhookAttempt(
                    at: try row.time("attempted_at"),
                    status: try row.optionalInteger("status").map { Int($0) },
                    error: try row.optionalText("error")
                )
            }
    }
}

extension LedgerTransaction {
    /// Stores deliveries and how far the changes are read, in one step.
    ///
    /// An event that the webhook has already is left alone.
    package func insert(
        _ deliveries: [WebhookDelivery],
        upTo position: String,
        of webhook: String
    ) throws(LedgerError) {
        for delivery in deliveries {
            try run(
                """
                INSERT OR IGNORE INTO webhook_deliveries (webhook, event_id, type, bundle_id, subject_kind, subject_id, \
                body, made_at, state, attempts, tried_since, next_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', 0, ?, ?)
                """,
                [
                    delivery.webhook, delivery.eventId, delivery.type, delivery.subject.bundleId?.rawValue ?? "",
                    delivery.subject.kind, delivery.subject.id, delivery.body, delivery.madeAt.milliseconds,
                    delivery.triedSince.milliseconds, delivery.nextAt?.milliseconds,
                ]
            )
        }
        let known = try webhookPosition(webhook)
        let sql =
            known == nil
            ? "INSERT INTO webhook_positions (position, webhook) VALUES (?, ?)"
            : "UPDATE webhook_positions SET position = ? WHERE webhook = ?"
        try run(sql, [position, webhook])
    }

    /// Records an attempt and what it makes of the delivery.
    package func record(
        _ attempt: WebhookAttempt,
        of delivery: Int64,
        _ outcome: WebhookOutcome
    ) throws(LedgerError) {
        let (state, next): (WebhookDelivery.State, Timestamp?) =
            switch outcome {
            case .delivered: (.delivered, nil)
            case .parked: (.parked, nil)
            case .again(let time): (.waiting, time)
            }
        guard let known = try self.delivery(delivery) else { return }
        let number = Int64(known.attempts + 1)
        try run(
            "INSERT INTO webhook_attempts (delivery, number, attempted_at, status, error) VALUES (?, ?, ?, ?, ?)",
            [delivery, number, attempt.at.milliseconds, attempt.status, attempt.error]
        )
        try run(
            "UPDATE webhook_deliveries SET state = ?, attempts = ?, next_at = ?, settled_at = ? WHERE sequence = ?",
            [
                state.rawValue, number, next?.milliseconds, next == nil ? attempt.at.milliseconds : nil, delivery,
            ]
        )
    }

    /// Lets a delivery be attempted at once, whatever became of it.
    ///
    /// - Returns: false for an unknown one.
    package func redeliver(_ delivery: Int64, at now: Timestamp) throws(LedgerError) -> Bool {
        let changed = try run(
            """
            UPDATE webhook_deliveries SET state = 'waiting', tried_since = ?, next_at = ?, settled_at = NULL \
            WHERE sequence = ?
            """,
            [now.milliseconds, now.milliseconds, delivery]
        )
        return changed == 1
    }

    /// Deletes some deliveries that were accepted before a time, with their attempts.
    package func removeDeliveries(acceptedBefore time: Timestamp, limit: Int) throws(LedgerError) {
        let old = """
            SELECT sequence FROM webhook_deliveries WHERE state = 'delivered' AND settled_at < ?1 \
            ORDER BY settled_at, sequence LIMIT ?2
            """
        try run("DELETE FROM webhook_attempts WHERE delivery IN (\(old))", [time.milliseconds, limit])
        try run("DELETE FROM webhook_deliveries WHERE sequence IN (\(old))", [time.milliseconds, limit])
    }
}

extension WebhookDelivery {
    fileprivate static func record(_ row: any SQLRow) throws(LedgerError) -> WebhookDelivery {
        let bundleId = try row.text("bundle_id")
        return WebhookDelivery(
            sequence: try row.integer("sequence"),
            webhook: try row.text("webhook"),
            eventId: try row.text("event_id"),
            type: try row.text("type"),
            subject: Subject(
                bundleId: bundleId.isEmpty ? nil : BundleId(bundleId),
                kind: try row.text("subject_kind"),
                id: try row.text("subject_id")
            ),
            body: try row.bytes("body") ?? [],
            madeAt: try row.time("made_at"),
            state: try row.known("state"),
            attempts: Int(try row.integer("attempts")),
            triedSince: try row.time("tried_since"),
            nextAt: try row.optionalTime("next_at"),
            settledAt: try row.optionalTime("settled_at")
        )
    }
}

extension Query {
    static let dueDeliveries = """
        SELECT * FROM webhook_deliveries AS due WHERE webhook = ?1 AND state = 'waiting' AND next_at <= ?2
        AND NOT EXISTS (
            SELECT 1 FROM webhook_deliveries AS earlier WHERE earlier.webhook = ?1
            AND earlier.bundle_id = due.bundle_id AND earlier.subject_kind = due.subject_kind
            AND earlier.subject_id = due.subject_id AND earlier.state <> 'delivered' AND earlier.sequence < due.sequence
        )
        ORDER BY next_at, sequence LIMIT ?3
        """
}

package import ExternalPurchaseCore

// Deliveries to webhooks. The audit log, from which they follow, has entries only of those that a person has sent again.
extension LedgerQueries {
    /// How far the changes became deliveries of a webhook; nil for one that is new.
    package func webhookPosition(_ webhook: String) throws(LedgerError) -> String? {
        try query("SELECT position FROM webhook_positions WHERE webhook = ?", [webhook])
            .decoded { row throws(LedgerError) in try row.text("position") }.first
    }

    /// The names of the webhooks that have begun.
    package func webhooks() throws(LedgerError) -> [String] {
        try query("SELECT webhook FROM webhook_positions ORDER BY webhook", [])
            .decoded { row throws(LedgerError) in try row.text("webhook") }
    }

    /// Deliveries whose attempt is due, by that time: of each subject only the first one that was never accepted, and those
    /// that are sent once more.
    package func dueDeliveries(of webhook: String, at now: Timestamp, limit: Int) throws(LedgerError)
        -> [WebhookDelivery]
    {
        try query(Query.dueDeliveries, [webhook, now.milliseconds, max(0, limit)]).decoded(WebhookDelivery.record)
    }

    /// The number of parked events of a webhook, by app, of which the empty one is that of changes of all apps.
    package func parkedDeliveries(of webhook: String) throws(LedgerError) -> [BundleId: Int] {
        var counts: [BundleId: Int] = [:]
        for row in try rows(Query.parkedDeliveries, [webhook]) {
            counts[BundleId(try row.text("bundle_id"))] = Int(try row.integer("parked"))
        }
        return counts
    }

    /// The number of events of a webhook that wait.
    package func waitingDeliveries(of webhook: String) throws(LedgerError) -> Int {
        let rows = try query(
            "SELECT count(*) AS waiting FROM webhook_deliveries WHERE webhook = ? AND state <> 'delivered'",
            [webhook]
        ).decoded { row throws(LedgerError) in Int(try row.integer("waiting")) }
        return rows.first ?? 0
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
        of apps: Set<BundleId>? = nil,
        _ page: LedgerPage
    ) throws(LedgerError) -> [WebhookDelivery] {
        let names = apps.map { JSONValue.array($0.sorted().map { .string($0.rawValue) }).text }
        let conditions: [(sql: String, value: String?)] = [
            ("webhook = ?", webhook), ("state = ?", state?.rawValue),
            ("bundle_id IN (SELECT value FROM json_each(?))", names),
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

    /// The attempts of some deliveries, each delivery's first one first.
    package func attempts(of deliveries: [Int64]) throws(LedgerError) -> [Int64: [WebhookAttempt]] {
        var attempts: [Int64: [WebhookAttempt]] = [:]
        let numbers = JSONValue.array(deliveries.map { .integer($0) }).text
        for row in try rows(Query.deliveryAttempts, [numbers]) {
            attempts[try row.integer("delivery"), default: []].append(
                WebhookAttempt(
                    at: try row.time("attempted_at"),
                    status: try row.optionalInteger("status").map { Int($0) },
                    error: try row.optionalText("error")
                )
            )
        }
        return attempts
    }
}

extension LedgerTransaction {
    /// Stores deliveries and how far the changes are read, in one step.
    ///
    /// An event that the webhook has already is left alone. One whose subject has an earlier event that is not delivered
    /// waits behind it.
    package func insert(
        _ deliveries: [WebhookDelivery],
        upTo position: String,
        of webhook: String
    ) throws(LedgerError) {
        let last = try query("SELECT coalesce(max(sequence), 0) AS last FROM webhook_deliveries", [])
            .decoded { row throws(LedgerError) in try row.integer("last") }.first
        try connection.perform(
            """
            INSERT OR IGNORE INTO webhook_deliveries (webhook, event_id, type, bundle_id, subject_kind, subject_id, \
            body, made_at, state, attempts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', 0)
            """,
            withEach: deliveries.map { delivery in
                [
                    delivery.webhook, delivery.eventId, delivery.type, delivery.subject.bundleId?.rawValue ?? "",
                    delivery.subject.kind, delivery.subject.id, delivery.body, delivery.madeAt.milliseconds,
                ]
            }
        )
        if let first = deliveries.first {
            try perform(Query.releaseDeliveries, [first.madeAt.milliseconds, last ?? 0])
        }
        let known = try webhookPosition(webhook)
        let sql =
            known == nil
            ? "INSERT INTO webhook_positions (position, webhook) VALUES (?, ?)"
            : "UPDATE webhook_positions SET position = ? WHERE webhook = ?"
        try perform(sql, [position, webhook])
    }

    /// Records attempts and what they make of the deliveries; the next event of a subject follows one that was accepted.
    package func record(
        _ attempts: [(delivery: Int64, attempt: WebhookAttempt, outcome: WebhookOutcome)]
    ) throws(LedgerError) {
        var known: [Int64: WebhookDelivery] = [:]
        let numbers: [SQLArguments] = attempts.map { [$0.delivery] }
        try connection.each("SELECT * FROM webhook_deliveries WHERE sequence = ?", withEach: numbers) {
            _,
            row throws(LedgerError) in
            let delivery = try WebhookDelivery.record(row)
            known[delivery.sequence] = delivery
        }
        var accepted: [SQLArguments] = []
        for (sequence, attempt, outcome) in attempts {
            guard let delivery = known[sequence] else { continue }
            let (state, next): (WebhookDelivery.State, Timestamp?) =
                switch outcome {
                case .delivered: (.delivered, nil)
                case .parked: (.parked, nil)
                case .again(let time): (.waiting, time)
                }
            let number = Int64(delivery.attempts + 1)
            try perform(
                "INSERT INTO webhook_attempts (delivery, number, attempted_at, status, error) VALUES (?, ?, ?, ?, ?)",
                [sequence, number, attempt.at.milliseconds, attempt.status, attempt.error]
            )
            try perform(
                """
                UPDATE webhook_deliveries SET state = ?, attempts = ?, tried_since = ?, next_at = ?, settled_at = ? \
                WHERE sequence = ?
                """,
                [
                    state.rawValue, number, min(delivery.triedSince ?? attempt.at, attempt.at).milliseconds,
                    next?.milliseconds,
                    next == nil ? attempt.at.milliseconds : nil, sequence,
                ]
            )
            guard outcome == .delivered else { continue }
            let subject = delivery.subject
            accepted.append([delivery.webhook, subject.bundleId?.rawValue ?? "", subject.kind, subject.id])
        }
        guard let now = attempts.first?.attempt.at else { return }
        try connection.each(Query.firstDelivery, withEach: accepted) { _, row throws(LedgerError) in
            let following = try WebhookDelivery.record(row)
            guard following.state == .waiting, following.nextAt == nil else { return }
            try perform(
                "UPDATE webhook_deliveries SET next_at = ? WHERE sequence = ?",
                [now.milliseconds, following.sequence]
            )
        }
    }

    /// Lets a delivery be attempted at once, whatever became of it.
    ///
    /// A later event of its subject waits for it only if it was never accepted.
    ///
    /// - Parameters:
    ///   - sequence: the number of the delivery.
    ///   - author: who asks for it; nil where nobody is named.
    ///   - now: the time from which it is due.
    /// - Returns: false for an unknown one.
    package func redeliver(_ sequence: Int64, by author: String?, at now: Timestamp) throws(LedgerError) -> Bool {
        guard let delivery = try delivery(sequence) else { return false }
        try perform(.redeliver(delivery, at: now, by: author))
        return true
    }

    /// Makes the row of a delivery due.
    func dueRow(of delivery: WebhookDelivery, _ time: Timestamp) throws(LedgerError) -> Int64 {
        try change(
            """
            UPDATE webhook_deliveries SET state = 'waiting', tried_since = NULL, next_at = ?, settled_at = NULL \
            WHERE sequence = ?
            """,
            [time.milliseconds, delivery.sequence],
            otherwise: "there is no delivery \(delivery.sequence)"
        )
    }

    /// Makes what waits for a webhook fit what it takes now.
    ///
    /// What it does not take any more and has not accepted is removed, and what stood behind it goes on. An attempt that is
    /// set for after a time was so by a clock that was ahead, and is due.
    ///
    /// - Parameters:
    ///   - webhook: the webhook.
    ///   - types: the types that it takes.
    ///   - apps: the apps that it takes; nil for all.
    ///   - horizon: the latest time that an attempt can be set for.
    ///   - now: the current time.
    /// - Returns: the number of removed deliveries.
    package func fitDeliveries(
        of webhook: String,
        to types: Set<String>,
        of apps: Set<BundleId>?,
        horizon: Timestamp,
        at now: Timestamp
    ) throws(LedgerError) -> Int {
        var untaken = "webhook = ? AND state <> 'delivered' AND (type NOT IN (SELECT value FROM json_each(?))"
        var arguments: [SQLValue] = [
            webhook.sqlValue, JSONValue.array(types.sorted().map { .string($0) }).text.sqlValue,
        ]
        if let apps {
            untaken += " OR bundle_id NOT IN (SELECT value FROM json_each(?))"
            arguments.append(JSONValue.array(apps.sorted().map { .string($0.rawValue) }).text.sqlValue)
        }
        let values = SQLArguments(arguments)
        let rows = "SELECT sequence FROM webhook_deliveries WHERE \(untaken))"
        try run("DELETE FROM webhook_attempts WHERE delivery IN (\(rows))", values)
        let removed = try run("DELETE FROM webhook_deliveries WHERE sequence IN (\(rows))", values)
        try perform(
            "UPDATE webhook_deliveries SET next_at = ? WHERE webhook = ? AND next_at > ?",
            [now.milliseconds, webhook, horizon.milliseconds]
        )
        if removed > 0 { try releaseDeliveries(at: now) }
        return removed
    }

    /// Lets events go on whose earlier ones a purge removed.
    func releaseDeliveries(at now: Timestamp) throws(LedgerError) {
        try perform(Query.releaseDeliveries, [now.milliseconds, 0])
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
            triedSince: try row.optionalTime("tried_since"),
            nextAt: try row.optionalTime("next_at"),
            settledAt: try row.optionalTime("settled_at")
        )
    }
}

extension Query {
    static let dueDeliveries = """
        SELECT * FROM webhook_deliveries AS due WHERE webhook = ?1 AND next_at <= ?2
        AND NOT EXISTS (
            SELECT 1 FROM webhook_deliveries AS earlier WHERE earlier.webhook = ?1
            AND earlier.bundle_id = due.bundle_id AND earlier.subject_kind = due.subject_kind
            AND earlier.subject_id = due.subject_id AND earlier.state <> 'delivered' AND earlier.sequence < due.sequence
            AND \(neverAccepted("earlier"))
        )
        ORDER BY next_at, sequence LIMIT ?3
        """

    /// Whether no attempt of a delivery was accepted, of which only such a one holds up the later events of its subject.
    private static func neverAccepted(_ delivery: String) -> String {
        """
        NOT EXISTS (SELECT 1 FROM webhook_attempts AS attempt WHERE attempt.delivery = \(delivery).sequence \
        AND attempt.error IS NULL)
        """
    }

    static let parkedDeliveries = """
        SELECT bundle_id, count(*) AS parked FROM webhook_deliveries WHERE state = 'parked' AND webhook = ?
        GROUP BY bundle_id
        """

    /// Lets those go out, of higher numbers than the given one, whose subject has no earlier event that is not delivered.
    static let releaseDeliveries = """
        UPDATE webhook_deliveries SET next_at = ?1 WHERE sequence > ?2 AND state = 'waiting' AND next_at IS NULL
        AND NOT EXISTS (
            SELECT 1 FROM webhook_deliveries AS earlier WHERE earlier.webhook = webhook_deliveries.webhook
            AND earlier.bundle_id = webhook_deliveries.bundle_id
            AND earlier.subject_kind = webhook_deliveries.subject_kind
            AND earlier.subject_id = webhook_deliveries.subject_id AND earlier.state <> 'delivered'
            AND earlier.sequence < webhook_deliveries.sequence AND \(neverAccepted("earlier"))
        )
        """

    /// The first event of a subject that was never accepted.
    static let firstDelivery = """
        SELECT * FROM webhook_deliveries AS first WHERE webhook = ? AND bundle_id = ? AND subject_kind = ? AND subject_id = ?
        AND state <> 'delivered' AND \(neverAccepted("first")) ORDER BY sequence LIMIT 1
        """

    static let deliveryAttempts = """
        SELECT * FROM webhook_attempts WHERE delivery IN (SELECT CAST(value AS BIGINT) FROM json_each(?))
        ORDER BY delivery, number
        """
}

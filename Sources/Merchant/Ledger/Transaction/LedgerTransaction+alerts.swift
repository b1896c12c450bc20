package import ExternalPurchaseCore

extension LedgerQueries {
    /// The given event ids whose alert is already recorded.
    package func recordedAlerts(among eventIds: [String]) throws(LedgerError) -> Set<String> {
        var told: Set<String> = []
        for id in eventIds where try !rows(Query.alertTold, [id]).isEmpty { told.insert(id) }
        return told
    }

    /// Messages that no receiver has accepted yet, in order of delivery.
    package func undeliveredAlerts(limit: Int) throws(LedgerError) -> [AlertMessage] {
        try query(Query.undeliveredAlerts, [max(0, limit)]).decoded(AlertMessageRow.record)
    }

    /// Messages that wait for the receiver on one way, in order of delivery.
    package func undeliveredAlerts(by channel: AlertChannel, limit: Int) throws(LedgerError) -> [AlertMessage] {
        try query(Query.undeliveredAlertsOfChannel, [channel.rawValue, max(0, limit)]).decoded(AlertMessageRow.record)
    }
}

extension LedgerTransaction {
    func insertRows(of marks: [AlertMark], _ message: AlertMessage?) throws(LedgerError) -> Int64 {
        var sequence: Int64 = 0
        if let message { sequence = try insert(message, into: AlertMessageRow.table) }
        for mark in marks {
            try perform(
                "INSERT INTO alerts (event_id, crossed_at, message) VALUES (?, ?, ?)",
                [mark.eventId, mark.crossedAt.milliseconds, message == nil ? nil : sequence]
            )
        }
        return sequence
    }

    func deliverRow(_ sequence: Int64, _ time: Timestamp) throws(LedgerError) -> Int64 {
        try change(
            "UPDATE alert_messages SET delivered_at = ?, body = NULL WHERE sequence = ? AND delivered_at IS NULL",
            [time.milliseconds, sequence],
            otherwise: "no such message to deliver"
        )
    }
}

extension LedgerTransaction {
    /// Records alert steps together with the message that reports them.
    ///
    /// Both are stored in one change, so that a restart neither repeats an alert nor loses one.
    ///
    /// - Returns: the sequence number of the message; 0 without a message.
    /// - Throws: ``LedgerError/conflict(_:)`` for a step that is already recorded, and for a message without a body.
    @discardableResult
    package func insertAlerts(_ marks: [AlertMark], by message: AlertMessage?) throws(LedgerError) -> Int64 {
        try perform(.recordAlerts(marks, message))
    }

    /// Records that a receiver accepted a message, and deletes the message's body.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when no undelivered message has that sequence number.
    package func delivered(_ sequence: Int64, at time: Timestamp) throws(LedgerError) {
        try perform(.deliverAlert(sequence: sequence, at: time))
    }
}

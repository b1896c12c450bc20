import ExternalPurchaseCore
import Ledger

extension SQLTransaction {
    func recordedAlerts(among eventIds: [String]) throws(LedgerError) -> Set<String> {
        var told: Set<String> = []
        for id in eventIds where try !rows(Query.alertTold, [id]).isEmpty { told.insert(id) }
        return told
    }

    func undeliveredAlerts(limit: Int) throws(LedgerError) -> [AlertMessage] {
        try query(Query.undeliveredAlerts, [max(0, limit)]).decoded(AlertMessageRow.record)
    }

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

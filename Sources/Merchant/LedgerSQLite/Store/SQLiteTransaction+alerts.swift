import ExternalPurchaseCore
import GRDB
import Ledger

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension SQLiteTransaction {
    func alertsTold(among eventIds: [String]) throws(LedgerError) -> Set<String> {
        var told: Set<String> = []
        for id in eventIds where try !rows(Query.alertTold, [id]).isEmpty { told.insert(id) }
        return told
    }

    func undeliveredAlerts(limit: Int) throws(LedgerError) -> [AlertMessage] {
        try rows(Query.undeliveredAlerts, [max(0, limit)]).decoded { row throws(LedgerError) in
            AlertMessage(
                sequence: try row.integer("sequence"),
                messageId: try row.text("message_id"),
                madeAt: try row.time("made_at"),
                body: try row.bytes("body"),
                deliveredAt: try row.optionalTime("delivered_at")
            )
        }
    }

    func insertRows(of marks: [AlertMark], _ message: AlertMessage?) throws(LedgerError) -> Int64 {
        var sequence: Int64 = 0
        if let message {
            sequence = try insert(
                "INSERT INTO escalation_messages (message_id, made_at, body) VALUES (?, ?, ?)",
                [message.messageId, message.madeAt.milliseconds, message.body.map { Data($0) }]
            )
        }
        for mark in marks {
            try run(
                "INSERT INTO escalations (event_id, crossed_at, message) VALUES (?, ?, ?)",
                [mark.eventId, mark.crossedAt.milliseconds, message == nil ? nil : sequence]
            )
        }
        return sequence
    }

    func deliverRow(_ sequence: Int64, _ time: Timestamp) throws(LedgerError) -> Int64 {
        try change(
            "UPDATE escalation_messages SET delivered_at = ?, body = NULL WHERE sequence = ? AND delivered_at IS NULL",
            [time.milliseconds, sequence],
            otherwise: "no such message to deliver"
        )
    }
}

import ExternalPurchaseCore

/// The columns of an alert message.
enum AlertMessageRow {
    typealias Column<Value> = RowColumn<AlertMessage, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let messageId = Column("message_id", .text, written: .once) { $0.messageId }
    static let madeAt = Column("made_at", .time, written: .once) { $0.madeAt }
    static let channel = Column("channel", .rawValue, written: .once) { $0.channel }
    static let body = Column("body", .optional(.bytes), written: .once) { $0.body }
    /// Set by the delivery, which also deletes the body.
    static let deliveredAt = Column("delivered_at", .optional(.time), written: .elsewhere) { $0.deliveredAt }

    static let table = RowTable<AlertMessage>(
        "alert_messages",
        [sequence, messageId, madeAt, body, deliveredAt, channel]
    )

    static func record(_ row: any SQLRow) throws(LedgerError) -> AlertMessage {
        AlertMessage(
            sequence: try sequence.read(from: row),
            messageId: try messageId.read(from: row),
            madeAt: try madeAt.read(from: row),
            channel: try channel.read(from: row),
            body: try body.read(from: row),
            deliveredAt: try deliveredAt.read(from: row)
        )
    }
}

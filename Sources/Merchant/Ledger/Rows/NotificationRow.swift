import ExternalPurchaseCore

/// The columns of a notification.
enum NotificationRow {
    typealias Column<Value> = RowColumn<StoredNotification, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let uuid = Column("uuid", .rawValue, written: .once) { $0.uuid }
    static let type = Column("type", .rawValue, written: .once) { $0.type }
    static let subtype = Column("subtype", .optional(.rawValue), written: .once) { $0.subtype }
    static let bundleId = Column("bundle_id", .optional(.rawValue), written: .once) { $0.bundleId }
    static let environment = Column("environment", .optional(.rawValue), written: .once) { $0.environment }
    static let externalPurchaseId = Column("external_purchase_id", .optional(.rawValue), written: .once) {
        $0.externalPurchaseId
    }
    static let signedDate = Column("signed_date", .time, written: .once) { $0.signedDate }
    static let payload = Column("payload", .optional(.text), written: .once) { $0.payload }
    static let arrival = Column("arrival", .rawValue, written: .once) { $0.arrival }
    static let receivedAt = Column("received_at", .time, written: .once) { $0.receivedAt }
    static let doneAt = RowColumn<NotificationEffect, _>("done_at", .time, written: .always) { $0.doneAt }
    static let effect = RowColumn<NotificationEffect, _>("effect", .text, written: .always) { $0.detail }

    static let table = RowTable<StoredNotification>(
        "notifications",
        [
            sequence, uuid, type, subtype, bundleId, environment, externalPurchaseId, signedDate, payload, arrival,
            receivedAt, doneAt.ofOptional(written: .once) { $0.effect },
            effect.ofOptional(written: .once) { $0.effect },
        ]
    )
    static let finishing = RowTable<NotificationEffect>("notifications", [doneAt, effect])
        .update(where: "uuid = ? AND done_at IS NULL")

    static func record(_ row: any SQLRow) throws(LedgerError) -> StoredNotification {
        var done: NotificationEffect?
        if let at = try doneAt.readIfPresent(from: row) {
            done = NotificationEffect(doneAt: at, detail: try effect.read(from: row))
        }
        return StoredNotification(
            sequence: try sequence.read(from: row),
            uuid: try uuid.read(from: row),
            type: try type.read(from: row),
            subtype: try subtype.read(from: row),
            bundleId: try bundleId.read(from: row),
            environment: try environment.read(from: row),
            externalPurchaseId: try externalPurchaseId.read(from: row),
            signedDate: try signedDate.read(from: row),
            payload: try payload.read(from: row),
            arrival: try arrival.read(from: row),
            receivedAt: try receivedAt.read(from: row),
            effect: done
        )
    }
}

/// The columns of a quarantined notification, which is meant for another app or environment.
enum QuarantinedNotificationRow {
    typealias Column<Value> = RowColumn<QuarantinedNotification, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let uuid = Column("uuid", .rawValue, written: .once) { $0.uuid }
    static let reason = Column("reason", .text, written: .once) { $0.reason }
    static let payload = Column("payload", .text, written: .once) { $0.payload }
    static let receivedAt = Column("received_at", .time, written: .once) { $0.receivedAt }

    static let table = RowTable<QuarantinedNotification>(
        "quarantined_notifications",
        [sequence, uuid, reason, payload, receivedAt]
    )

    static func record(_ row: any SQLRow) throws(LedgerError) -> QuarantinedNotification {
        QuarantinedNotification(
            sequence: try sequence.read(from: row),
            uuid: try uuid.read(from: row),
            reason: try reason.read(from: row),
            payload: try payload.read(from: row),
            receivedAt: try receivedAt.read(from: row)
        )
    }
}

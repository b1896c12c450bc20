import ExternalPurchaseCore

/// The columns of a token observation.
enum TokenObservationRow {
    typealias Column<Value> = RowColumn<TokenObservation, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let bundleId = Column("bundle_id", .rawValue, written: .once) { $0.bundleId }
    static let externalPurchaseId = Column("external_purchase_id", .rawValue, written: .once) {
        $0.externalPurchaseId
    }
    static let source = Column("source", .rawValue, written: .once) { $0.seen.source }
    static let seenAt = Column("seen_at", .time, written: .once) { $0.seen.time }
    static let contradiction = Column("contradiction", .optional(.text), written: .once) { $0.contradiction }

    static let table = RowTable<TokenObservation>(
        "token_observations",
        [sequence, bundleId, externalPurchaseId, source, seenAt, contradiction]
    )

    static func record(_ row: any SQLRow) throws(LedgerError) -> TokenObservation {
        TokenObservation(
            sequence: try sequence.read(from: row),
            bundleId: try bundleId.read(from: row),
            externalPurchaseId: try externalPurchaseId.read(from: row),
            seen: FirstSeen(source: try source.read(from: row), time: try seenAt.read(from: row)),
            contradiction: try contradiction.read(from: row)
        )
    }
}

/// The columns of a quarantined text, which is not a token of the merchant.
enum QuarantinedTokenRow {
    typealias Column<Value> = RowColumn<QuarantinedToken, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let text = Column("text", .text, written: .once) { $0.text }
    static let reason = Column("reason", .rawValue, written: .once) { $0.reason }
    static let detail = Column("detail", .text, written: .once) { $0.detail }
    static let source = Column("source", .rawValue, written: .once) { $0.firstSeen.source }
    static let firstSeen = Column("first_seen", .time, written: .once) { $0.firstSeen.time }

    static let table = RowTable<QuarantinedToken>(
        "quarantined_tokens",
        [sequence, text, reason, detail, source, firstSeen]
    )

    static func record(_ row: any SQLRow) throws(LedgerError) -> QuarantinedToken {
        QuarantinedToken(
            sequence: try sequence.read(from: row),
            text: try text.read(from: row),
            reason: try reason.read(from: row),
            detail: try detail.read(from: row),
            firstSeen: FirstSeen(source: try source.read(from: row), time: try firstSeen.read(from: row))
        )
    }
}

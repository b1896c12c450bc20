import ExternalPurchaseCore

/// The columns of a change of a sale that waits for Apple's response.
enum SaleChangeRow {
    typealias Column<Value> = RowColumn<SaleChange, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let bundleId = Column("bundle_id", .rawValue, written: .once) { $0.bundleId }
    static let saleId = Column("sale_id", .rawValue, written: .once) { $0.saleId }
    static let customerId = Column("customer_id", .optional(.rawValue), written: .once) { $0.content?.customerId }
    static let content = Column("content", .optional(.json), written: .once) { $0.content?.json.withoutCustomer }
    static let by = Column("said_by", .optional(.text), written: .once) { $0.by }
    static let reason = Column("reason", .optional(.text), written: .once) { $0.reason }
    static let askedAt = Column("asked_at", .time, written: .once) { $0.askedAt }
    static let closedAt = RowColumn<SaleChange.Closing, _>("closed_at", .time, written: .always) { $0.at }
    static let outcome = RowColumn<SaleChange.Closing, _>("outcome", .rawValue, written: .always) { $0.outcome }

    static let table = RowTable<SaleChange>(
        "sale_changes",
        [
            sequence, bundleId, saleId, customerId, content, by, reason, askedAt,
            closedAt.ofOptional(written: .elsewhere) { $0.closing },
            outcome.ofOptional(written: .elsewhere) { $0.closing },
        ]
    )
    static let closing = RowTable<SaleChange.Closing>("sale_changes", [closedAt, outcome])
        .update(where: "sequence = ? AND closed_at IS NULL")

    static func record(_ row: any SQLRow) throws(LedgerError) -> SaleChange {
        var closing: SaleChange.Closing?
        if let at = try closedAt.readIfPresent(from: row) {
            closing = SaleChange.Closing(at: at, outcome: try outcome.read(from: row))
        }
        return SaleChange(
            sequence: try sequence.read(from: row),
            bundleId: try bundleId.read(from: row),
            saleId: try saleId.read(from: row),
            content: try row.optionalText(content.name) == nil
                ? nil : try row.sale(content: content.name, customer: customerId.name),
            by: try by.read(from: row),
            reason: try reason.read(from: row),
            askedAt: try askedAt.read(from: row),
            closing: closing
        )
    }
}

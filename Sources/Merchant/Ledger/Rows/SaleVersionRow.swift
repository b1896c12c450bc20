import ExternalPurchaseCore

/// The columns of a version of a sale; version 1, the arrival, is in ``SaleRow``.
enum SaleVersionRow {
    typealias Column<Value> = RowColumn<SaleVersion, Value>

    static let bundleId = Column("bundle_id", .rawValue, written: .once) { $0.sale.bundleId }
    static let saleId = Column("sale_id", .rawValue, written: .once) { $0.sale.saleId }
    static let version = Column("version", .count, written: .once) { $0.version }
    static let customerId = Column("customer_id", .optional(.rawValue), written: .once) { $0.sale.customerId }
    static let lineItemId = Column("line_item_id", .rawValue, written: .once) { $0.lineItemId }
    static let content = Column("content", .json, written: .once) { $0.sale.json.withoutCustomer }
    static let change = Column("change", .rawValue, written: .once) { $0.change }
    static let saidAt = Column("said_at", .time, written: .once) { $0.saidAt }
    static let correctionId = Column("correction_id", .optional(.rawValue), written: .once) { $0.correctionId }
    static let by = Column("said_by", .optional(.text), written: .once) { $0.by }
    static let reason = Column("reason", .optional(.text), written: .once) { $0.reason }
    // Search keys of lists from this version on.
    static let refundOf = Column("refund_of", .optional(.rawValue), written: .once) { $0.sale.takenBack }
    static let subscriptionId = Column("subscription_id", .optional(.text), written: .once) {
        $0.sale.subscriptionName
    }
    static let occurredAt = Column("occurred_at", .optional(.time), written: .once) { $0.sale.occurredAt }

    static let table = RowTable<SaleVersion>(
        "sale_versions",
        [
            bundleId, saleId, version, customerId, lineItemId, content, change, saidAt, correctionId, by, reason,
            refundOf, subscriptionId, occurredAt,
        ]
    )

    /// Reads a row of ``LedgerQueries/versions(of:app:)``, which includes the arrival.
    static func record(_ row: any SQLRow) throws(LedgerError) -> SaleVersion {
        SaleVersion(
            version: try version.read(from: row),
            sale: try row.sale(content: content.name, customer: customerId.name),
            lineItemId: try lineItemId.read(from: row),
            change: try change.read(from: row),
            saidAt: try saidAt.read(from: row),
            correctionId: try correctionId.read(from: row),
            by: try by.read(from: row),
            reason: try reason.read(from: row)
        )
    }
}

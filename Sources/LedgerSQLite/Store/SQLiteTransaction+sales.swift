import ExternalPurchaseCore
import GRDB
import Ledger

extension SQLiteTransaction {
    /// Sales with the request identifier as it was spelled.
    private static let select = """
        SELECT sales.*, reports.request_identifier FROM sales LEFT JOIN reports
        ON reports.bundle_id = sales.bundle_id AND reports.environment = sales.environment
            AND reports.request_key = sales.request_key
        """

    func sale(_ id: SaleId, of bundleId: BundleId) throws(LedgerError) -> StoredSale? {
        try rows(
            "\(Self.select) WHERE sales.bundle_id = ? AND sales.sale_id = ?",
            [bundleId.rawValue, id.rawValue]
        ).decoded(storedSale).first
    }

    func sales(_ page: LedgerPage) throws(LedgerError) -> [StoredSale] {
        try rows(
            "\(Self.select) WHERE sales.sequence > ? ORDER BY sales.sequence LIMIT ?",
            [page.after, max(0, page.limit)]
        ).decoded(storedSale)
    }

    func refunds(of buy: SaleId, app bundleId: BundleId) throws(LedgerError) -> [StoredSale] {
        try rows(
            "\(Self.select) WHERE sales.bundle_id = ? AND sales.refund_of = ? ORDER BY sales.sequence",
            [bundleId.rawValue, buy.rawValue]
        ).decoded(storedSale)
    }

    func heldSales(_ page: LedgerPage) throws(LedgerError) -> [StoredSale] {
        try rows(
            "\(Self.select) WHERE sales.state = 'held' AND sales.sequence > ? ORDER BY sales.sequence LIMIT ?",
            [page.after, max(0, page.limit)]
        ).decoded(storedSale)
    }

    func plannedSales(
        on token: ExternalPurchaseId,
        of bundleId: BundleId,
        limit: Int
    ) throws(LedgerError) -> [StoredSale] {
        try rows(
            """
            \(Self.select)
            WHERE sales.bundle_id = ? AND sales.environment = ? AND sales.external_purchase_id = ?
                AND sales.state = 'planned' AND sales.request_key IS NULL
            ORDER BY sales.sequence LIMIT ?
            """,
            [bundleId.rawValue, token.environment.rawValue, token.rawValue, max(0, limit)]
        ).decoded(storedSale)
    }

    func tokensToReport(
        in scope: ReportingScope,
        madeUntil: Timestamp,
        soldUntil: Timestamp,
        limit: Int
    ) throws(LedgerError) -> [ExternalPurchaseId] {
        try rows(
            """
            SELECT sales.external_purchase_id FROM sales JOIN tokens
            ON tokens.bundle_id = sales.bundle_id AND tokens.external_purchase_id = sales.external_purchase_id
            WHERE sales.bundle_id = ? AND sales.environment = ? AND sales.state = 'planned'
                AND sales.request_key IS NULL AND tokens.creation_date <= ? AND sales.received_at <= ?
                AND NOT EXISTS (
                    SELECT 1 FROM reports WHERE reports.bundle_id = sales.bundle_id
                        AND reports.environment = sales.environment
                        AND reports.external_purchase_id = sales.external_purchase_id
                        AND reports.state <> 'accepted'
                )
            GROUP BY sales.external_purchase_id ORDER BY min(sales.sequence) LIMIT ?
            """,
            [
                scope.bundleId.rawValue, scope.environment.rawValue, madeUntil.milliseconds, soldUntil.milliseconds,
                max(0, limit),
            ]
        ).decoded { row throws(LedgerError) in ExternalPurchaseId(try row.text("external_purchase_id")) }
    }

    func sales(in report: RequestIdentifier, of scope: ReportingScope) throws(LedgerError) -> [StoredSale] {
        try rows(
            """
            \(Self.select) WHERE sales.bundle_id = ? AND sales.environment = ? AND sales.request_key = ?
            ORDER BY sales.sequence
            """,
            [scope.bundleId.rawValue, scope.environment.rawValue, report.key]
        ).decoded(storedSale)
    }

    func insert(_ sale: StoredSale) throws(LedgerError) -> StoredSale {
        try run(
            """
            INSERT INTO sales (bundle_id, sale_id, line_item_id, refund_of, content, received_at, state,
                external_purchase_id, environment, flags)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                sale.sale.bundleId.rawValue, sale.sale.saleId.rawValue, sale.lineItemId.rawValue,
                sale.sale.refund?.refundOf.rawValue, sale.sale.json.text, sale.receivedAt.milliseconds,
                sale.attribution.state.rawValue, sale.attribution.externalPurchaseId?.rawValue,
                sale.attribution.externalPurchaseId?.environment.rawValue, sale.attribution.flags.column,
            ]
        )
        var sale = sale
        sale.sequence = database.lastInsertedRowID
        sale.requestIdentifier = nil
        return sale
    }

    func update(_ attribution: Attribution, of sale: SaleId, app bundleId: BundleId) throws(LedgerError) {
        try change(
            """
            UPDATE sales SET state = ?, external_purchase_id = ?, environment = ?, flags = ?
            WHERE bundle_id = ? AND sale_id = ? AND request_key IS NULL
            """,
            [
                attribution.state.rawValue, attribution.externalPurchaseId?.rawValue,
                attribution.externalPurchaseId?.environment.rawValue, attribution.flags.column, bundleId.rawValue,
                sale.rawValue,
            ],
            otherwise: "no such sale without a report"
        )
    }

    private func storedSale(_ row: Row) throws(LedgerError) -> StoredSale {
        guard let sale = Sale(stored: try row.json("content")) else {
            throw .corrupt("the content of the sale \(try row.text("sale_id")) cannot be read")
        }
        return StoredSale(
            sequence: try row.integer("sequence"),
            sale: sale,
            lineItemId: LineItemId(try row.text("line_item_id")),
            receivedAt: try row.time("received_at"),
            attribution: Attribution(
                state: try row.known("state"),
                externalPurchaseId: try row.optionalText("external_purchase_id").map { ExternalPurchaseId($0) },
                flags: try row.set("flags")
            ),
            requestIdentifier: try row.optionalText("request_identifier").flatMap { RequestIdentifier($0) }
        )
    }
}

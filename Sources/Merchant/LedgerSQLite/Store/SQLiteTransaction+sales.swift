import ExternalPurchaseCore
import GRDB
import Ledger

extension SQLiteTransaction {
    func sale(_ id: SaleId, of bundleId: BundleId) throws(LedgerError) -> StoredSale? {
        try rows(
            Query.sale,
            [bundleId.rawValue, id.rawValue]
        ).decoded(storedSale).first
    }

    func sale(ofLineItem id: LineItemId, of bundleId: BundleId) throws(LedgerError) -> SaleId? {
        try rows(
            """
            SELECT sale_id FROM sales WHERE bundle_id = ?1 AND line_item_id = ?2
            UNION ALL SELECT sale_id FROM sale_versions WHERE bundle_id = ?1 AND line_item_id = ?2 LIMIT 1
            """,
            [bundleId.rawValue, id.rawValue]
        ).decoded { row throws(LedgerError) in SaleId(try row.text("sale_id")) }.first
    }

    func sales(_ page: LedgerPage) throws(LedgerError) -> [StoredSale] {
        try rows(
            "\(Query.selectSales) WHERE sales.sequence > ? ORDER BY sales.sequence LIMIT ?",
            [page.after, page.bound]
        ).decoded(storedSale)
    }

    func refunds(of buy: SaleId, app bundleId: BundleId) throws(LedgerError) -> [StoredSale] {
        try rows(
            Query.refunds,
            [bundleId.rawValue, buy.rawValue]
        ).decoded(storedSale)
    }

    func heldSales(_ page: LedgerPage) throws(LedgerError) -> [StoredSale] {
        try rows(
            Query.heldSales,
            [page.after, page.bound]
        ).decoded(storedSale)
    }

    func plannedSales(
        on token: ExternalPurchaseId,
        of bundleId: BundleId,
        limit: Int
    ) throws(LedgerError) -> [StoredSale] {
        try rows(
            Query.plannedSales,
            [bundleId.rawValue, token.environment.rawValue, token.rawValue, max(0, limit)]
        ).decoded(storedSale)
    }

    func sales(in report: RequestIdentifier, of scope: ReportingScope) throws(LedgerError) -> [StoredSale] {
        try rows(
            Query.salesOfReport,
            [scope.bundleId.rawValue, scope.environment.rawValue, report.key]
        ).decoded(storedSale)
    }

    func sales(_ query: SaleQuery, _ page: LedgerPage) throws(LedgerError) -> [StoredSale] {
        let (sql, app, value): (String, BundleId?, String?) =
            switch query {
            case .given: (Query.givenSales, nil, nil)
            case .subscription(let id, let app): (Query.salesOfSubscription, app, id)
            case .customer(let id, let app): (Query.salesOfCustomer, app, id.rawValue)
            case .token(let id, let app): (Query.salesOfToken, app, id.rawValue)
            case .pendingOnToken(let id, let app): (Query.pendingSalesOnToken, app, id.rawValue)
            case .pendingOfCustomer(let id, let app): (Query.pendingSalesOfCustomer, app, id.rawValue)
            case .state(let state, let app): (Query.salesInState, app, state.rawValue)
            case .lines(let id, let app): (Query.linesOfSale, app, id.rawValue)
            case .replaced(let app): (Query.replacedSales, app, app.rawValue)
            }
        guard let app, let value else { return try rows(sql, [page.after, page.bound]).decoded(storedSale) }
        return try rows(sql, [app.rawValue, value, page.after, page.bound]).decoded(storedSale)
    }

    func sales(
        of bundleId: BundleId,
        occurredFrom: Timestamp,
        until: Timestamp,
        _ page: TimePage
    ) throws(LedgerError) -> [StoredSale] {
        try rows(
            Query.salesByMoment,
            [
                bundleId.rawValue, max(occurredFrom.milliseconds, page.time), until.milliseconds, page.time,
                page.sequence, page.bound,
            ]
        ).decoded(storedSale)
    }

    func sales(in export: ManualExportId, of bundleId: BundleId) throws(LedgerError) -> [StoredSale] {
        try rows(Query.salesOfExport, [bundleId.rawValue, export.rawValue]).decoded(storedSale)
    }

    func versions(of sale: SaleId, app bundleId: BundleId) throws(LedgerError) -> [SaleVersion] {
        try rows(
            """
            SELECT 1 AS version, iif(keys_version = 1, customer_id, arrival_customer_id) AS customer_id, content,
                line_item_id, 'arrived' AS change, received_at AS said_at, NULL AS correction_id, NULL AS said_by,
                NULL AS reason
            FROM sales WHERE bundle_id = ? AND sale_id = ?
            UNION ALL
            SELECT version, customer_id, content, line_item_id, change, said_at, correction_id, said_by, reason
            FROM sale_versions WHERE bundle_id = ? AND sale_id = ?
            ORDER BY version
            """,
            [bundleId.rawValue, sale.rawValue, bundleId.rawValue, sale.rawValue]
        ).decoded { row throws(LedgerError) in
            SaleVersion(
                version: Int(clamping: try row.integer("version")),
                sale: try row.sale(content: "content", customer: "customer_id"),
                lineItemId: LineItemId(try row.text("line_item_id")),
                change: try row.known("change"),
                saidAt: try row.time("said_at"),
                correctionId: try row.optionalText("correction_id").map { CorrectionId($0) },
                by: try row.optionalText("said_by"),
                reason: try row.optionalText("reason")
            )
        }
    }

    func insertRow(of sale: StoredSale) throws(LedgerError) -> Int64 {
        try insert(
            """
            INSERT INTO sales (bundle_id, sale_id, line_item_id, takes_back, customer_id, subscription_id, occurred_at,
                content, received_at, state, external_purchase_id, environment, flags, part_of, checkout_id,
                product_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                sale.sale.bundleId.rawValue, sale.sale.saleId.rawValue, sale.lineItemId.rawValue,
                sale.sale.takenBack?.rawValue, sale.sale.customerId?.rawValue, sale.sale.subscriptionName,
                sale.sale.occurredAt.milliseconds, sale.sale.json.withoutCustomer.text,
                sale.receivedAt.milliseconds, sale.attribution.state.rawValue,
                sale.attribution.externalPurchaseId?.rawValue,
                sale.attribution.externalPurchaseId?.environment.rawValue, sale.attribution.flags.column,
                sale.partOf?.rawValue, sale.sale.checkoutId?.rawValue, sale.sale.purchase?.productId,
            ]
        )
    }

    func updateRow(
        of sale: SaleId,
        _ bundleId: BundleId,
        _ attribution: Attribution
    ) throws(LedgerError) -> Int64 {
        try change(
            """
            UPDATE sales SET state = ?, external_purchase_id = ?, environment = ?, flags = ?
            WHERE bundle_id = ? AND sale_id = ? AND request_key IS NULL AND export_id IS NULL
            """,
            [
                attribution.state.rawValue, attribution.externalPurchaseId?.rawValue,
                attribution.externalPurchaseId?.environment.rawValue, attribution.flags.column, bundleId.rawValue,
                sale.rawValue,
            ],
            otherwise: "no such sale without a report or an export"
        )
    }

    /// What no correction brought is what the sale is found by from then on.
    func insertRow(of version: SaleVersion) throws(LedgerError) -> Int64 {
        let keys = version.correctionId == nil ? version.sale : nil
        return try insert(
            """
            INSERT INTO sale_versions (bundle_id, sale_id, version, customer_id, line_item_id, content, change, said_at,
                correction_id, said_by, reason, refund_of, subscription_id, occurred_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                version.sale.bundleId.rawValue, version.sale.saleId.rawValue, version.version,
                version.sale.customerId?.rawValue, version.lineItemId.rawValue,
                version.sale.json.withoutCustomer.text, version.change.rawValue, version.saidAt.milliseconds,
                version.correctionId?.rawValue, version.by, version.reason, keys?.takenBack?.rawValue,
                keys?.subscriptionName, keys?.occurredAt.milliseconds,
            ]
        )
    }

    func storedSale(_ row: Row) throws(LedgerError) -> StoredSale {
        let version = Int(clamping: try row.integer("version"))
        let isNewer = version > 1
        let state: ReportState? = try row.optionalText("report_state") == nil ? nil : row.known("report_state")
        return StoredSale(
            sequence: try row.integer("sequence"),
            sale: isNewer
                ? try row.sale(content: "content", customer: "newest_customer_id")
                : try row.sale(content: "arrival_content", customer: "customer_id"),
            lineItemId: LineItemId(try row.text(isNewer ? "line_item_id" : "arrival_line_item_id")),
            receivedAt: try row.time("received_at"),
            attribution: Attribution(
                state: try row.known("state"),
                externalPurchaseId: try row.optionalText("external_purchase_id").map { ExternalPurchaseId($0) },
                flags: try row.set("flags")
            ),
            requestIdentifier: try row.optionalText("request_identifier").flatMap { RequestIdentifier($0) },
            reportState: state,
            exportId: try row.optionalText("export_id").map { ManualExportId($0) },
            version: version,
            isRetracted: try row.optionalText("change") == SaleVersion.Change.retracted.rawValue,
            partOf: try row.optionalText("part_of").map { SaleId($0) }
        )
    }
}

extension Row {
    /// The sale of a content that lacks its customer, who stands in another column.
    func sale(content: String, customer: String) throws(LedgerError) -> Sale {
        var json = try json(content)
        if case .object(var object) = json, let customer = try optionalText(customer) {
            object.members.append(.init("customerId", .string(customer)))
            json = .object(object)
        }
        guard let sale = Sale(stored: json) else { throw .corrupt("the content of a sale cannot be read") }
        return sale
    }
}

extension JSONValue {
    var withoutCustomer: JSONValue {
        guard case .object(var object) = self else { return self }
        object.members.removeAll { $0.key == "customerId" }
        return .object(object)
    }
}

package import ExternalPurchaseCore

extension LedgerQueries {
    package func sale(_ id: SaleId, of bundleId: BundleId) throws(LedgerError) -> StoredSale? {
        try sales([id], of: bundleId)[id]
    }

    /// Sales by their ids; those that are unknown are left out.
    package func sales(
        _ ids: some Collection<SaleId>,
        of bundleId: BundleId
    ) throws(LedgerError) -> [SaleId: StoredSale] {
        typealias Key = TransactionCache.Key<SaleId>
        var sales: [SaleId: StoredSale] = [:]
        var unread: [SaleId] = []
        for id in ids {
            if let known = cache.sales[Key(bundleId: bundleId, id: id)] {
                sales[id] = known
            } else {
                unread.append(id)
            }
        }
        let found = try queries(Query.sale, withEach: unread.map { [bundleId.rawValue, $0.rawValue] })
            .decoded(SaleRow.record)
        for (id, found) in zip(unread, found) {
            sales[id] = found.first
            cache.keep(found.first, at: Key(bundleId: bundleId, id: id))
        }
        return sales
    }

    /// The sale that has or had the given line item, sent or not; nil if there is none.
    package func sale(ofLineItem id: LineItemId, of bundleId: BundleId) throws(LedgerError) -> SaleId? {
        try query(.sale(ofLineItem: id, of: bundleId)).decoded { row throws(LedgerError) in
            SaleId(try row.text("sale_id"))
        }.first
    }

    package func sales(_ page: LedgerPage) throws(LedgerError) -> [StoredSale] {
        try query(
            "\(Query.selectSales) WHERE sales.sequence > ? ORDER BY sales.sequence LIMIT ?",
            [page.after, page.bound]
        ).decoded(SaleRow.record)
    }

    /// The refunds and chargebacks of a buy, or the reversals of a chargeback.
    package func refunds(of buy: SaleId, app bundleId: BundleId) throws(LedgerError) -> [StoredSale] {
        try refunds(ofEach: [buy], app: bundleId)
    }

    /// The refunds and chargebacks of buys, and the reversals of chargebacks.
    package func refunds(
        ofEach buys: some Collection<SaleId>,
        app bundleId: BundleId
    ) throws(LedgerError) -> [StoredSale] {
        try queries(Query.refunds, withEach: buys.map { [bundleId.rawValue, $0.rawValue] })
            .decoded(SaleRow.record).flatMap(\.self)
    }

    /// Held sales that are in no report and no manual export.
    package func heldSales(_ page: LedgerPage) throws(LedgerError) -> [StoredSale] {
        try query(
            Query.heldSales,
            [page.after, page.bound]
        ).decoded(SaleRow.record)
    }

    /// Planned sales of a token that are in no report.
    package func plannedSales(
        on token: ExternalPurchaseId,
        of bundleId: BundleId,
        limit: Int
    ) throws(LedgerError) -> [StoredSale] {
        try query(
            Query.plannedSales,
            [bundleId.rawValue, token.environment.rawValue, token.rawValue, max(0, limit)]
        ).decoded(SaleRow.record)
    }

    package func sales(in report: RequestIdentifier, of scope: ReportingScope) throws(LedgerError) -> [StoredSale] {
        try query(
            Query.salesOfReport,
            [scope.bundleId.rawValue, scope.environment.rawValue, report.key]
        ).decoded(SaleRow.record)
    }

    package func sales(_ query: SaleQuery, _ page: LedgerPage) throws(LedgerError) -> [StoredSale] {
        try sales([query], page).first ?? []
    }

    /// The same page of each query.
    package func sales(_ queries: [SaleQuery], _ page: LedgerPage) throws(LedgerError) -> [[StoredSale]] {
        var places: [String: [Int]] = [:]
        var arguments: [SQLArguments] = []
        var found = Array(repeating: [StoredSale](), count: queries.count)
        for (place, query) in queries.enumerated() {
            let statement = query.statement(page)
            arguments.append(statement.arguments)
            if let known = known(query, page) {
                found[place] = known
            } else {
                places[statement.sql, default: []].append(place)
            }
        }
        for (sql, places) in places.sorted(by: { $0.value.lexicographicallyPrecedes($1.value) }) {
            let rows = try self.queries(sql, withEach: places.map { arguments[$0] }).decoded(SaleRow.record)
            for (place, rows) in zip(places, rows) { found[place] = rows }
        }
        return found
    }

    /// The answer that the transaction has already: no sales on a token that it inserted and no sale names, and of a sale that
    /// it inserted the lines that it inserted.
    private func known(_ query: SaleQuery, _ page: LedgerPage) -> [StoredSale]? {
        switch query {
        case .token(let id, let app), .pendingOnToken(let id, let app):
            return cache.unreferencedTokens.contains(TransactionCache.Key(bundleId: app, id: id)) ? [] : nil
        case .lines(let id, let app):
            let lines = cache.lines(of: TransactionCache.Key(bundleId: app, id: id))
            return lines.flatMap { page.after == 0 && $0.count <= page.limit ? $0 : nil }
        default: return nil
        }
    }

    /// Sales that occurred in a time range, excluding its end, sorted by that time.
    package func sales(
        of bundleId: BundleId,
        occurredFrom: Timestamp,
        until: Timestamp,
        _ page: TimePage
    ) throws(LedgerError) -> [StoredSale] {
        try query(
            Query.salesByMoment,
            [
                bundleId.rawValue, max(occurredFrom.milliseconds, page.time), until.milliseconds, page.time,
                page.sequence, page.bound,
            ]
        ).decoded(SaleRow.record)
    }

    package func sales(in export: ManualExportId, of bundleId: BundleId) throws(LedgerError) -> [StoredSale] {
        try query(Query.salesOfExport, [bundleId.rawValue, export.rawValue]).decoded(SaleRow.record)
    }

    /// The ids of the sales in a manual export, in order of arrival.
    package func saleIds(in export: ManualExportId, of bundleId: BundleId) throws(LedgerError) -> [SaleId] {
        try query(Query.saleIdsOfExport, [bundleId.rawValue, export.rawValue]).decoded(SaleRow.saleId.read(from:))
    }

    /// Every version of a sale, the arrival first; empty for an unknown sale.
    package func versions(of sale: SaleId, app bundleId: BundleId) throws(LedgerError) -> [SaleVersion] {
        try query(
            """
            SELECT \(Query.arrival) FROM sales WHERE bundle_id = ? AND sale_id = ?
            UNION ALL
            SELECT version, customer_id, content, line_item_id, change, said_at, correction_id, said_by, reason
            FROM sale_versions WHERE bundle_id = ? AND sale_id = ?
            ORDER BY version
            """,
            [bundleId.rawValue, sale.rawValue, bundleId.rawValue, sale.rawValue]
        ).decoded(SaleVersionRow.record)
    }
}

extension LedgerTransaction {
    func insertRow(of sale: StoredSale) throws(LedgerError) -> Int64 {
        let sequence = try insert(sale, into: SaleRow.table)
        if let whole = sale.partOf, !cache.hasLines(whole, of: sale.sale.bundleId) {
            // Not by a trigger: PostgreSQL would get the rows of all sales one by one.
            try perform(
                "UPDATE sales SET has_lines = 1 WHERE bundle_id = ? AND sale_id = ? AND has_lines = 0",
                [sale.sale.bundleId.rawValue, whole.rawValue]
            )
        }
        return sequence
    }

    func updateRow(
        of sale: SaleId,
        _ bundleId: BundleId,
        _ attribution: Attribution
    ) throws(LedgerError) -> Int64 {
        if cache.isInserted(sale, of: bundleId) {
            // Its row is there, so that nothing waits for the number of changed rows.
            let arguments = SaleRow.attribution.arguments(of: attribution, at: [bundleId.rawValue, sale.rawValue])
            try perform(SaleRow.attribution.sql, arguments)
            return 0
        }
        return try change(
            SaleRow.attribution,
            to: attribution,
            at: bundleId.rawValue,
            sale.rawValue,
            otherwise: "no such sale without a report or an export"
        )
    }

    func insertRow(of version: SaleVersion) throws(LedgerError) -> Int64 {
        try perform(SaleVersionRow.table.insertion.sql, SaleVersionRow.table.insertion.arguments(of: version))
        return 0
    }
}

extension LedgerTransaction {
    /// Stores a sale and returns it with its sequence number.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when the app already has a sale of that id or line item.
    package func insert(_ sale: StoredSale) throws(LedgerError) -> StoredSale {
        var sale = StoredSale(
            sale: sale.sale,
            lineItemId: sale.lineItemId,
            receivedAt: sale.receivedAt,
            attribution: sale.attribution,
            partOf: sale.partOf
        )
        sale.sequence = try perform(.insertSale(sale))
        return sale
    }

    /// Updates the attribution of a sale that is in no report and no manual export.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when the sale is in one of them, or its token is not stored.
    package func update(
        _ attribution: Attribution,
        of sale: SaleId,
        app bundleId: BundleId
    ) throws(LedgerError) {
        try perform(.attributeSale(attribution, sale, bundleId))
    }

    /// Stores a change that waits for Apple's response; it supersedes a waiting change of the same sale.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` for an unknown sale.
    package func insert(_ change: SaleChange) throws(LedgerError) -> SaleChange {
        for earlier in try changes(of: change.saleId, app: change.bundleId) where earlier.closing == nil {
            try close(earlier, as: .superseded)
        }
        var change = change
        change.closing = nil
        change.sequence = try perform(.insertSaleChange(change))
        return change
    }

    /// Closes a waiting change with its outcome.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when the change does not wait.
    package func close(_ change: SaleChange, as outcome: SaleChange.Outcome) throws(LedgerError) {
        let closing = SaleChange.Closing(at: dependencies.now(), outcome: outcome)
        try perform(.closeSaleChange(sequence: change.sequence, of: change.saleId, change.bundleId, closing))
    }

    /// Adds the next version of a sale, which becomes the current one.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when the version does not follow the newest one, when the sale or the
    ///   correction is not stored, or when the line item belongs to another sale.
    package func insert(_ version: SaleVersion) throws(LedgerError) {
        try perform(.addSaleVersion(version))
    }
}

extension SaleQuery {
    /// The query of a page.
    func statement(_ page: LedgerPage) -> SQLQuery {
        let (sql, app, value) = parts(page)
        guard let app, let value else { return SQLQuery(sql, [page.place, page.bound]) }
        return SQLQuery(sql, [app.rawValue, value, page.place, page.bound])
    }

    private func parts(_ page: LedgerPage) -> (sql: String, app: BundleId?, value: String?) {
        switch self {
        case .given: (page.isNewestFirst ? Query.givenSalesNewestFirst : Query.givenSales, nil, nil)
        case .subscription(let id, let app): (Query.salesOfSubscription, app, id)
        case .customer(let id, let app): (Query.salesOfCustomer, app, id.rawValue)
        case .token(let id, let app): (Query.salesOfToken, app, id.rawValue)
        case .pendingOnToken(let id, let app): (Query.pendingSalesOnToken, app, id.rawValue)
        case .pendingOfCustomer(let id, let app): (Query.pendingSalesOfCustomer, app, id.rawValue)
        case .heldOfCustomer(let id, let app): (Query.heldSalesOfCustomer, app, id.rawValue)
        case .pendingOfCheckout(let id, let app): (Query.pendingSalesOfCheckout, app, id.rawValue)
        case .naming(let id, let app): (Query.salesNamingToken, app, id.rawValue)
        case .payment(let id, let app): (Query.salesOfPayment, app, id.rawValue)
        case .changing(let id, let app): (Query.salesChangingWithToken, app, id.rawValue)
        case .takingBackSubscription(let id, let app): (Query.salesTakingBackSubscription, app, id)
        case .state(let state, let app): (Query.salesInState, app, state.rawValue)
        case .lines(let id, let app): (Query.linesOfSale, app, id.rawValue)
        case .replaced(let app):
            (page.isNewestFirst ? Query.replacedSalesNewestFirst : Query.replacedSales, app, app.rawValue)
        }
    }
}

import ExternalPurchaseCore
package import Ledger

/// A sale in a list, with the position after which the next page begins.
package struct ListedSale: Hashable, Sendable {
    package let place: Int64
    package let receipt: SaleReceipt
}

extension RecordLists {
    /// Returns a page of sales in the order of arrival.
    ///
    /// An order appears once if any of its lines matches the filter.
    package func sales(
        matching filter: ListFilter = ListFilter(),
        _ page: LedgerPage
    ) async throws(RequestError) -> [ListedSale] {
        let named: [BundleId]? = filter[.bundleId].map { name in [BundleId(name)].filter { has($0) } }
        let isOfAll = filter.isEmpty && !isLimited
        return try await store.shortRead { ledger throws(LedgerError) in
            if isOfAll {
                var sales: [ListedSale] = []
                for sale in try ledger.sales(.given, page) {
                    let receipt = try ledger.statingCurrency(sale).receipt(isNew: false, in: ledger)
                    sales.append(ListedSale(place: sale.sequence, receipt: receipt))
                }
                return sales
            }
            let bundleIds = if let named { named } else { try apps(in: ledger) }
            return try ledger.sales(matching: bundleIds.map { SaleFilter(filter, of: $0) }, page)
        }
    }

    /// Returns a page of sale rows in the order of arrival, including the lines of orders.
    func sales(_ page: LedgerPage) async throws(RequestError) -> [StoredSale] {
        try await store.shortRead { ledger throws(LedgerError) in
            var sales = try ledger.sales(page)
            for place in sales.indices { sales[place] = try sales[place].whereItIs(in: ledger) }
            return sales
        }
    }

    /// Returns the standing of sales that Apple has not accepted.
    ///
    /// Due list and review items use the same rule (OB-52).
    ///
    /// - Returns: one standing per sale, in the order of the sales.
    package func standings(of sales: [StoredSale]) async throws(RequestError) -> [HoldClassifier.Readiness] {
        let (classifier, now) = (classifier, dependencies.now())
        let blocked = try await store.shortRead { ledger throws(LedgerError) in try classifier.blockedApps(in: ledger) }
        return sales.map { classifier.readiness(of: $0, blockedApps: blocked, now: now) }
    }
}

extension LedgerQueries {
    /// Returns a refund that states no currency with that of its purchase; every other sale, unchanged.
    func statingCurrency(_ stored: StoredSale) throws(LedgerError) -> StoredSale {
        guard let refund = stored.sale.refund, refund.currency == nil,
            let purchase = try refundedPurchase(of: stored.sale)
        else { return stored }
        return stored.with(stored.sale.with(.refund(refund.saying(tax: refund.tax, currency: purchase.currency))))
    }

    /// Returns the sales with the currency of each refund.
    func statingCurrencies(_ sales: [StoredSale]) throws(LedgerError) -> [StoredSale] {
        var sales = sales
        for index in sales.indices { sales[index] = try statingCurrency(sales[index]) }
        return sales
    }
}

extension SaleFilter {
    fileprivate init(_ filter: ListFilter, of bundleId: BundleId) {
        self.init(bundleId: bundleId)
        environment = filter[.environment].flatMap(AppStoreEnvironment.init(rawValue:))
        state = filter[.state].flatMap(State.init(rawValue:))
        standing = filter[.standing].flatMap(SaleStanding.init(rawValue:))
        kind = filter[.kind]
        customerId = filter[.customerId].map { CustomerId($0) }
        checkoutId = filter[.checkoutId].map { CheckoutId($0) }
        externalPurchaseId = filter[.externalPurchaseId].map { ExternalPurchaseId($0) }
        productId = filter[.productId]
        from = filter.from
        until = filter.until
        flag = filter[.flag].map(SaleFlag.init(rawValue:))
    }
}

extension LedgerQueries {
    fileprivate func sales(matching filters: [SaleFilter], _ page: LedgerPage) throws(LedgerError) -> [ListedSale] {
        var found: [ListedSale] = []
        var place = page.after
        while found.count < page.limit {
            var rows: [(row: StoredSale, filter: SaleFilter)] = []
            let part = LedgerPage(after: place, limit: page.limit, isNewestFirst: page.isNewestFirst)
            for filter in filters {
                var sequences: Set<Int64> = []
                for row in try sales(matching: filter, part) {
                    sequences.insert(row.sequence)
                    rows.append((row, filter))
                }
                // A moved sale has to match by its present token; its row still names the first one (RR-81).
                guard filter.externalPurchaseId != nil else { continue }
                for row in try sales(.replaced(of: filter.bundleId), part) where !sequences.contains(row.sequence) {
                    rows.append((row, filter))
                }
            }
            rows.sort { page.precedes($0.row.sequence, $1.row.sequence) }
            for (row, filter) in rows.prefix(page.limit) where found.count < page.limit {
                place = row.sequence
                guard filter.matches(try row.whereItIs(in: self)), let receipt = try receipt(of: row, filter) else {
                    continue
                }
                found.append(ListedSale(place: place, receipt: receipt))
            }
            if rows.count < page.limit { break }
        }
        return found
    }

    /// Returns the receipt of a row's sale; for a line of an order only if it is the first line that matches.
    private func receipt(of row: StoredSale, _ filter: SaleFilter) throws(LedgerError) -> SaleReceipt? {
        guard let id = row.partOf else { return try statingCurrency(row).receipt(isNew: false, in: self) }
        guard let whole = try sale(id, of: row.sale.bundleId) else { return nil }
        let receipt = try statingCurrency(whole).receipt(isNew: false, in: self)
        let first = receipt.lines.first { filter.matches($0) }
        return first?.sale.saleId == row.sale.saleId ? receipt : nil
    }
}

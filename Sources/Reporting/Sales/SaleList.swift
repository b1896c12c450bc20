package import ExternalPurchaseCore
package import Ledger

/// Which sales a caller asks for; nothing given means all.
package struct SaleListFilter: Hashable, Sendable {
    /// Nil takes all apps.
    package var bundleId: BundleId?
    package var state: SaleFilter.State?
    package var standing: SaleStanding?
    package var customerId: CustomerId?
    package var checkoutId: CheckoutId?
    package var externalPurchaseId: ExternalPurchaseId?
    package var productId: String?
    package var from: Timestamp?
    package var until: Timestamp?
    package var flag: SaleFlag?

    package init() {}

    fileprivate func filter(of bundleId: BundleId) -> SaleFilter {
        var filter = SaleFilter(bundleId: bundleId)
        filter.state = state
        filter.standing = standing
        filter.customerId = customerId
        filter.checkoutId = checkoutId
        filter.externalPurchaseId = externalPurchaseId
        filter.productId = productId
        filter.from = from
        filter.until = until
        filter.flag = flag
        return filter
    }
}

/// A sale in a list, with the place that the next page begins after.
package struct ListedSale: Hashable, Sendable {
    package let place: Int64
    package let receipt: SaleReceipt
}

extension MerchantSide {
    /// A page of sales in the order of arrival, those of several lines each once, where one of their lines matches.
    package func sales(
        matching filter: SaleListFilter = SaleListFilter(),
        _ page: LedgerPage
    ) async throws(RequestRefusal) -> [ListedSale] {
        let bundleIds = filter.bundleId.map { [$0] } ?? apps.keys.sorted()
        return try await read { ledger throws(LedgerError) in
            if filter == SaleListFilter() {
                var sales: [ListedSale] = []
                for sale in try ledger.sales(.given, page) {
                    let receipt = try sale.receipt(isNew: false, in: ledger)
                    sales.append(ListedSale(place: sale.sequence, receipt: receipt))
                }
                return sales
            }
            return try ledger.sales(matching: bundleIds.map { filter.filter(of: $0) }, page)
        }
    }
}

extension LedgerReading {
    fileprivate func sales(matching filters: [SaleFilter], _ page: LedgerPage) throws(LedgerError) -> [ListedSale] {
        var found: [ListedSale] = []
        var place = page.after
        while found.count < page.limit {
            var rows: [(row: StoredSale, filter: SaleFilter)] = []
            for filter in filters {
                for row in try sales(matching: filter, LedgerPage(after: place, limit: page.limit)) {
                    rows.append((row, filter))
                }
            }
            rows.sort { $0.row.sequence < $1.row.sequence }
            for (row, filter) in rows.prefix(page.limit) where found.count < page.limit {
                place = row.sequence
                guard filter.matches(row), let receipt = try receipt(of: row, filter) else { continue }
                found.append(ListedSale(place: place, receipt: receipt))
            }
            if rows.count < page.limit { break }
        }
        return found
    }

    /// The sale of a row; of a line only at the first one that matches.
    private func receipt(of row: StoredSale, _ filter: SaleFilter) throws(LedgerError) -> SaleReceipt? {
        guard let id = row.partOf else { return try row.receipt(isNew: false, in: self) }
        guard let whole = try sale(id, of: row.sale.bundleId) else { return nil }
        let receipt = try whole.receipt(isNew: false, in: self)
        let first = receipt.lines.first { filter.matches($0) }
        return first?.sale.saleId == row.sale.saleId ? receipt : nil
    }
}

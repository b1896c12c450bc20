package import ExternalPurchaseCore
package import Ledger

/// The id of a sale with its app: two apps may have a sale of the same id.
package struct SaleName: Hashable, Sendable {
    let bundleId: BundleId
    package let saleId: SaleId

    package init(_ saleId: SaleId, of bundleId: BundleId) {
        self.bundleId = bundleId
        self.saleId = saleId
    }
}

/// The records that the rows of a page name.
package struct RelatedRecords: Sendable {
    package var tokens: [ExternalPurchaseId: StoredToken] = [:]
    package var sales: [SaleName: StoredSale] = [:]
    /// The sales of line items.
    package var salesOfItems: [LineItemId: StoredSale] = [:]

    init() {}
}

extension RecordLists {
    /// Returns the records that the rows of a page name, by one query each; an unknown one is left out.
    package func related(
        tokens: some Sequence<ExternalPurchaseId> = [],
        sales: some Sequence<SaleName> = [],
        items: some Sequence<(id: LineItemId, app: BundleId)> = []
    ) async throws(RequestError) -> RelatedRecords {
        let (tokens, sales, items, lists) = (Set(tokens), Set(sales), Array(items), self)
        return try await store.shortRead { ledger throws(LedgerError) in
            var related = RelatedRecords()
            for id in tokens {
                related.tokens[id] = try ledger.tokens(withId: id).first { lists.has($0.token.bundleId) }
            }
            for name in sales { related.sales[name] = try ledger.sale(name.saleId, of: name.bundleId) }
            for item in items {
                guard let id = try ledger.sale(ofLineItem: item.id, of: item.app) else { continue }
                related.salesOfItems[item.id] = try ledger.sale(id, of: item.app)
            }
            return related
        }
    }
}

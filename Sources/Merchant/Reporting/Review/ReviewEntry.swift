import ExternalPurchaseCore
package import Ledger

/// A review item with the records that it is about and the decisions that it takes as things stand.
package struct ReviewEntry: Sendable {
    package let item: ReviewItem
    /// The sales that the item is about, at most ``limit``: its subject, or those that a report's refusal names.
    ///
    /// The sales of the whole report where the refusal names none.
    package let sales: [StoredSale]
    /// The number of sales that the item is about.
    package let saleCount: Int
    /// The report that was refused.
    package let report: StoredReport?
    /// The token that the item is about, or that of its report.
    package let token: StoredToken?
    /// The decisions that are not refused as things stand; empty for a closed item.
    package let choices: [ReviewDecision.Action]

    /// The largest number of sales of an entry.
    static let limit = 5
}

extension ReviewDecisions {
    /// Returns the entries of review items, in their order.
    package func entries(of items: [ReviewItem]) async throws(RequestError) -> [ReviewEntry] {
        if items.isEmpty { return [] }
        let now = dependencies.now()
        return try await store.shortRead { ledger throws(LedgerError) in
            var entries: [ReviewEntry] = []
            for item in items { entries.append(try entry(of: item, now: now, in: ledger)) }
            return entries
        }
    }

    private func entry(
        of item: ReviewItem,
        now: Timestamp,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> ReviewEntry {
        let app = item.bundleId
        var (ids, report, tokenId): ([SaleId], StoredReport?, ExternalPurchaseId?) = ([], nil, nil)
        switch item.subject {
        case .app, .notification: break
        case .token(let id): tokenId = id
        case .sale(let id): ids = [id]
        case .report(let id):
            for environment in AppStoreEnvironment.allCases where report == nil {
                report = try ledger.report(id, in: ReportingScope(bundleId: app, environment: environment))
            }
            if let report {
                ids = report.namedSales.sorted()
                if ids.isEmpty { ids = try ledger.sales(in: id, of: report.scope).map(\.sale.saleId) }
                tokenId = report.externalPurchaseId
            }
        }
        var sales: [StoredSale] = []
        for id in ids.prefix(ReviewEntry.limit) { if let sale = try ledger.sale(id, of: app) { sales.append(sale) } }
        var token: StoredToken?
        if let tokenId { token = try ledger.token(tokenId, of: app) }
        return ReviewEntry(
            item: item,
            sales: sales,
            saleCount: ids.count,
            report: report,
            token: token,
            choices: try choices(for: item, now: now, in: ledger)
        )
    }
}

import ExternalPurchaseCore
import Ledger

/// The stage `attribute`: attributes held sales to their token once it has arrived.
struct SaleAttribution: Sendable {
    let store: any LedgerStore
    let apps: [BundleId: RegisteredApp]
    let planner: MerchantPlanner
    let dependencies: ReportingDependencies

    /// The largest number of held sales per transaction.
    private static let page = 100

    /// Plans all held sales again, each with its connected records.
    ///
    /// - Returns: the number of held sales.
    func attribute() async throws(LedgerError) -> Int {
        let (planner, now) = (planner, dependencies.now())
        var count = 0
        var last: Int64? = 0
        while let after = last {
            let looked = try await store.write { ledger throws(LedgerError) in
                let held = try ledger.heldSales(LedgerPage(after: after, limit: Self.page))
                var planned: Set<SaleId> = []
                for sale in held where !planned.contains(sale.sale.saleId) {
                    let keys = [.sale(sale.sale.saleId)] + sale.sale.keys
                    let plan = try planner.replan(
                        touching: keys,
                        of: sale.sale.bundleId,
                        extent: .touched,
                        in: ledger,
                        now: now
                    ).plan
                    planned.formUnion(plan.sales.keys)
                }
                return (count: held.count, last: held.count == Self.page ? held.last?.sequence : nil)
            }
            count += looked.count
            last = looked.last
        }
        try await replanFigures()
        return count
    }

    /// Plans accepted charges with open review items again, because clock and settings may have changed since.
    private func replanFigures() async throws(LedgerError) {
        let (planner, now) = (planner, dependencies.now())
        for bundleId in apps.keys.sorted() {
            let items = try await store.read { ledger throws(LedgerError) in
                try ledger.openReviewItems(of: .subscriptionFigures, app: bundleId)
            }
            let sales = items.compactMap(\.sale)
            if sales.isEmpty { continue }
            _ = try await store.write { ledger throws(LedgerError) in
                for sale in sales {
                    try planner.replan(
                        touching: [.sale(sale)],
                        of: bundleId,
                        extent: .pending,
                        in: ledger,
                        now: now
                    )
                }
            }
        }
    }
}

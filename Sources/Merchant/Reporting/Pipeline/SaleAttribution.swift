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

    /// Plans all held sales again, with their connected records.
    ///
    /// - Returns: the number of held sales.
    func attribute() async throws(LedgerError) -> Int {
        let (planner, now) = (planner, dependencies.now())
        var count = 0
        // After most tokens there is nothing to plan, and the one writer is not asked.
        let isAnyHeld = try await store.read { ledger throws(LedgerError) in
            try !ledger.heldSales(LedgerPage(limit: 1)).isEmpty
        }
        var last: Int64? = isAnyHeld ? 0 : nil
        while let after = last {
            let looked = try await store.write { ledger throws(LedgerError) in
                let held = try ledger.heldSales(LedgerPage(after: after, limit: Self.page))
                let apps = Dictionary(grouping: held, by: \.sale.bundleId)
                for (bundleId, sales) in apps.sorted(by: { $0.key < $1.key }) {
                    // One plan for all: each by itself would wait for a database behind a network several times.
                    try planner.replan(
                        touching: sales.flatMap { [.sale($0.sale.saleId)] + $0.sale.keys },
                        of: bundleId,
                        extent: .touched,
                        in: ledger,
                        now: now
                    )
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
                try planner.replan(
                    touching: sales.map { .sale($0) },
                    of: bundleId,
                    extent: .pending,
                    in: ledger,
                    now: now
                )
            }
        }
    }
}

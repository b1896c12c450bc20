package import ExternalPurchaseCore
package import Ledger

extension RecordLists {
    /// Returns the environment that a page shows if nobody chose one: production, unless only the sandbox has records.
    ///
    /// - Parameters:
    ///   - environments: the environments with a base URL.
    ///   - counts: the present counts, which show most records without a query.
    package func environmentOfRecords(
        among environments: [AppStoreEnvironment],
        _ counts: LedgerCounts
    ) async throws(RequestError) -> AppStoreEnvironment {
        guard environments.contains(.production) else { return environments.first ?? .production }
        guard environments.contains(.sandbox) else { return .production }
        if try await hasRecords(in: .production, counts) { return .production }
        return try await hasRecords(in: .sandbox, counts) ? .sandbox : .production
    }

    private func hasRecords(
        in environment: AppStoreEnvironment,
        _ counts: LedgerCounts
    ) async throws(RequestError) -> Bool {
        let isCounted =
            counts.reports.contains { $0.key.scope.environment == environment && $0.value > 0 }
            || counts.plannedSales.contains { $0.key.environment == environment && $0.value > 0 }
            || counts.heldSales.contains { $0.key.environment == environment && $0.value > 0 }
        if isCounted { return true }
        let apps = apps
        return try await store.shortRead { ledger throws(LedgerError) in
            let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
            for app in apps {
                let scope = ReportingScope(bundleId: app, environment: environment)
                let tokens = try ledger.tokens(in: scope, madeFrom: first, until: last, TimePage(limit: 1))
                if !tokens.isEmpty { return true }
            }
            return false
        }
    }
}

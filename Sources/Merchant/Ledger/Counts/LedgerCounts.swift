package import ExternalPurchaseCore

/// How many rows stand where, counted by the store without reading them one by one.
package struct LedgerCounts: Hashable, Sendable {
    /// A scope and a state of reports.
    package struct ReportKey: Hashable, Sendable {
        package let scope: ReportingScope
        package let state: ReportState

        package init(scope: ReportingScope, state: ReportState) {
            self.scope = scope
            self.state = state
        }
    }

    /// Where held sales stand; a sale counts once for each of its flags.
    package struct HeldKey: Hashable, Sendable {
        package let bundleId: BundleId
        /// Nil without a token.
        package let environment: AppStoreEnvironment?
        /// Nil for a sale without flags.
        package let flag: SaleFlag?

        package init(bundleId: BundleId, environment: AppStoreEnvironment?, flag: SaleFlag?) {
            self.bundleId = bundleId
            self.environment = environment
            self.flag = flag
        }
    }

    /// An app and a kind of open attention items.
    package struct ReviewKey: Hashable, Sendable {
        package let bundleId: BundleId
        package let kind: ReviewKind

        package init(bundleId: BundleId, kind: ReviewKind) {
            self.bundleId = bundleId
            self.kind = kind
        }
    }

    package var reports: [ReportKey: Int] = [:]
    /// Sales that wait, those in a manual export left out.
    package var heldSales: [HeldKey: Int] = [:]
    /// Sales that no report holds yet.
    package var plannedSales: [ReportingScope: Int] = [:]
    /// When the oldest planned sale arrived, or the oldest report was written that Apple has not accepted.
    package var oldestUnsent: [ReportingScope: Timestamp] = [:]
    package var review: [ReviewKey: Int] = [:]
    /// Alert messages that the webhook has not accepted yet.
    package var undeliveredAlerts = 0

    package init() {}

    package mutating func note(unsentSince time: Timestamp, in scope: ReportingScope) {
        oldestUnsent[scope] = min(oldestUnsent[scope] ?? time, time)
    }
}

/// What can be counted.
package protocol CountsQueries {
    func counts() throws(LedgerError) -> LedgerCounts
}

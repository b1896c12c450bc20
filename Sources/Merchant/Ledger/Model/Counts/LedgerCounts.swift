package import ExternalPurchaseCore

/// Row counts by state, computed by the store without reading single rows.
package struct LedgerCounts: Hashable, Sendable {
    /// A scope and a state of reports.
    package struct ReportKey: Hashable, Sendable {
        package let scope: ReportingScope
        package let state: ReportState
    }

    /// App, environment and flag of held sales; a sale counts once for each of its flags.
    package struct HeldKey: Hashable, Sendable {
        package let bundleId: BundleId
        /// The environment in which the sale counts (``StoredSale/environment``).
        package let environment: AppStoreEnvironment
        /// Nil for a sale without flags.
        package let flag: SaleFlag?
    }

    /// An app and a kind of open review items.
    package struct ReviewKey: Hashable, Sendable {
        package let bundleId: BundleId
        package let kind: ReviewKind
    }

    package var reports: [ReportKey: Int] = [:]
    /// Held sales, without those in a manual export.
    package var heldSales: [HeldKey: Int] = [:]
    /// Planned sales that are not in a report yet.
    package var plannedSales: [ReportingScope: Int] = [:]
    /// The earliest time at which a planned sale arrived or an unaccepted report was written.
    package var oldestUnsent: [ReportingScope: Timestamp] = [:]
    /// Tokens that were never reported and whose report is written or sent; a store leaves it empty.
    package var tokensOnTheWay: [ReportingScope: Int] = [:]
    package var review: [ReviewKey: Int] = [:]
    /// What customers paid in the last 30 days by the events of payment providers; a store leaves it empty.
    package var payments: [PaymentFigure] = []
    /// Alert messages that the webhook has not accepted yet.
    package var undeliveredAlerts = 0

    package init() {}

    /// Returns the counts of some apps; what belongs to no app is left out.
    package func limited(to apps: Set<BundleId>) -> LedgerCounts {
        var counts = LedgerCounts()
        counts.reports = reports.filter { apps.contains($0.key.scope.bundleId) }
        counts.heldSales = heldSales.filter { apps.contains($0.key.bundleId) }
        counts.plannedSales = plannedSales.filter { apps.contains($0.key.bundleId) }
        counts.oldestUnsent = oldestUnsent.filter { apps.contains($0.key.bundleId) }
        counts.tokensOnTheWay = tokensOnTheWay.filter { apps.contains($0.key.bundleId) }
        counts.review = review.filter { apps.contains($0.key.bundleId) }
        counts.payments = payments.filter { apps.contains($0.bundleId) }
        return counts
    }

    package mutating func note(unsentSince time: Timestamp, in scope: ReportingScope) {
        oldestUnsent[scope] = min(oldestUnsent[scope] ?? time, time)
    }
}

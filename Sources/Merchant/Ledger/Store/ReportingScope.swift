package import ExternalPurchaseCore

/// One app in one environment: what Apple keeps apart from everything else (SA-90).
package struct ReportingScope: Hashable, Sendable, CustomStringConvertible {
    package let bundleId: BundleId
    package let environment: AppStoreEnvironment

    package init(bundleId: BundleId, environment: AppStoreEnvironment) {
        self.bundleId = bundleId
        self.environment = environment
    }

    package var description: String { "\(bundleId) (\(environment.rawValue))" }
}

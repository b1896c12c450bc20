/// One app in one environment.
///
/// Apple keeps the tokens, reports and notifications of each scope apart from those of every other (SA-90).
package struct ReportingScope: Hashable, Sendable, CustomStringConvertible {
    package let bundleId: BundleId
    package let environment: AppStoreEnvironment

    package init(bundleId: BundleId, environment: AppStoreEnvironment) {
        self.bundleId = bundleId
        self.environment = environment
    }

    package var description: String { "\(bundleId) (\(environment.rawValue))" }
}

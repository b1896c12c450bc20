package import AppStoreAPI
package import ExternalPurchaseCore
import Ledger

/// An app of the merchant, with the client that takes its reports to Apple.
package struct RegisteredApp: Sendable {
    package let bundleId: BundleId
    package let appAppleId: Int64
    /// The environments that have a base URL; tokens of another one are kept and held.
    package let environments: Set<AppStoreEnvironment>
    package let client: any ReportEndpointClient

    package init(
        bundleId: BundleId,
        appAppleId: Int64,
        environments: Set<AppStoreEnvironment>,
        client: any ReportEndpointClient
    ) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environments = environments
        self.client = client
    }
}

package import AppStoreServerClient
package import ExternalPurchaseCore
import Ledger

/// An app of the merchant, with the client that sends its reports to Apple.
package struct RegisteredApp: Sendable {
    package let bundleId: BundleId
    package let appAppleId: Int64
    /// The environments that have a base URL; tokens of other environments are stored and held.
    package let environments: Set<AppStoreEnvironment>
    package let client: any ReportEndpointClient
    /// The id of the key that signs the requests, for messages; nil if it is not known.
    let keyId: String?
    /// The identifiers of the app's reporting programmes (OB-12).
    package let programmes: [String]
    /// What the app may offer, by storefront.
    package let policy: PurchasePolicy
    /// Queries the notification history for lost notifications; nil disables it (NT-68).
    let history: (any NotificationHistoryClient)?

    /// The app in each of its environments, by name.
    var scopes: [ReportingScope] {
        environments.sorted { $0.rawValue < $1.rawValue }.map { ReportingScope(bundleId: bundleId, environment: $0) }
    }

    package init(
        bundleId: BundleId,
        appAppleId: Int64,
        environments: Set<AppStoreEnvironment>,
        client: any ReportEndpointClient,
        keyId: String? = nil,
        programmes: [String] = [],
        policy: PurchasePolicy = .open,
        history: (any NotificationHistoryClient)? = nil
    ) {
        self.history = history
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environments = environments
        self.client = client
        self.keyId = keyId
        self.programmes = programmes
        self.policy = policy
    }
}

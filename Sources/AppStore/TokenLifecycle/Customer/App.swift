package import ExternalPurchaseCore

/// The app in the fields of a token (TK-26).
package struct App: Hashable, Sendable {
    package let appAppleId: Int64
    package let bundleId: BundleId

    package init(appAppleId: Int64, bundleId: BundleId) {
        self.appAppleId = appAppleId
        self.bundleId = bundleId
    }
}

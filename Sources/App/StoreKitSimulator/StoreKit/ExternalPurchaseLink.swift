import Eligibility
public import Foundation

/// Links to a website that Info.plist defines.
///
/// StoreKit shows a sheet and opens them in the browser.
public enum ExternalPurchaseLink: Sendable {
    /// Whether `open()` can open the link of `SKExternalPurchaseLink` in the storefront (SK-22).
    ///
    /// Read it again whenever the storefront changes (SK-90).
    public static var canOpen: Bool {
        get async { StoreKitSession.current.read(.canOpen).isEligible }
    }

    /// Asks the customer, and opens the link of `SKExternalPurchaseLink` with token and bundle id appended.
    ///
    /// The method returns before the sheet appears, so its return says nothing about the customer's choice (SK-56).
    ///
    /// - Throws: `StoreKitError` of the first condition that fails (SK-20).
    public static func open() async throws {
        try StoreKitSession.current.openLink(nil)
    }

    /// The links of `SKExternalPurchaseMultiLink` for the storefront; nil when none can be opened (SK-22).
    ///
    /// The order has no meaning. When this is nil, read `canOpen` if the app configures `SKExternalPurchaseLink`
    /// (SK-82).
    public static var eligibleURLs: [URL]? {
        get async {
            let evaluation = StoreKitSession.current.read(.eligibleURLs)
            return evaluation.isEligible ? evaluation.urls : nil
        }
    }

    /// Asks the customer, and opens one of `eligibleURLs` with token and bundle id appended.
    ///
    /// The method returns before the sheet appears, so its return says nothing about the customer's choice (SK-56).
    ///
    /// - Parameter url: one of `eligibleURLs`. Any other URL fails (SK-55).
    /// - Throws: `StoreKitError` of the first condition that fails (SK-20).
    public static func open(url: URL) async throws {
        try StoreKitSession.current.openLink(url)
    }
}

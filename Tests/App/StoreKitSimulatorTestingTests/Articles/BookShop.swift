import Foundation
import StoreKitSimulator

/// The purchase flow of an app that sells books on its website.
struct BookShop {
    /// Handles a tap.
    ///
    /// False when the shop shows In-App Purchase instead.
    @discardableResult
    func buy() async throws -> Bool {
        guard AppStore.canMakePayments, let link = await ExternalPurchaseLink.eligibleURLs?.first else { return false }
        try await ExternalPurchaseLink.open(url: link)
        return true
    }
}

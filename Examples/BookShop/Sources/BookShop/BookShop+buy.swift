// region tap
// Sources/BookShop/BookShop+buy.swift
import ExternalPurchaseKit

extension BookShop {
    /// What the view shows after a tap.
    enum Step: Hashable, Sendable {
        case thanks, inAppPurchase, nothing
        case message(String)
    }

    /// Whether the button "Buy on our website" is shown.
    var sellsOnWebsite: Bool { model.availability?.offersCustomLink(.outOfApp) == true }

    /// Whether In-App Purchase is shown: alone, or in Japan and Brazil beside the button and at least as prominent.
    var sellsInApp: Bool { model.availability?.offers.contains(.inAppPurchase) == true }

    /// A tap on the button.
    func buy() async -> Step {
        switch await model.purchaseWithCustomLink(.outOfApp(destinationURL: website)) {
        case .continued: .thanks
        case .cancelled, .notOffered(.purchaseInProgress): .nothing
        case .notOffered(.paymentsNotAllowed): .nothing
        case .notOffered: .inAppPurchase
        case .destinationNotOpened: .message("The website could not be opened.")
        case .tokensNotKept: .message("The device has no space left.")
        case .failed, .tokenFailed: .message("Please try again later.")
        }
    }
}
// endregion

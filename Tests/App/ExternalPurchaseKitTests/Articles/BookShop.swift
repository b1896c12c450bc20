// The app of ExternalPurchaseKit.docc/sell-outside-the-app-store-in-an-afternoon.md, which shows the regions.

// region shop
import ExternalPurchaseKit
import Foundation

/// What the views of the shop show, and what a tap does.
@MainActor
final class BookShop {
    let model: ExternalPurchaseModel
    private let website: URL

    init(
        store: any ExternalPurchaseStore,
        outbox: TokenOutbox,
        account: Account,
        website: URL,
        openURL: @escaping @MainActor @Sendable (URL) async -> Bool
    ) {
        var configuration = ExternalPurchaseModel.Configuration()
        configuration.gates = [account.ageGate]
        configuration.openURL = openURL
        model = ExternalPurchaseModel(store: store, outbox: outbox, configuration: configuration)
        self.website = website
    }
}
// endregion

// region gate
/// The customer who is signed in.
actor Account {
    var isAdult: Bool?

    init(isAdult: Bool?) { self.isAdult = isAdult }

    nonisolated var ageGate: PurchaseGate {
        PurchaseGate("age") {
            // An age that is not known counts as that of a child.
            await self.isAdult == true ? .open : .closed(reason: "no adult")
        }
    }
}
// endregion

// region tap
extension BookShop {
    /// What the view shows after a tap.
    enum Step: Hashable, Sendable {
        case thanks, inAppPurchase, nothing
        case message(String)
    }

    /// Whether the button "Buy on our website" is shown.
    var sellsOnWebsite: Bool { model.availability?.offers.first == .customLink }

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

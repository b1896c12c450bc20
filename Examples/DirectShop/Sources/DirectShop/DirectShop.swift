// On Apple hosts the name StoreKit belongs to the SDK, and the shop is played over the simulator under its own name.
#if canImport(Darwin)
public import Foundation
public import StoreKitSimulator
#else
public import StoreKit
#endif

/// The way of buying that the shop shows next to a pack of gems.
public enum Offer: Hashable, Sendable {
    /// A link to the website; tapping it asks the customer first.
    case website(URL)
    /// The one link of Info.plist, on systems that know no choice of links.
    case configuredWebsite
    /// In-App Purchase.
    case inAppPurchase
    /// Nothing can be bought on this device.
    case nothing
}

/// What came of a tap on the buy button.
public enum PurchaseStep: Sendable {
    /// StoreKit asks the customer now; the website takes the purchase from there.
    ///
    /// Nothing is sold yet: the customer may still decline.
    case askingCustomer
    /// The shop shows In-App Purchase.
    case inAppPurchase
    /// The shop sells nothing on this device.
    case nothing
    /// The link could not be opened; says what to tell the customer.
    case failed(StoreKitError)
}

/// A shop that calls StoreKit itself, without ExternalPurchaseKit.
///
/// Links bring their tokens to the website, so that the app has nothing to keep.
public struct DirectShop: Sendable {
    private let chooseLink: @Sendable ([URL]) -> URL?

    /// A shop.
    ///
    /// - Parameter chooseLink: picks one of several eligible links; their order has no meaning.
    public init(chooseLink: @escaping @Sendable ([URL]) -> URL? = { $0.min { $0.path() < $1.path() } }) {
        self.chooseLink = chooseLink
    }

    /// What to show now; ask again whenever the storefront changes.
    public func offer() async -> Offer {
        // A device that may not pay gets no offer at all, In-App Purchase included.
        guard AppStore.canMakePayments else { return .nothing }
        // Info.plist admits iOS 17.4, and a choice of links came with 17.5: Xcode compiles the call under a guard only.
        if #available(iOS 17.5, macOS 14.5, *), let links = await ExternalPurchaseLink.eligibleURLs,
            let link = chooseLink(links)
        {
            return .website(link)
        }
        // The single link serves systems before iOS 17.5.
        if await ExternalPurchaseLink.canOpen { return .configuredWebsite }
        return .inAppPurchase
    }

    /// Acts on a tap: asks StoreKit anew and opens the link, or says what to show instead.
    ///
    /// Returns before the customer has answered the sheet.
    public func buy() async -> PurchaseStep {
        do {
            switch await offer() {
            case .website(let link):
                guard #available(iOS 17.5, macOS 14.5, *) else { return .inAppPurchase }
                try await ExternalPurchaseLink.open(url: link)
            case .configuredWebsite: try await ExternalPurchaseLink.open()
            case .inAppPurchase: return .inAppPurchase
            case .nothing: return .nothing
            }
            return .askingCustomer
        } catch let error as StoreKitError {
            return step(after: error)
        } catch {
            return .failed(.systemError(error))
        }
    }

    /// The storefront may change between question and tap; then the shop sells by In-App Purchase.
    private func step(after error: StoreKitError) -> PurchaseStep {
        // This case of the error is newer than the app's oldest system.
        if #available(iOS 18.4, macOS 15.4, *), case .unsupported = error { return .inAppPurchase }
        switch error {
        case .notAvailableInStorefront, .notEntitled: return .inAppPurchase
        default: return .failed(error)
        }
    }
}

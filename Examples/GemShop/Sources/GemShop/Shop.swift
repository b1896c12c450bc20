public import ExternalPurchaseKit
import Foundation

/// The way of buying that the shop shows next to a pack of gems.
public enum Offer: Hashable, Sendable {
    /// A link to the website; tapping it asks the customer first.
    case website(URL)
    /// The one link of Info.plist, on systems that know no choice of links.
    case configuredWebsite
    /// The shop's website after a disclosure, with tokens that the app hands to its server.
    case customLink
    /// A purchase in the app after the notice sheet.
    case inApp
    /// In-App Purchase.
    case inAppPurchase
    /// Nothing can be bought on this device.
    case nothing
}

/// What came of a tap on the buy button.
public enum PurchaseStep: Hashable, Sendable {
    /// StoreKit asks the customer now; the website takes the purchase from there.
    ///
    /// Nothing is sold yet: the customer may still decline.
    case askingCustomer
    /// The customer continued, and the website is open.
    case websiteOpened([PurchaseToken])
    /// The customer continued: show the shop's own checkout. Its sale names the token.
    case checkout(PurchaseToken?)
    /// The customer declined.
    case declined
    /// The shop shows In-App Purchase.
    case inAppPurchase
    /// The shop sells nothing on this device.
    case nothing
    /// It did not work this time; says what to tell the customer.
    case tryLater(String)
}

/// The gem shop's purchase flow, as an app team writes it on ExternalPurchaseKit.
@MainActor
public final class Shop {
    /// What the shop's views show and observe.
    public let model: ExternalPurchaseModel
    private let website: URL?
    private let chooseLink: ([URL]) -> URL?

    /// A shop.
    ///
    /// - Parameters:
    ///   - store: `SystemExternalPurchaseStore()` in the app, a simulated one in tests.
    ///   - outbox: keeps tokens until the shop's server has them.
    ///   - configuration: gates, disclosure and the opener of the app.
    ///   - website: where customers of custom links buy; nil where the shop has none.
    ///   - chooseLink: picks one of several eligible links; their order has no meaning.
    public init(
        store: any ExternalPurchaseStore,
        outbox: TokenOutbox,
        configuration: ExternalPurchaseModel.Configuration = ExternalPurchaseModel.Configuration(),
        website: URL? = nil,
        chooseLink: @escaping ([URL]) -> URL? = { $0.min { $0.path() < $1.path() } }
    ) {
        model = ExternalPurchaseModel(store: store, outbox: outbox, configuration: configuration)
        self.website = website
        self.chooseLink = chooseLink
    }

    /// What to show now.
    public func offer() async -> Offer {
        await model.refresh()
        return offered
    }

    /// Whether In-App Purchase stands beside the offer, at least as prominent: in Japan and Brazil always.
    public var offersInAppPurchase: Bool { model.availability?.offers.contains(.inAppPurchase) == true }

    /// The first way of buying that the model lists and the shop has.
    private var offered: Offer {
        for offer in model.availability?.offers ?? [] {
            switch offer {
            case .customLink(let flows) where website != nil && flows.contains(.outOfApp): return .customLink
            case .links(let links): if let link = chooseLink(links) { return .website(link) }
            case .link: return .configuredWebsite
            case .noticeSheet: return .inApp
            case .inAppPurchase: return .inAppPurchase
            case .customLink: continue
            }
        }
        // Before the first read and where the device allows no payments; in an app for South Korea where nothing is available.
        return .nothing
    }

    /// Acts on a tap: asks StoreKit anew and begins the purchase, or says what to show instead.
    public func buy() async -> PurchaseStep {
        switch await offer() {
        case .website, .configuredWebsite: step(after: await model.openLink(choosing: chooseLink))
        case .customLink: step(after: await model.purchaseWithCustomLink(.outOfApp(destinationURL: website)))
        case .inApp: step(after: await model.presentNoticeSheet())
        case .inAppPurchase: .inAppPurchase
        case .nothing: .nothing
        }
    }

    private func step(after result: LinkResult) -> PurchaseStep {
        switch result {
        case .askingCustomer: .askingCustomer
        case .notOffered(let reason): step(after: reason)
        case .failed(let failure): step(after: failure)
        }
    }

    private func step(after result: NoticeSheetResult) -> PurchaseStep {
        switch result {
        case .continued(let token): .checkout(token)
        case .continuedWithoutToken: .checkout(nil)
        case .cancelled: .declined
        case .notOffered(let reason): step(after: reason)
        case .failed(let failure): step(after: failure)
        case .tokenNotKept: .tryLater("The device has no space left.")
        }
    }

    private func step(after result: CustomLinkResult) -> PurchaseStep {
        switch result {
        case .continued(let tokens): .websiteOpened(tokens.tokens)
        case .cancelled: .declined
        case .notOffered(let reason): step(after: reason)
        case .failed(let failure), .tokenFailed(let failure): step(after: failure)
        case .destinationNotOpened: .tryLater("The website could not be opened.")
        case .tokensNotKept: .tryLater("The device has no space left.")
        }
    }

    private func step(after reason: NotOffered) -> PurchaseStep {
        switch reason {
        case .paymentsNotAllowed: .nothing
        case .purchaseInProgress: .tryLater("A purchase is going on.")
        case .storageFailed: .tryLater("The device has no space left.")
        case .gateClosed, .notAvailable, .noLinkChosen, .disclosureMissing, .unknownTokenScheme, .outboxFull:
            .inAppPurchase
        }
    }

    /// The storefront may change between question and tap; then the shop sells by In-App Purchase.
    private func step(after failure: StoreFailure) -> PurchaseStep {
        switch failure.kind {
        case .unsupported, .notAvailableInStorefront, .notEntitled: .inAppPurchase
        case .network, .cannotPresent, .system, .other: .tryLater(failure.message)
        }
    }
}

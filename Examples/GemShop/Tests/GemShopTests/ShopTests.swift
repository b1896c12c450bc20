import ExternalPurchaseCore
import ExternalPurchaseKit
import ExternalPurchaseKitTesting
import Foundation
import GemShopApp
import Testing

// On Apple hosts the name StoreKit belongs to the SDK.
#if canImport(Darwin)
import StoreKitSimulator
#else
import StoreKit
#endif

@Suite("The gem shop's purchase flow")
@MainActor
struct ShopTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

    /// The shop's own files on an iPhone in a country, with a customer who answers.
    private func session(
        in storefront: String,
        entitled: Bool = true,
        _ answer: ScriptedPresenter.Step = .continue
    ) throws -> (session: StoreKitSession, browser: Browser) {
        let browser = Browser()
        let session = try StoreKitSession(
            infoPlist: Self.folder.appending(path: "Info.plist").path(),
            entitlements: entitled ? Self.folder.appending(path: "GemShop.entitlements").path() : nil
        ) { inputs in
            inputs.storefront = storefront
            inputs.presenter = ScriptedPresenter(answer)
            inputs.urlOpener = { await browser.open($0) }
        }
        return (session, browser)
    }

    private func shop(_ session: StoreKitSession) -> Shop {
        // Links bring their tokens to the website, so that the outbox stays empty and touches no file.
        let folder = FileManager.default.temporaryDirectory.appending(path: "gemshop-links")
        let outbox = TokenOutbox(folder: folder, transport: ClosureTokenTransport { _ in .stored })
        return Shop(store: SimulatedExternalPurchaseStore(session: session), outbox: outbox)
    }

    /// A tap on the buy button, which is what the purchase methods must follow.
    private func tapBuy(_ session: StoreKitSession) async -> PurchaseStep {
        let shop = shop(session)
        let step = await StoreKitSession.withUserInteraction { await shop.buy() }
        await session.settle()
        return step
    }

    @Test("In the Netherlands the website opens with a token of this app")
    func netherlands() async throws {
        let (session, browser) = try session(in: "NLD")
        let step = await tapBuy(session)
        guard case .askingCustomer = step else {
            Issue.record("\(step)\n\(session.explain(.eligibleURLs))")
            return
        }
        let opened = try #require(await browser.opened.first)
        #expect(opened.absoluteString.hasPrefix("https://shop.gemshop.example/out/nl?externalPurchaseToken="))
        let arrival = WebsiteURL.arrival(query: try #require(opened.query()))
        #expect(arrival.bundleId == "com.example.gemshop")
        let token = try ExternalPurchaseToken.decode(try #require(arrival.token), mode: .strict).token
        #expect(token.bundleId == "com.example.gemshop")
        #expect(token.appAppleId == 1_234_567_890)
        #expect(token.environment == .sandbox)
        #expect(token.family == .plain)
        #expect(session.diagnostics.isEmpty)
    }

    @Test(
        "Each country of Info.plist opens its own page",
        arguments: [
            "DEU": "de", "ESP": "es", "FIN": "fi", "FRA": "fr", "ISL": "is", "ITA": "it", "NLD": "nl", "NOR": "no",
            "SWE": "se",
        ]
    )
    func countries(_ storefront: String, _ region: String) async throws {
        let (session, browser) = try session(in: storefront)
        _ = await tapBuy(session)
        #expect(await browser.opened.map { $0.path() } == ["/out/\(region)"])
        #expect(session.diagnostics.isEmpty)
    }

    @Test("Before iOS 17.5 the single link opens the same page")
    func olderSystem() async throws {
        let (session, browser) = try session(in: "NLD")
        session.device.osVersion = OSVersion(17, 4)
        #expect(await shop(session).offer() == .configuredWebsite)
        _ = await tapBuy(session)
        #expect(await browser.opened.first?.absoluteString.hasPrefix("https://shop.gemshop.example/out/nl?") == true)
    }

    @Test("In the United States the shop sells by In-App Purchase")
    func unitedStates() async throws {
        let (session, browser) = try session(in: "USA")
        guard case .inAppPurchase = await tapBuy(session) else {
            Issue.record("\(session.explain(.eligibleURLs))")
            return
        }
        #expect(await browser.opened.isEmpty)
    }

    @Test("A customer who cancels goes nowhere and leaves no token")
    func cancel() async throws {
        let (session, browser) = try session(in: "NLD", .cancel)
        guard case .askingCustomer = await tapBuy(session),
            case .cancelled = session.outcomes.last
        else {
            Issue.record("\(session.outcomes)")
            return
        }
        #expect(await browser.opened.isEmpty)
    }

    @Test("Without the entitlement the shop sells by In-App Purchase, and the session says why")
    func unentitled() async throws {
        let (session, browser) = try session(in: "NLD", entitled: false)
        #expect(await shop(session).offer() == .inAppPurchase)
        #expect(await browser.opened.isEmpty)
        let why = session.explain(.eligibleURLs)
        #expect(why.error?.rawValue == "notEntitled")
        #expect(why.failedCondition?.detail.contains("com.apple.developer.storekit.external-purchase-link") == true)
        #expect(why.failedCondition?.fix?.contains(".entitlements") == true)
    }

    @Test("Where payments are restricted nothing is offered")
    func restricted() async throws {
        let (session, _) = try session(in: "NLD")
        session.canMakePayments = false
        #expect(await shop(session).offer() == .nothing)
    }
}

private actor Browser {
    private(set) var opened: [URL] = []

    func open(_ url: URL) { opened.append(url) }
}

import ExternalPurchaseCore
import ExternalPurchaseKit
import ExternalPurchaseKitTesting
import Foundation
import GemShopApp
import Synchronization
import Testing

// On Apple hosts the name StoreKit belongs to the SDK.
#if canImport(Darwin)
import StoreKitSimulator
#else
import StoreKit
#endif

@Suite("The gem shop with custom links, whose tokens the app hands to its server")
@MainActor
struct TokenTests {
    private static let website = URL(string: "https://shop.gemshop.example/buy")

    /// A phone with the app: its disk outlives the processes of the app.
    private struct Phone {
        let session: StoreKitSession
        let folder: URL
        let server = ShopServer()
        let browser = Browser()

        init(in storefront: String) throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "gemshop-\(UUID().uuidString)")
            let tests = URL(filePath: #filePath).deletingLastPathComponent()
            session = try StoreKitSession(
                infoPlist: tests.appending(path: "../../Info.plist").path(),
                entitlements: tests.appending(path: "Japan.entitlements").path()
            ) { inputs in
                inputs.storefront = storefront
                inputs.presenter = ScriptedPresenter(.continue)
            }
        }

        /// Starts the app.
        @MainActor
        func launch() -> (shop: Shop, outbox: TokenOutbox) {
            let server = server
            let transport = ClosureTokenTransport { await server.receive($0) }
            let outbox = TokenOutbox(folder: folder, transport: SessionTokenTransport(transport, session: session))
            var configuration = ExternalPurchaseModel.Configuration()
            configuration.disclosure = { _ in true }
            configuration.openURL = { [session, browser] url in
                session.tell(.urlOpened(url))
                await browser.open(url)
                return true
            }
            let store = SimulatedExternalPurchaseStore(session: session)
            let shop = Shop(store: store, outbox: outbox, configuration: configuration, website: TokenTests.website)
            return (shop, outbox)
        }
    }

    @Test("A purchase in Germany has both tokens, one in Japan its own", arguments: ["DEU": 2, "JPN": 1])
    func purchase(_ storefront: String, _ count: Int) async throws {
        let phone = try Phone(in: storefront)
        defer { try? FileManager.default.removeItem(at: phone.folder) }
        let (shop, outbox) = phone.launch()
        guard case .websiteOpened(let tokens) = await StoreKitSession.withUserInteraction({ await shop.buy() }) else {
            Issue.record("\(phone.session.explain(.isEligible))")
            return
        }
        await outbox.deliverDue()
        #expect(tokens.count == count)
        #expect(await phone.server.tokens == tokens)
        #expect(await phone.browser.opened == [Self.website])
        #expect(await phone.session.finish().filter { $0.severity != .note }.isEmpty)
    }

    @Test("Tokens of a server that is down wait on disk, and the next launch of the app sends them")
    func nextLaunch() async throws {
        let phone = try Phone(in: "JPN")
        defer { try? FileManager.default.removeItem(at: phone.folder) }
        await phone.server.set(isUp: false)
        let (shop, outbox) = phone.launch()
        for _ in 0..<3 { _ = await StoreKitSession.withUserInteraction { await shop.buy() } }
        await outbox.deliverDue()
        #expect(await outbox.currentStatus.pending == 3)
        // The app ends here; a new process begins without its memory.
        await phone.server.set(isUp: true)
        let later = phone.launch()
        for _ in 0..<10 {
            guard let wait = await later.outbox.deliverDue() else { break }
            try await Task.sleep(for: wait)
        }
        #expect(await Set(phone.server.tokens).count == 3)
    }
}

private actor ShopServer {
    private(set) var tokens: [PurchaseToken] = []
    private var isUp = true

    func set(isUp: Bool) { self.isUp = isUp }

    func receive(_ token: PurchaseToken) -> TokenDelivery {
        guard isUp else { return .retry(reason: "status 503", after: nil) }
        tokens.append(token)
        return .stored
    }
}

private actor Browser {
    private(set) var opened: [URL?] = []

    func open(_ url: URL) { opened.append(url) }
}

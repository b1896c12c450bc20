// The tests of ExternalPurchaseKit.docc/sell-outside-the-app-store-in-an-afternoon.md, which shows the region.

// region tests
import ExternalPurchaseKit
import ExternalPurchaseKitTesting
import Foundation
import StoreKitSimulator
import Synchronization
import Testing

@Suite("The book shop")
@MainActor
final class BookShopTests {
    private let disk = FileManager.default.temporaryDirectory.appending(path: "books-\(UUID().uuidString)")
    private let arrived = Mutex<[PurchaseToken]>([])
    private let isServerUp = Mutex(true)

    deinit { try? FileManager.default.removeItem(at: disk) }

    /// Starts the app on the device; a second start finds the disk of the first one.
    private func launch(in storefront: String, isAdult: Bool) throws -> (shop: BookShop, outbox: TokenOutbox) {
        let files = URL(filePath: #filePath).deletingLastPathComponent()
        let session = try StoreKitSession(
            infoPlist: files.appending(path: "Info.plist").path(),
            entitlements: files.appending(path: "BookShop.entitlements").path()
        ) { inputs in
            inputs.storefront = storefront
            inputs.presenter = ScriptedPresenter(.continue)
        }
        let transport = ClosureTokenTransport { token in
            guard self.isServerUp.withLock({ $0 }) else { return .retry(reason: "network error", after: nil) }
            self.arrived.withLock { $0.append(token) }
            return .stored
        }
        let outbox = TokenOutbox(folder: disk, transport: transport)
        let store = SimulatedExternalPurchaseStore(session: session)
        let account = Account(isAdult: isAdult)
        let website = try #require(URL(string: "https://books.example.com"))
        let shop = BookShop(store: store, outbox: outbox, account: account, website: website) { _ in true }
        return (shop, outbox)
    }

    @Test("sells on the website in Germany and by In-App Purchase elsewhere", arguments: ["DEU": true, "USA": false])
    func storefronts(_ storefront: String, _ sellsOnWebsite: Bool) async throws {
        let (shop, _) = try launch(in: storefront, isAdult: true)
        await shop.model.refresh()
        #expect(shop.sellsOnWebsite == sellsOnWebsite)
        let step = await StoreKitSession.withUserInteraction { await shop.buy() }
        #expect(step == (sellsOnWebsite ? .thanks : .inAppPurchase))
    }

    @Test("offers a child nothing on the website")
    func child() async throws {
        let (shop, _) = try launch(in: "DEU", isAdult: false)
        await shop.model.refresh()
        #expect(!shop.sellsOnWebsite)
        #expect(await shop.buy() == .inAppPurchase)
    }

    @Test("keeps its tokens while the server is down, and the next launch sends them")
    func serverDown() async throws {
        isServerUp.withLock { $0 = false }
        let (shop, outbox) = try launch(in: "DEU", isAdult: true)
        #expect(await StoreKitSession.withUserInteraction { await shop.buy() } == .thanks)
        await outbox.deliverDue()
        #expect(await outbox.currentStatus.pending == 2)

        isServerUp.withLock { $0 = true }
        let (_, later) = try launch(in: "DEU", isAdult: true)
        while let wait = await later.deliverDue() { try await Task.sleep(for: wait) }
        #expect(Set(arrived.withLock { $0 }.map(\.text)).count == 2)
    }
}
// endregion

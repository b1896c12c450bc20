// region tests
// Tests/BookShopTests/BookShopTests.swift
import ExternalPurchaseKit
import ExternalPurchaseKitTesting
import Foundation
import Synchronization
import Testing

@testable import BookShop

// On Apple hosts the name StoreKit belongs to the SDK.
#if canImport(Darwin)
import StoreKitSimulator
#else
import StoreKit
#endif

@Suite("The book shop")
@MainActor
final class BookShopTests {
    private let disk = FileManager.default.temporaryDirectory.appending(path: "books-\(UUID().uuidString)")
    private let arrived = Mutex<[PurchaseToken]>([])
    private let isServerUp = Mutex(true)

    deinit { try? FileManager.default.removeItem(at: disk) }

    private struct Launch {
        let shop: BookShop
        let outbox: TokenOutbox
        let session: StoreKitSession
    }

    /// Starts the app on the device; a second start finds the disk of the first one.
    private func launch(in storefront: String, age: AgeBand = .adult) throws -> Launch {
        let files = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
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
        let outbox = TokenOutbox(folder: disk, transport: SessionTokenTransport(transport, session: session))
        let store = SimulatedExternalPurchaseStore(session: session)
        let account = Account(age: age)
        let website = try #require(URL(string: "https://books.example.com"))
        let shop = BookShop(store: store, outbox: outbox, account: account, website: website) { _ in true }
        return Launch(shop: shop, outbox: outbox, session: session)
    }

    @Test("sells on the website in Germany and by In-App Purchase elsewhere", arguments: ["DEU": true, "USA": false])
    func storefronts(_ storefront: String, _ sellsOnWebsite: Bool) async throws {
        let shop = try launch(in: storefront).shop
        await shop.model.refresh()
        #expect(shop.sellsOnWebsite == sellsOnWebsite)
        let step = await StoreKitSession.withUserInteraction { await shop.buy() }
        #expect(step == (sellsOnWebsite ? .thanks : .inAppPurchase))
    }

    @Test("offers a child nothing on the website")
    func child() async throws {
        let shop = try launch(in: "DEU", age: AgeBand(12)).shop
        await shop.model.refresh()
        #expect(!shop.sellsOnWebsite)
        #expect(await shop.buy() == .inAppPurchase)
    }

    @Test("keeps its tokens while the server is down, and the next launch sends them")
    func serverDown() async throws {
        isServerUp.withLock { $0 = false }
        let first = try launch(in: "DEU")
        #expect(await StoreKitSession.withUserInteraction { await first.shop.buy() } == .thanks)
        await first.outbox.deliverDue()
        #expect(await first.outbox.currentStatus.pending == 2)

        isServerUp.withLock { $0 = true }
        let second = try launch(in: "DEU")
        while let wait = await second.outbox.deliverDue() { try await Task.sleep(for: wait) }
        #expect(Set(arrived.withLock { $0 }.map(\.text)).count == 2)
    }

    @Test("uses StoreKit as Apple's documents ask")
    func diagnostics() async throws {
        let launch = try launch(in: "DEU")
        await launch.shop.model.refresh()
        _ = await StoreKitSession.withUserInteraction { await launch.shop.buy() }
        await launch.outbox.deliverDue()
        let diagnostics = await launch.session.finish()
        #expect(diagnostics.filter { $0.severity != .note } == [], "\(diagnostics)")
    }
}
// endregion

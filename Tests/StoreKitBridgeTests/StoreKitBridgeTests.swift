import Foundation
import StoreKitBridge
import StoreKitSimulator
import Testing

@Suite("An app picks the real or the simulated StoreKit behind one protocol")
struct StoreKitBridgeTests {
    private static let files = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "../../Examples/GemShop").standardizedFileURL

    private static func session(_ storefront: String) throws -> StoreKitSession {
        try StoreKitSession(
            infoPlist: files.appending(path: "Info.plist").path(),
            entitlements: files.appending(path: "GemShop.entitlements").path()
        ) { world in
            world.storefront = storefront
            world.presenter = ScriptedPresenter(.continue)
            world.urlOpener = { _ in }
        }
    }

    /// An app's code, which knows the protocol only.
    private static func buy(_ store: any ExternalPurchaseStore) async throws -> String {
        guard store.canMakePayments else { return "nothing" }
        if let url = await store.eligibleURLs?.first {
            try await store.open(url: url)
            return url.absoluteString
        }
        let others = await [store.canOpen, store.canPresent, store.isEligible]
        if others.contains(true) { return "another family" }
        return "In-App Purchase"
    }

    @Test(
        "The simulated store answers by its own session, outside of any task-local one",
        arguments: ["NLD": "https://shop.gemshop.example/out/nl", "USA": "In-App Purchase"]
    )
    func simulated(_ storefront: String, _ expected: String) async throws {
        let session = try Self.session(storefront)
        #expect(try await Self.buy(SimulatedExternalPurchaseStore(session: session)) == expected)
        #expect(await session.settle().count == (storefront == "NLD" ? 1 : 0))
    }

    @Test("What a store refuses is StoreKit's own error")
    func refused() async throws {
        let store = SimulatedExternalPurchaseStore(session: try Self.session("USA"))
        await #expect(throws: StoreKitError.self) { try await store.open() }
        await #expect(throws: StoreKitError.self) { try await store.presentNoticeSheet() }
        await #expect(throws: StoreKitError.self) { try await store.token(for: "SERVICES") }
        await #expect(throws: StoreKitError.self) { try await store.showNotice(.browser) }
        let restricted = try Self.session("NLD")
        restricted.canMakePayments = false
        #expect(try await Self.buy(SimulatedExternalPurchaseStore(session: restricted)) == "nothing")
    }

    #if !canImport(Darwin)
    @Test("The system's store, here over this package's StoreKit module, answers by the current session")
    func system() async throws {
        let session = try Self.session("DEU")
        let opened = try await session.run { try await Self.buy(SystemExternalPurchaseStore()) }
        #expect(opened == "https://shop.gemshop.example/out/de")
    }
    #endif
}

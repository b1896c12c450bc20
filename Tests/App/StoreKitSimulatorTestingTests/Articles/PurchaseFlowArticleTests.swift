import Foundation
import StoreKitSimulatorTesting
import Testing

// The snippets of StoreKitSimulator.docc/test-your-purchase-flow-on-linux.md, verbatim.
@Suite("Test your purchase flow on Linux")
struct PurchaseFlowArticleTests {
    @Test(
        "A Dutch customer buys on the website",
        .externalPurchase(
            storefront: "NLD",
            os: "iOS 26.4",
            configuration: .files(
                infoPlist: "../Fixtures/Info.plist",
                entitlements: "../Fixtures/App.entitlements"
            ),
            sheets: [.continue]
        )
    )
    func dutchCustomer() async throws {
        expectEligible(.eligibleURLs)
        #expect(try await BookShop().buy())
        await expectOutcome(.continued)
    }

    @Test(
        "Elsewhere the shop shows In-App Purchase",
        .externalPurchase(
            configuration: .files(
                infoPlist: "../Fixtures/Info.plist",
                entitlements: "../Fixtures/App.entitlements"
            )
        ),
        arguments: [("USA", ConditionID.storefrontListed), ("DEU", .storefrontConfigured)]
    )
    func elsewhere(storefront: String, reason: ConditionID) async throws {
        StoreKitSession.current.storefront = storefront
        expectIneligible(.eligibleURLs, because: reason)
        #expect(try await BookShop().buy() == false)
        await expectOutcomes([])
    }

    @Test(
        "A customer declines, then changes their mind",
        .externalPurchase(session: "../Fixtures/netherlands.json")
    )
    func secondThought() async throws {
        try await BookShop().buy()
        await expectOutcome(.cancelled)
        try await BookShop().buy()
        await expectOutcomes([.cancelled, .continued])
    }

    @Suite(
        "The shop in the Netherlands",
        .externalPurchase(
            session: "../Fixtures/netherlands.json",
            diagnostics: .warnings(except: ["no-user-interaction"])
        )
    )
    struct Netherlands {
        @Test("The link works on the first system that knows it", .externalPurchase(os: "iOS 17.5"))
        func oldSystem() async throws {
            #expect(try await BookShop().buy())
        }

        @Test("A child's device offers nothing", .externalPurchase { $0.canMakePayments = false })
        func restrictedDevice() async throws {
            #expect(try await BookShop().buy() == false)
        }
    }

    @Test("The same in XCTest, and wherever no trait can be written")
    func withoutTrait() async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let path = folder.appending(path: "../Fixtures/netherlands.json").path()

        let session = try StoreKitSession(file: path) { $0.presenter = ScriptedPresenter(.continue) }
        let isOnWebsite = try await session.run { try await BookShop().buy() }
        #expect(isOnWebsite)
        guard case .continued(let url) = session.outcomes.last else { throw CancellationError() }
        #expect(url.host() == "books.acme.example")
    }
}

import DirectShop
import StoreKitSimulatorTesting
import Testing

@Suite(
    "A shop that calls StoreKit itself",
    .externalPurchase(
        storefront: "NLD",
        os: "iOS 26.4",
        configuration: .files(
            infoPlist: "../../../GemShop/Info.plist",
            entitlements: "../../../GemShop/GemShop.entitlements"
        ),
        sheets: [.continue]
    )
)
struct DirectShopTests {
    private func tapBuy() async -> PurchaseStep {
        await StoreKitSession.withUserInteraction { await DirectShop().buy() }
    }

    @Test("In the Netherlands the website opens")
    func netherlands() async throws {
        guard case .askingCustomer = await tapBuy() else {
            Issue.record("no link was opened")
            return
        }
        await expectOutcome(.continued)
    }

    @Test("In the United States the shop sells by In-App Purchase", .externalPurchase(storefront: "USA"))
    func unitedStates() async throws {
        guard case .inAppPurchase = await tapBuy() else {
            Issue.record("a link was opened")
            return
        }
        await expectOutcomes([])
    }
}

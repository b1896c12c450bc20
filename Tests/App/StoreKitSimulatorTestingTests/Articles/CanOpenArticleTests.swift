import Foundation
import StoreKitSimulatorTesting
import Testing

// The snippets of StoreKitSimulator.docc/why-is-canopen-false.md, verbatim.
@Suite("Why is canOpen false?")
struct CanOpenArticleTests {
    @Test(
        "The link of the Netherlands",
        .externalPurchase(
            storefront: "NLD",
            os: "iOS 26.4",
            configuration: .xml(
                infoPlist: """
                    <key>SKExternalPurchaseLink</key>
                    <dict>
                        <key>NLD</key>
                        <string>https://books.acme.example/nl</string>
                    </dict>
                    """,
                entitlements: """
                    <key>com.apple.developer.storekit.external-purchase-link</key>
                    <true/>
                    """
            ),
            diagnostics: .off
        )
    )
    func dutchLink() async throws {
        let answer = StoreKitSession.current.explain(.canOpen)
        print(answer)
        #expect(answer.failed == .storefrontConfigured)
        try expectArticle("why-is-canopen-false.md", shows: answer.description)
    }

    @Test(
        "A storefront outside the programmes gets In-App Purchase",
        .externalPurchase(storefront: "USA", os: "iOS 26.4", configuration: .bookShop)
    )
    func outside() {
        let answer = expectIneligible(.canOpen, because: .storefrontListed)
        #expect(answer.next == .useInAppPurchase)
    }

    @Test("An app asks again when the storefront changes", .externalPurchase(configuration: .bookShop))
    func storefrontChange() async {
        let session = StoreKitSession.current
        session.storefront = "NLD"
        #expect(await ExternalPurchaseLink.canOpen)
        session.storefront = "USA"
        #expect(await ExternalPurchaseLink.canOpen == false)
    }
}

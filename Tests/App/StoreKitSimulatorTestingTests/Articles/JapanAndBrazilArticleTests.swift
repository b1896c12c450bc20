import Foundation
import StoreKitSimulatorTesting
import Testing

// The snippets of StoreKitSimulator.docc/japan-and-brazil.md, verbatim.

/// The token of one purchase, asked for after the customer went on.
func purchaseToken(onWebsite: Bool) async throws -> String? {
    guard AppStore.canMakePayments, await ExternalPurchaseCustomLink.isEligible else { return nil }
    let type = onWebsite ? "LINK_OUT" : "IN_APP"
    return try await ExternalPurchaseCustomLink.token(for: type)?.value
}

extension AppFiles {
    /// The only entitlement that Japan and Brazil require.
    ///
    /// Info.plist has no key for them.
    fileprivate static var allowedRegions: AppFiles {
        .xml(
            infoPlist: "<key>CFBundleIdentifier</key><string>com.acme.books</string>",
            entitlements: """
                <key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>
                <array><string>br</string><string>jp</string></array>
                """
        )
    }
}

@Suite("Japan and Brazil")
struct JapanAndBrazilArticleTests {
    @Test(
        "Each purchase in Japan has a token of its own",
        .externalPurchase(storefront: "JPN", os: "iOS 26.4", configuration: .allowedRegions)
    )
    func japan() async throws {
        let session = StoreKitSession.current
        session.tell(.disclosureShown(isContinued: true))
        let first = try await purchaseToken(onWebsite: true)
        session.tell(.disclosureShown(isContinued: true))
        let second = try await purchaseToken(onWebsite: true)
        #expect(first != nil)
        #expect(first != second)
    }

    @Test(
        "Japan is open from iOS 26.2, its tokens come with 26.4",
        .externalPurchase(storefront: "JPN", os: "iOS 26.3", configuration: .allowedRegions)
    )
    func withoutTokens() async throws {
        expectEligible(.isEligible)
        await #expect(throws: StoreKitError.self) { try await purchaseToken(onWebsite: false) }
    }

    @Test(
        "Brazil begins with iOS 26.5",
        .externalPurchase(storefront: "BRA", os: "iOS 26.4", configuration: .allowedRegions)
    )
    func brazil() {
        expectIneligible(.isEligible, because: .systemGate)
    }
}

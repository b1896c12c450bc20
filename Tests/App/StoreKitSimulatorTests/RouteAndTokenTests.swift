import AppConfiguration
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import StoreKitSimulator
import Testing

@Suite("Routes to custom links, and what an app does about their tokens")
struct RouteAndTokenTests {
    private typealias Link = ExternalPurchaseCustomLink

    private static let prefix = "com.apple.developer.storekit."

    private static func list(_ codes: [String]) -> String {
        "<array>\(codes.map { "<string>\($0)</string>" }.joined())</array>"
    }

    private static func session(infoPlist: String, entitlements: String) throws -> StoreKitSession {
        func plist(_ members: String) -> [UInt8] {
            Array("<plist version=\"1.0\"><dict>\(members)</dict></plist>".utf8)
        }
        let configuration = try AppConfiguration.parse(
            infoPlist: plist("<key>CFBundleIdentifier</key><string>com.acme.app</string>" + infoPlist),
            entitlements: plist(entitlements)
        )
        return StoreKitSession { inputs in
            inputs.configuration = configuration
            inputs.device.osVersion = OSVersion(26, 5)
            inputs.presenter = ScriptedPresenter(.continue)
            inputs.userInteraction = .off
        }
    }

    @Test(
        "A code of the allowed regions in upper case matches no storefront (CF-4)",
        arguments: [InvalidEntryPolicy.ignore, .keep]
    )
    func upperCase(_ policy: InvalidEntryPolicy) async throws {
        let list = "<key>\(Self.prefix)custom-purchase-link.allowed-regions</key>\(Self.list(["JP", "br"]))"
        let session = try Self.session(infoPlist: "", entitlements: list)
        session.invalidEntryPolicy = policy
        for (storefront, isEligible) in [("JPN", false), ("BRA", true)] {
            session.storefront = storefront
            #expect(await session.run { await Link.isEligible } == isEligible, "\(storefront)")
        }
    }

    @Test("Of several complete routes the one that names the storefront is enough; the others restrict nothing (CF-25)")
    func routesAddUp() async throws {
        let keys =
            "<key>SKExternalPurchaseCustomLinkRegions</key>\(Self.list(["de", "fr"]))"
            + "<key>SKExternalPurchaseLinkStreamingRegions</key>\(Self.list(["is", "fr"]))"
        let entitlements =
            "<key>\(Self.prefix)external-purchase-link</key><true/>"
            + "<key>\(Self.prefix)external-purchase-link-streaming</key><true/>"
            + "<key>\(Self.prefix)custom-purchase-link.allowed-regions</key>\(Self.list(["jp", "fr"]))"
        let session = try Self.session(infoPlist: keys, entitlements: entitlements)
        // Storefronts with one of the routes, all three, or none.
        for (storefront, isEligible) in [("DEU", true), ("ISL", true), ("JPN", true), ("FRA", true), ("ITA", false)] {
            session.storefront = storefront
            #expect(await session.run { await Link.isEligible } == isEligible, "\(storefront)")
        }
    }

    @Test(
        "A token is asked for after the customer continued; each call is one more token to report (TK-46)",
        arguments: [("JPN", "IN_APP"), ("BRA", "LINK_OUT")]
    )
    func afterTheNotice(_ storefront: String, _ type: String) async throws {
        let issuer = CountingIssuer()
        let session = try StoreKitSession.sample([.A], in: storefront) { $0.tokenIssuer = issuer }
        try await session.run {
            // A double tap that the app does not prevent.
            _ = try await Link.showNotice(type: .browser)
            for _ in 0..<2 { _ = try await Link.token(for: type) }
        }
        #expect(Set(await issuer.issued.map(\.token.externalPurchaseId)).count == 2)
        #expect(!session.diagnosticIds.contains("token-before-notice"))

        // A customer who declines leaves a token to report if the app requests one nevertheless.
        let declined = try StoreKitSession.sample([.A], in: storefront, ScriptedPresenter(.cancel))
        try await declined.run {
            _ = try await Link.showNotice(type: .browser)
            _ = try await Link.token(for: type)
        }
        #expect(declined.diagnosticIds.contains("token-before-notice"))
    }

    @Test("Without an active token the purchase continues, and the diagnostic advises to store the sale (SK-84)")
    func noActiveToken() async throws {
        let issuer = CountingIssuer()
        let session = try StoreKitSession.sample([.C], in: "DEU") {
            $0.environment = .production
            $0.tokenIssuer = issuer
        }
        try await session.run { () async throws in
            #expect(await Link.isEligible)
            #expect(try await Link.token(for: "ACQUISITION") == nil)
            #expect(try await Link.token(for: "SERVICES") == nil)
            #expect(try await Link.showNotice(type: .browser) == .continued)
            session.tell(.saleStarted)
        }
        await session.finish()
        #expect(await issuer.issued.isEmpty)
        let pendingDiagnostics = session.diagnostics.filter { $0.id == "token-none-active" }
        #expect(pendingDiagnostics.count == 2)
        #expect(
            pendingDiagnostics.allSatisfy { $0.hint?.contains("store the sale for a token that arrives later") == true }
        )
        #expect(session.diagnostics.allSatisfy { $0.severity == .note }, "\(session.diagnostics)")
    }
}

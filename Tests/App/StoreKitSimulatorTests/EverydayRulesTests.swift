import AppConfiguration
import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing

@Suite("Rules that an app meets every day")
struct EverydayRulesTests {
    private static func plist(_ content: String) -> [UInt8] {
        Array(#"<plist version="1.0"><dict>\#(content)</dict></plist>"#.utf8)
    }

    /// An app with a link for Germany and the Netherlands, and the regions of custom links.
    private static func session(_ storefront: String, _ os: OSVersion) throws -> StoreKitSession {
        let links = ["de", "nl"].map {
            "<key>\($0)</key><array><string>https://shop.acme.example/\($0)</string></array>"
        }
        let configuration = try AppConfiguration.parse(
            infoPlist: plist(
                "<key>CFBundleIdentifier</key><string>com.acme.app</string>"
                    + "<key>SKExternalPurchaseMultiLink</key><dict>\(links.joined())</dict>"
            ),
            entitlements: plist(
                "<key>com.apple.developer.storekit.external-purchase-link</key><true/>"
                    + "<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"
                    + "<array><string>de</string><string>jp</string></array>"
            )
        )
        return StoreKitSession { inputs in
            inputs.configuration = configuration
            inputs.storefront = storefront
            inputs.device.osVersion = os
            inputs.presenter = ScriptedPresenter(.continue)
            inputs.urlOpener = { _ in }
        }
    }

    @Test("If the device does not allow payments, no family is available (SK-6)")
    func payments() async throws {
        let session = try Self.session("DEU", OSVersion(26, 5))
        session.canMakePayments = false
        await session.run {
            #expect(!AppStore.canMakePayments)
            #expect(await ExternalPurchaseLink.eligibleURLs == nil)
            #expect(await !ExternalPurchaseLink.canOpen)
            #expect(await !ExternalPurchase.canPresent)
            #expect(await !ExternalPurchaseCustomLink.isEligible)
        }
    }

    @Test("Every read is evaluated again, so the answer follows the storefront (SK-25, SK-90)")
    func storefrontChange() async throws {
        let session = try Self.session("DEU", OSVersion(26, 5))
        await session.run {
            #expect(await ExternalPurchaseLink.eligibleURLs?.map(\.path) == ["/de"])
            session.storefront = "NLD"
            #expect(await ExternalPurchaseLink.eligibleURLs?.map(\.path) == ["/nl"])
            session.storefront = "FRA"
            #expect(await ExternalPurchaseLink.eligibleURLs == nil)
        }
    }

    @Test("In the EU there are tokens from 26.2, although documents mention reports from 26.4 (SK-48)")
    func tokensFromTwentySixTwo() async throws {
        let session = try Self.session("DEU", OSVersion(26, 2))
        try await session.run {
            let token = try await ExternalPurchaseCustomLink.token(for: "SERVICES")
            #expect(token != nil)
        }
    }

    @Test("Before 27.2 the notice works in Japan, with a diagnostic that the app must show its own (SK-66)")
    func legacyNotice() async throws {
        let session = try Self.session("JPN", OSVersion(26, 4))
        try await session.run {
            let answer = try await ExternalPurchaseCustomLink.showNotice(type: .browser)
            #expect(answer == .continued)
        }
        #expect(session.diagnostics.contains { $0.id == "notice-legacy-in-region" })
    }

    @Test("Deprecated members still work on 27.2, with a diagnostic (SK-69)")
    func deprecated() async throws {
        let session = try Self.session("JPN", OSVersion(27, 2))
        try await session.run {
            let token = try await ExternalPurchaseCustomLink.token(for: "LINK_OUT")
            #expect(token != nil)
        }
        #expect(session.diagnostics.contains { $0.id == "api-deprecated" })
        let older = try Self.session("JPN", OSVersion(26, 5))
        _ = try await older.run { try await ExternalPurchaseCustomLink.token(for: "LINK_OUT") }
        #expect(!older.diagnostics.contains { $0.id == "api-deprecated" })
    }

    @Test("A sheet states that the purchase is made with the developer, and where (SK-68)")
    func sheet() async throws {
        let session = try Self.session("DEU", OSVersion(26, 5))
        let presenter = ScriptedPresenter(.continue)
        session.presenter = presenter
        try await session.run {
            let url = try #require(await ExternalPurchaseLink.eligibleURLs?.first)
            try await ExternalPurchaseLink.open(url: url)
        }
        let request = try #require(presenter.requests.first)
        #expect(request.family == "ExternalPurchaseLink")
        #expect(request.kind == .continuation)
        #expect(request.destination?.absoluteString == "https://shop.acme.example/de")
        #expect(request.storefront == "DEU")
        for part in ["from the developer", "not from Apple", "payment method", "subscriptions", "refund"] {
            #expect(request.text.contains(part), "\(request.text)")
        }
    }
}

import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKit
import Testing

@Suite("The surface of SK-1 in use")
struct SurfaceTests {
    /// A configuration of every API family, in Germany on 27.2.
    private func session() throws -> StoreKitSession {
        let folder = FileManager.default.temporaryDirectory.appending(path: "surface-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let info = folder.appending(path: "Info.plist")
        let entitlements = folder.appending(path: "App.entitlements")
        try Data(
            """
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>com.acme.app</string>
            <key>SKExternalPurchase</key><array><string>de</string></array>
            <key>SKExternalPurchaseLink</key>
            <dict><key>de</key><string>https://shop.acme.example</string></dict>
            <key>SKExternalPurchaseMultiLink</key>
            <dict><key>de</key><array><string>https://shop.acme.example</string></array></dict>
            <key>SKExternalPurchaseCustomLinkRegions</key><array><string>de</string></array>
            </dict></plist>
            """.utf8
        ).write(to: info)
        try Data(
            """
            <plist version="1.0"><dict>
            <key>com.apple.developer.storekit.external-purchase</key><true/>
            <key>com.apple.developer.storekit.external-purchase-link</key><true/>
            </dict></plist>
            """.utf8
        ).write(to: entitlements)
        return try StoreKitSession(infoPlist: info.path(), entitlements: entitlements.path()) { inputs in
            inputs.storefront = "DEU"
            inputs.device.osVersion = .init(27, 2)
            inputs.presenter = ScriptedPresenter(.continue)
        }
    }

    @Test("Every property returns and every method succeeds")
    func everything() async throws {
        Surface.conformances()
        let session = try session()
        await session.run {
            #expect(await Surface.properties() == ["true", "true", "true", "1", "true"])
            #expect(await Surface.storefront() == "DEU false EUR")
            #expect(await Surface.notice() == "continued false")
            #expect(
                await Surface.customLinks() == [
                    "token false", "continued", "continued", "typed false", "none true", "continued", "continued",
                ]
            )
        }
        #expect(await session.run { await Surface.nextStorefront { session.storefront = "NLD" } } == "NLD")
    }

    @Test("The references to the methods are those of the listing")
    func references() async throws {
        let session = try session()
        try await session.run {
            #expect(try await Surface.presentNoticeSheet() != .cancelled)
            #expect(try await Surface.tokenOfString("SERVICES") == Surface.tokenOfType(.init(rawValue: "SERVICES")))
            #expect(try await Surface.showNoticeOfType(.browser) == .continued)
            #expect(try await Surface.showNotice(.outOfApp(destinationURL: nil)) == .continued)
            try await Surface.open()
            await session.settle()
            try await Surface.openURL(#require(URL(string: "https://shop.acme.example")))
        }
        #expect(session.outcomes.count == 2)
    }

    @Test("Errors have three texts (SK-71)")
    func errors() async throws {
        let session = try session()
        session.presenter = nil
        await session.run {
            #expect(await Surface.notice() == "invalidPresentationContext 3")
            #expect(await Surface.links() == "invalidPresentationContext 3")
            session.storefront = "USA"
            #expect(await Surface.customLinks() == ["notAvailableInStorefront 3"])
        }
    }

    @Test("Raw values are those of SK-4 and D3")
    func rawValues() {
        #expect(ExternalPurchaseCustomLink.NoticeType(rawValue: 0) == .withinApp)
        #expect(ExternalPurchaseCustomLink.NoticeType(rawValue: 1) == .browser)
        #expect(ExternalPurchaseCustomLink.NoticeType(rawValue: 2) == nil)
        #expect(ExternalPurchaseCustomLink.TokenType.withinApp.rawValue == "IN_APP")
        #expect(ExternalPurchaseCustomLink.TokenType.outOfApp.rawValue == "LINK_OUT")
        #expect(ExternalPurchaseCustomLink.TokenType(rawValue: "anything").rawValue == "anything")
        #expect(Surface.name(ExternalPurchaseCustomLink.NoticeType.browser) == "browser 1")
        #expect(
            Surface.name(ExternalPurchaseCustomLink.ExternalPurchaseType.outOfApp(destinationURL: nil)) == "out nowhere"
        )
    }

    @Test("At launch the token sample collects both, and the notice sample continues")
    func samples() async throws {
        let session = try session()
        await session.run {
            let tokens = await requestTokensAtLaunch()
            #expect(Set(tokens.keys) == ["ACQUISITION", "SERVICES"])
            #expect(Set(tokens.values).count == 2)
            #expect(await requestTokensAtLaunch() == tokens)
            let store = StoreButton()
            await StoreKitSession.withUserInteraction { await store.openStore() }
            #expect(await store.isOpen)
            session.presenter = ScriptedPresenter(.cancel)
            let declined = StoreButton()
            await StoreKitSession.withUserInteraction { await declined.openStore() }
            #expect(await !declined.isOpen)
            session.storefront = "USA"
            #expect(await requestTokensAtLaunch().isEmpty)
        }
        #expect(!session.diagnostics.contains { $0.severity == .error }, "\(session.diagnostics)")
    }
}

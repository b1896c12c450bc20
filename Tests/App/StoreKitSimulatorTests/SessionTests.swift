import AppConfiguration
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing

@Suite("The session")
struct SessionTests {
    @Test("Begins with the defaults of SK-10")
    func defaults() {
        let session = StoreKitSession()
        #expect(session.device.platform == .iOS)
        #expect(session.device.osVersion == OSVersion(26, 5))
        #expect(session.device.mode == .native)
        #expect(session.device.linkedSDK == nil)
        #expect(session.configuration == AppConfiguration())
        #expect(session.appAppleId == 1_234_567_890)
        #expect(session.rulePack.id == RulePack.newest.id)
        #expect(session.storefront == nil)
        #expect(session.canMakePayments)
        #expect(session.personEligible)
        #expect(session.environment == .sandbox)
        #expect(session.presenter == nil)
        #expect(session.network == nil)
    }

    @Test("Parallel tasks see their own session only (SK-14)")
    func parallel() async throws {
        let codes = ["NLD", "DEU", "USA", "JPN"]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let code = codes[number % codes.count]
                    let (session, browser) = try StoreKitSession.dutch { $0.storefront = code }
                    let canOpen = await session.run {
                        await Task.yield()
                        #expect(await Storefront.current?.countryCode == code)
                        let canOpen = await ExternalPurchaseLink.canOpen
                        try? await ExternalPurchaseLink.open()
                        return canOpen
                    }
                    #expect(canOpen == (code == "NLD" || code == "DEU"))
                    #expect(await browser.opened.count == (canOpen ? 1 : 0))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Outside of a bound session the process-wide one acts, set up once (SK-14)")
    func processWide() async throws {
        let first = StoreKitSession.current
        #expect(first === StoreKitSession.current)
        #expect(first.diagnosticIds.filter { $0 == "session-not-set-up" }.count == 1)
        let session = StoreKitSession { $0.storefront = "NLD" }
        try StoreKitSession.bootstrap(session)
        #expect(await Storefront.current?.countryCode == "NLD")
        #expect(await Task.detached { StoreKitSession.current === session }.value)
        #expect(session.diagnosticIds.isEmpty)
        #expect(throws: SessionAlreadySetUp.self) { try StoreKitSession.bootstrap(StoreKitSession()) }
        #expect(StoreKitSession.current === session)
    }

    @Test("A storefront that is not an alpha-3 code is preserved, counts as unknown and is recorded (SK-11)")
    func storefrontCodes() async throws {
        let (session, _) = try StoreKitSession.dutch()
        session.storefront = "nl"
        await session.run {
            #expect(await Storefront.current?.countryCode == "nl")
            #expect(await !ExternalPurchaseLink.canOpen)
        }
        let pendingDiagnostic = try #require(session.diagnostics.first)
        #expect(pendingDiagnostic.id == "storefront-not-alpha-3")
        #expect(pendingDiagnostic.message == "\"nl\" is not an alpha-3 code; did you mean \"NLD\"?")
        #expect(session.diagnostics.count == 1)
        session.storefront = "XKS"
        #expect(session.diagnostics.count == 1)
    }

    @Test("Storefront.updates emits every change and nothing for the same storefront (SK-7)")
    func updates() async throws {
        let session = StoreKitSession { $0.storefront = "NLD" }
        await session.run {
            var updates = Storefront.updates.makeAsyncIterator()
            var others = Storefront.updates.makeAsyncIterator()
            session.storefront = "NLD"
            session.storefront = "DEU"
            session.storefront = "DEU"
            session.storefront = "JPN"
            #expect(await updates.next()?.countryCode == "DEU")
            #expect(await updates.next()?.countryCode == "JPN")
            #expect(await others.next()?.countryCode == "DEU")
        }
    }

    @Test(
        "A storefront has the currency of its country",
        arguments: [("NLD", "EUR"), ("JPN", "JPY"), ("BRA", "BRL"), ("XKS", "EUR")]
    )
    func currency(_ code: String, _ currency: String) async {
        let session = StoreKitSession { $0.storefront = code }
        await session.run {
            #expect(await Storefront.current?.currency == Locale.Currency(currency))
        }
    }

    @Test("No storefront is nil, and an unknown one has no currency")
    func noStorefront() async {
        let session = StoreKitSession()
        await session.run { #expect(await Storefront.current == nil) }
        session.storefront = "QQQ"
        await session.run { #expect(await Storefront.current?.currency == nil) }
    }

    @Test("Entries with an error are ignored and recorded under the rule's id, once (CF-50, SK-101)")
    func findings() async throws {
        let (session, _) = try StoreKitSession.dutch()
        session.configuration = try SampleApp.configuration(
            single: ["nl": "http://shop.acme.example/nl", "de": "https://shop.acme.example/de"]
        )
        await session.run {
            #expect(await !ExternalPurchaseLink.canOpen)
            session.storefront = "DEU"
            #expect(await ExternalPurchaseLink.canOpen)
        }
        session.musicStreaming = .yes
        #expect(session.diagnosticIds == ["link-url-not-https"])
        session.storefront = "NLD"
        let condition = try #require(session.explain(.canOpen).failedCondition)
        #expect(condition.id == .storefrontConfigured)
        #expect(condition.detail.contains("link-url-not-https"))
        #expect(condition.evidence?.file == "Info.plist")
        #expect(condition.evidence?.position?.line == 1)
    }

    @Test("A missing file is one clear error")
    func missingFile() {
        #expect(throws: ConfigurationReadError.self) {
            try StoreKitSession(infoPlist: "/nowhere/Info.plist", entitlements: nil)
        }
    }
}

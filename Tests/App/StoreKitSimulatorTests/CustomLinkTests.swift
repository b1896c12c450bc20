import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing
import TokenLifecycle

@Suite("Custom links: notices and tokens")
struct CustomLinkTests {
    private typealias Link = ExternalPurchaseCustomLink
    private static let shop = SampleApp.offer

    // MARK: Notices

    @Test("A notice opens nothing and returns the customer's answer (SK-63)")
    func notice() async throws {
        let presenter = ScriptedPresenter(.continue, .cancel, .continue)
        let opened = Browser()
        let session = try StoreKitSession.sample([.C], in: "DEU", os: OSVersion(27, 2), presenter) {
            $0.urlOpener = { await opened.open($0) }
        }
        try await session.run { () async throws in
            #expect(try await Link.showNotice(type: .browser) == .continued)
            #expect(try await Link.showNotice(type: .withinApp) == .cancelled)
            #expect(try await Link.showNotice(for: .outOfApp(destinationURL: Self.shop)) == .continued)
        }
        #expect(await opened.opened.isEmpty)
        #expect(presenter.requests.map(\.kind) == [.disclosure, .disclosure, .disclosure])
        #expect(presenter.requests.map(\.destination) == [nil, nil, Self.shop])
        #expect(presenter.requests.allSatisfy { $0.family == "ExternalPurchaseCustomLink" })
        #expect(presenter.requests[2].text.contains("shop.acme.example"))
    }

    @Test(
        "A destination may be left out in the EU only (SK-64)",
        arguments: [("DEU", true), ("ISL", false), ("JPN", false), ("BRA", false)]
    )
    func destination(_ storefront: String, _ isOptional: Bool) async throws {
        let session = try StoreKitSession.sample([.A, .S], in: storefront, os: OSVersion(27, 2))
        let error = try await session.run {
            try await storeKitError { _ = try await Link.showNotice(for: .outOfApp(destinationURL: nil)) }
        }
        #expect(error?.failure?.reason == (isOptional ? nil : .destinationURLMissing))
        #expect(error?.failure?.explanation.failed == (isOptional ? nil : .argument))
        #expect(session.diagnosticIds.contains("missing-destination-url") == !isOptional)
        try await session.run { () async throws in
            #expect(try await Link.showNotice(for: .outOfApp(destinationURL: Self.shop)) == .continued)
            #expect(try await Link.showNotice(for: .withinApp) == .continued)
        }
    }

    @Test(
        "It works by each of the three routes wherever isEligible is true (SK-65)",
        arguments: [SampleFiles.C, .S, .A]
    )
    func routes(_ sample: SampleFiles) async throws {
        let session = try StoreKitSession.sample([sample], in: "DEU", os: OSVersion(27, 2))
        try await session.run { () async throws in
            #expect(await Link.isEligible)
            #expect(try await Link.showNotice(for: .withinApp) == .continued)
        }
    }

    @Test("Reminders switched off in the EU give continued without a sheet, unless the setting shows it (SK-67, D9)")
    func reminders() async throws {
        let presenter = ScriptedPresenter(.continueWithoutReminders, .cancel)
        let session = try StoreKitSession.sample([.C], in: "DEU", presenter)
        try await session.run { () async throws in
            #expect(try await Link.showNotice(type: .browser) == .continued)
            #expect(session.remindersOff)
            // C11 does not apply: no presenter is needed.
            session.presenter = nil
            #expect(try await Link.showNotice(type: .browser) == .continued)
            #expect(session.diagnosticIds.filter { $0 == "notice-suppressed" }.count == 1)
            session.presenter = presenter
            #expect(presenter.requests.count == 1)
            session.suppressedNoticePolicy = .show
            #expect(try await Link.showNotice(type: .browser) == .cancelled)
        }
    }

    @Test("Reminders cannot be switched off outside the EU (SK-67)", arguments: ["ISL", "JPN"])
    func remindersElsewhere(_ storefront: String) async throws {
        let presenter = ScriptedPresenter(.continueWithoutReminders)
        let session = try StoreKitSession.sample([.A, .S], in: storefront, presenter)
        try await session.run { () async throws in
            #expect(try await Link.showNotice(type: .browser) == .continued)
            #expect(!session.remindersOff)
            session.remindersOff = true
            #expect(try await Link.showNotice(type: .browser) == .continued)
        }
        #expect(presenter.requests.count == 2)
        #expect(!session.diagnosticIds.contains("notice-suppressed"))
    }

    @Test("A network that fails is thrown after everything else (C12)")
    func network() async throws {
        let session = try StoreKitSession.sample([.C], in: "DEU") { $0.network = URLError(.timedOut) }
        try await session.run {
            #expect(await Link.isEligible)
            let notice = try await storeKitError { _ = try await Link.showNotice(type: .browser) }
            let token = try await storeKitError { _ = try await Link.token(for: "SERVICES") }
            #expect([notice, token].map { $0?.name } == ["networkError", "networkError"])
            // The type is checked first, and a nil result needs no network.
            #expect(try await Link.token(for: "IN_APP") == nil)
            session.network = nil
            #expect(try await Link.showNotice(type: .browser) == .continued)
        }
    }

    // MARK: Tokens

    @Test("The EU has periods, the same token until they end (SK-58, SK-59, TK-34 to TK-38)")
    func periods() async throws {
        let clock = TurnableClock()
        let session = try StoreKitSession.sample([.C], in: "DEU") { $0.clock = { clock.time } }
        try await session.run {
            let acquisition = try #require(try await Link.token(for: "ACQUISITION"))
            let services = try #require(try await Link.token(for: "SERVICES"))
            #expect(try await Link.token(for: "ACQUISITION") == acquisition)
            #expect(try await Link.token(for: "SERVICES") == services)
            let decoded = try ExternalPurchaseToken.decode(services.value, mode: .strict).token
            #expect(decoded.tokenExpirationDate == clock.time + .hours(1))
            clock.turn(hours: 2)
            #expect(try await Link.token(for: "ACQUISITION") == nil)
            let renewed = try #require(try await Link.token(for: "SERVICES"))
            #expect(renewed != services)
            session.newSandboxAccount()
            #expect(try await Link.token(for: "ACQUISITION") != nil)
        }
        #expect(session.diagnosticIds.filter { $0 == "acquisition-exhausted" }.count == 1)
    }

    @Test("Production waits for an install, update or redownload (TK-32, TK-33, TK-38)")
    func production() async throws {
        let clock = TurnableClock()
        let issuer = CountingIssuer()
        let session = try StoreKitSession.sample([.C], in: "DEU") {
            $0.clock = { clock.time }
            $0.environment = .production
            $0.tokenIssuer = issuer
        }
        try await session.run {
            #expect(try await Link.token(for: "SERVICES") == nil)
            let created = try await session.simulate(.install)
            #expect(created.map(\.token.tokenType) == [.acquisition, .services])
            #expect(try await Link.token(for: "ACQUISITION")?.value == created[0].text)
            #expect(try await Link.token(for: "SERVICES")?.value == created[1].text)
            #expect(await issuer.issued.count == 2)
            let tablet = session.newDevice()
            #expect(try await session.simulate(.install, on: tablet).isEmpty)
            clock.turn(hours: 366 * 24)
            #expect(try await Link.token(for: "SERVICES") == nil)
            let renewed = try await session.simulate(.update, on: tablet)
            #expect(renewed.map(\.token.tokenType) == [.services])
            #expect(try await Link.token(for: "SERVICES")?.value == renewed[0].text)
            #expect(try await Link.token(for: "ACQUISITION") == nil)
        }
        #expect(session.diagnosticIds.filter { $0 == "token-none-active" }.count == 2)
    }

    @Test("An event in a storefront that the app does not configure creates nothing (TK-33)")
    func unconfiguredEvent() async throws {
        let session = try StoreKitSession.sample([.C], in: "FRA") { $0.environment = .production }
        #expect(try await session.simulate(.install).isEmpty)
        session.storefront = "DEU"
        #expect(try await session.simulate(.update).map(\.token.tokenType) == [.services])
        let acquisition = try await session.run { try await Link.token(for: "ACQUISITION") }
        #expect(acquisition == nil)
        let japan = try StoreKitSession.sample([.A], in: "JPN") { $0.environment = .production }
        #expect(try await japan.simulate(.install).isEmpty)
    }

    @Test(
        "An event creates tokens on systems that have them only (TK-32, SK-46)",
        arguments: [
            (Platform.iOS, "17.6", SampleFiles.C, false), (.iOS, "18.0", .C, false), (.iOS, "18.1", .C, true),
            (.iPadOS, "18.0", .C, false), (.macOS, "15.0", .C, false), (.macOS, "15.1", .C, true),
            (.tvOS, "18.0", .C, false), (.tvOS, "18.1", .C, true), (.watchOS, "11.0", .C, false),
            (.watchOS, "11.1", .C, true), (.visionOS, "2.0", .C, false), (.visionOS, "2.1", .C, true),
            (.iOS, "18.1", .S, false), (.iOS, "18.2", .S, true), (.macOS, "26.5", .S, false),
            (.iOS, "26.1", .A, false), (.iOS, "26.2", .A, true),
        ]
    )
    func eventsOnOlderSystems(_ platform: Platform, _ version: String, _ sample: SampleFiles, _ hasTokens: Bool)
        async throws
    {
        let version = try #require(OSVersion(version))
        let session = try StoreKitSession.sample([sample], in: "DEU", os: version) {
            $0.device.platform = platform
            $0.environment = .production
        }
        let created = try await session.simulate(.install)
        #expect(created.map(\.token.tokenType) == (hasTokens ? [.acquisition, .services] : []))
    }

    @Test(
        "After a first install on an older system only an update begins SERVICES, and ACQUISITION never begins (TK-33)"
    )
    func updateAfterOlderSystem() async throws {
        let session = try StoreKitSession.sample([.C], in: "DEU", os: OSVersion(18, 0)) {
            $0.environment = .production
        }
        #expect(try await session.simulate(.install).isEmpty)
        session.device.osVersion = OSVersion(18, 1)
        #expect(try await session.simulate(.update).map(\.token.tokenType) == [.services])
    }

    @Test("Customers have their own periods and keep them (TK-40)")
    func customers() async throws {
        let session = try StoreKitSession.sample([.C], in: "DEU")
        try await session.run {
            let first = session.customer
            let token = try await Link.token(for: "ACQUISITION")
            let second = session.newSandboxAccount()
            #expect(session.customer == second)
            #expect(try await Link.token(for: "ACQUISITION") != token)
            session.signIn(first)
            #expect(try await Link.token(for: "ACQUISITION") == token)
        }
    }

    @Test("In Japan and Brazil each call mints a token without expiration (SK-61, TK-45)", arguments: ["JPN", "BRA"])
    func transactions(_ storefront: String) async throws {
        let session = try StoreKitSession.sample([.A], in: storefront)
        try await session.run {
            var values: Set<String> = []
            for type in ["IN_APP", "LINK_OUT", "IN_APP"] {
                let token = try #require(try await Link.token(for: type))
                let decoded = try ExternalPurchaseToken.decode(token.value, mode: .strict).token
                #expect(decoded.tokenType?.rawValue == type)
                #expect(decoded.tokenExpirationDate == nil)
                values.insert(token.value)
            }
            #expect(values.count == 3)
            session.transactionTokenLifetime = .seconds(60)
            let expiring = try #require(try await Link.token(for: "IN_APP"))
            let decoded = try ExternalPurchaseToken.decode(expiring.value, mode: .strict).token
            #expect(decoded.tokenExpirationDate == decoded.tokenCreationDate + .minutes(1))
        }
    }

    @Test("On 26.2 and 26.3 Japan is eligible without tokens (SK-47, SK-62)", arguments: ["26.2", "26.3"])
    func japanWithoutTokens(_ version: String) async throws {
        let session = try StoreKitSession.sample([.A], in: "JPN", os: try #require(OSVersion(version)))
        try await session.run {
            #expect(await Link.isEligible)
            let error = try await storeKitError { _ = try await Link.token(for: "IN_APP") }
            #expect(error?.name == "unsupported")
            #expect(try await Link.showNotice(type: .browser) == .continued)
        }
        #expect(!session.diagnosticIds.contains("called-while-ineligible"))
    }

    @Test("The typed overload exists from 27.2 and shares tokens with the other (SK-5, SK-62)")
    func typed() async throws {
        let session = try StoreKitSession.sample([.C], in: "DEU", os: OSVersion(27, 2))
        try await session.run {
            let old = try await Link.token(for: "SERVICES")
            #expect(try await Link.token(for: Link.TokenType(rawValue: "SERVICES")) == old)
            #expect(session.diagnosticIds.filter { $0 == "api-deprecated" }.count == 1)
            session.device.osVersion = OSVersion(27, 1)
            let error = try await storeKitError { _ = try await Link.token(for: .withinApp) }
            #expect(error?.name == "unsupported")
            let notice = try await storeKitError { _ = try await Link.showNotice(for: .withinApp) }
            #expect(notice?.name == "unsupported")
        }
        let newer = session.diagnostics.filter { $0.id == "api-newer-than-os" }
        #expect(
            newer.map(\.message) == [
                "ExternalPurchaseCustomLink.token(for:) needs iOS 27.2",
                "ExternalPurchaseCustomLink.showNotice(for:) needs iOS 27.2",
            ]
        )
    }

    @Test(
        "An unknown type returns nil and suggests a known one (SK-60, D2)",
        arguments: [
            ("acquisition", "DEU", "token-type-case", "did you mean \"ACQUISITION\"?"),
            ("Link_Out", "JPN", "token-type-case", "did you mean \"LINK_OUT\"?"),
            ("SERVICE", "DEU", "token-type-unknown", "Did you mean \"SERVICES\"?"),
            ("inApp", "JPN", "token-type-unknown", "Did you mean \"IN_APP\"?"),
            ("", "DEU", "token-type-unknown", "Use ACQUISITION or SERVICES."),
            ("CORE_TECHNOLOGY", "DEU", "token-type-unknown", "Use ACQUISITION or SERVICES."),
            ("IN_APP", "DEU", "token-type-wrong-programme", "use ACQUISITION or SERVICES"),
            ("SERVICES", "BRA", "token-type-wrong-programme", "does not belong to Brazil; use IN_APP or LINK_OUT"),
        ]
    )
    func unknownType(_ type: String, _ storefront: String, _ id: String, _ text: String) async throws {
        let session = try StoreKitSession.sample([.A], in: storefront)
        try await session.run {
            #expect(try await Link.token(for: type) == nil)
            let pendingDiagnostic = try #require(session.diagnostics.first { $0.id.hasPrefix("token-type") })
            #expect(pendingDiagnostic.id == id)
            #expect(pendingDiagnostic.severity == .error)
            #expect("\(pendingDiagnostic)".contains(text), "\(pendingDiagnostic)")
            session.unknownTokenTypePolicy = .throw
            let error = try await storeKitError { _ = try await Link.token(for: type) }
            #expect(error?.name == "unsupported")
        }
    }

    @Test("Simultaneous requests get one token, issued once; a failed issue is tried again (TK-36)")
    func issuedOnce() async throws {
        let issuer = CountingIssuer()
        let session = try StoreKitSession.sample([.C], in: "DEU") {
            $0.tokenIssuer = RegisteringTokenIssuer(issuer) { _ in throw SampleFault() }
        }
        try await session.run {
            let error = try await storeKitError { _ = try await Link.token(for: "SERVICES") }
            #expect(error?.failure?.reason == .tokenNotMinted)
            session.tokenIssuer = issuer
            let values = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<50 { group.addTask { try await Link.token(for: "SERVICES")?.value } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(values.count == 1)
        }
        // The failed request and another one with the same id.
        #expect(await issuer.issued.count == 2)
        #expect(await Set(issuer.issued).count == 1)
    }

    @Test("The same time and randomness give the same tokens, in a session as in the lifecycle (SK-10)")
    func deterministic() async throws {
        func values() async throws -> [String?] {
            let counter = AtomicCounter()
            let session = try StoreKitSession.sample([.C], in: "DEU") {
                $0.clock = { Timestamp(milliseconds: 1_790_000_000_000) }
                $0.uuid = { UUID(uuid: (counter.next(), 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0)) }
                $0.refreshPolicy = .random(seed: 3)
            }
            return try await session.run {
                var values: [String?] = []
                for type in ["SERVICES", "SERVICES", "ACQUISITION", "SERVICES", "SERVICES", "SERVICES"] {
                    values.append(try await Link.token(for: type)?.value)
                }
                return values
            }
        }
        let first = try await values()
        #expect(try await values() == first)
        #expect(Set(first).count > 2)
    }

    @Test("The refresh policy decides about the id (TK-36)")
    func refreshed() async throws {
        let session = try StoreKitSession.sample([.C], in: "DEU") { $0.refreshPolicy = .refreshed }
        try await session.run {
            let first = try #require(try await Link.token(for: "SERVICES"))
            let second = try #require(try await Link.token(for: "SERVICES"))
            var decoded = try [first, second].map { try ExternalPurchaseToken.decode($0.value, mode: .strict).token }
            #expect(decoded[0].externalPurchaseId != decoded[1].externalPurchaseId)
            decoded[1].externalPurchaseId = decoded[0].externalPurchaseId
            #expect(decoded[0] == decoded[1])
        }
    }

    @Test("The settings of the lifetimes reach the tokens (TK-39, D4)")
    func lifetimes() async throws {
        let session = try StoreKitSession.sample([.C], in: "DEU") {
            $0.sandboxLifetime = .milliseconds(1_500)
            $0.acquisitionLifetime = .seconds(10)
            $0.servicesLifetime = .seconds(20)
        }
        func span(_ text: String?) throws -> Int64? {
            let token = try ExternalPurchaseToken.decode(try #require(text)).token
            return token.tokenExpirationDate.map { $0.milliseconds - token.tokenCreationDate.milliseconds }
        }
        try await session.run { () async throws in
            #expect(try span(try await Link.token(for: "SERVICES")?.value) == 1_500)
            session.environment = .production
            #expect(try await session.simulate(.install).map { try span($0.text) } == [10_000, 20_000])
        }
    }
}

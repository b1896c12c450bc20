import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing
import TokenLifecycle

/// A sequence of calls that must record one diagnostic, and the diagnostic.
struct UsageCase: Sendable, CustomTestStringConvertible {
    let id: String
    let severity: Severity
    let message: String
    let story: @Sendable () async throws -> StoreKitSession

    init(
        _ id: String,
        _ severity: Severity,
        _ message: String,
        _ story: @escaping @Sendable () async throws -> StoreKitSession
    ) {
        self.id = id
        self.severity = severity
        self.message = message
        self.story = story
    }

    var testDescription: String { "\(id): \(message)" }
}

private typealias Link = ExternalPurchaseCustomLink

private let shop = SampleApp.offer

/// Each suspends the sheet of one case.
private let (firstSheet, secondSheet) = (Gate(), Gate())

/// A customer who continues when the gate opens.
private func held(_ gate: Gate) -> ScriptedPresenter {
    ScriptedPresenter(
        .decide { _ in
            await gate.wait()
            return .continue
        }
    )
}

/// Runs a sequence of calls in its own session.
private func story(
    _ samples: [SampleFiles],
    in storefront: String?,
    os version: String = "26.5",
    _ presenter: any SheetPresenter = ScriptedPresenter(.continue),
    _ configure: @Sendable @escaping (inout StoreKitSession.SessionInputs) -> Void = { _ in },
    _ play: @Sendable @escaping (StoreKitSession) async throws -> Void
) -> @Sendable () async throws -> StoreKitSession {
    {
        let version: OSVersion = try #require(OSVersion(version))
        let session = try StoreKitSession.sample(samples, in: storefront, os: version, presenter, configure)
        try await session.run { try await play(session) }
        return session
    }
}

/// Every id in the table of diagnostics, with its severity and text.
private let cases: [UsageCase] = [
    .init(
        "token-type-case",
        .error,
        #""acquisition" is not a token type; did you mean "ACQUISITION"?"#,
        story([.C], in: "DEU") { _ in _ = try await Link.token(for: "acquisition") }
    ),
    .init(
        "token-type-unknown",
        .error,
        #""GIFT" is not a token type"#,
        story([.C], in: "DEU") { _ in _ = try await Link.token(for: "GIFT") }
    ),
    .init(
        "token-type-wrong-programme",
        .error,
        "SERVICES does not belong to Japan; use IN_APP or LINK_OUT",
        story([.A], in: "JPN") { _ in _ = try await Link.token(for: "SERVICES") }
    ),
    .init(
        "token-none-active",
        .note,
        "No active SERVICES token: no install, update or redownload has created one yet",
        story([.C], in: "DEU") { session in
            session.environment = .production
            _ = try await Link.token(for: "SERVICES")
        }
    ),
    .init(
        "acquisition-exhausted",
        .note,
        "Use another sandbox account to test this again",
        story([.C], in: "DEU") { session in
            let clock = TurnableClock()
            session.clock = { clock.time }
            _ = try await Link.token(for: "ACQUISITION")
            clock.turn(hours: 2)
            _ = try await Link.token(for: "ACQUISITION")
        }
    ),
    .init(
        "token-types-incomplete",
        .note,
        "Request ACQUISITION and SERVICES",
        story([.C], in: "DEU") { session in
            _ = try await Link.token(for: "SERVICES")
            _ = try await Link.showNotice(type: .browser)
            session.tell(.urlOpened(shop))
        }
    ),
    .init(
        "tokens-not-requested-at-launch",
        .note,
        "Request tokens at launch",
        story([.C], in: "DEU") { _ in
            _ = try await Link.showNotice(type: .browser)
            _ = try await Link.token(for: "SERVICES")
        }
    ),
    .init(
        "token-before-notice",
        .note,
        "A declined offer would leave a token to report",
        story([.A], in: "JPN") { _ in _ = try await Link.token(for: "LINK_OUT") }
    ),
    .init(
        "token-before-notice",
        .warning,
        "A declined offer would leave a token to report",
        story([.A], in: "BRA", os: "27.2", ScriptedPresenter(.cancel)) { _ in
            _ = try await Link.showNotice(for: .withinApp)
            _ = try await Link.token(for: .withinApp)
        }
    ),
    .init(
        "token-not-delivered",
        .warning,
        "Every token must be reported, even without a sale",
        story([.P], in: "DEU") { session in
            _ = try await ExternalPurchase.presentNoticeSheet()
            await session.finish()
        }
    ),
    .init(
        "no-token-before-17-4",
        .note,
        "This system issues no tokens",
        story([.L], in: "DEU", os: "17.3") { _ in try await ExternalPurchaseLink.open() }
    ),
    .init(
        "no-user-interaction",
        .warning,
        "ExternalPurchase.presentNoticeSheet() must follow a tap",
        story([.P], in: "DEU") { session in
            session.userInteraction = .record
            _ = try await ExternalPurchase.presentNoticeSheet()
        }
    ),
    .init(
        "sheet-already-up",
        .error,
        "A sheet is up; the call failed",
        story([.L], in: "DEU", held(firstSheet)) { _ in
            try await ExternalPurchaseLink.open()
            try? await ExternalPurchaseLink.open()
            await firstSheet.open()
        }
    ),
    .init(
        "concurrent-flow",
        .warning,
        "A double tap can mint two tokens",
        story([.A], in: "JPN") { session in
            let gate = Gate()
            session.tokenIssuer = RegisteringTokenIssuer { _ in await gate.wait() }
            async let first = Link.token(for: "IN_APP")
            async let second = Link.token(for: "IN_APP")
            while !session.diagnosticIds.contains("concurrent-flow") { await Task.yield() }
            await gate.open()
            _ = try await (first, second)
        }
    ),
    .init(
        "no-presenter",
        .error,
        "No sheet presenter is set",
        story([.C], in: "DEU", configured: { $0.presenter = nil }) { _ in
            _ = try? await Link.showNotice(type: .browser)
        }
    ),
    .init(
        "payments-not-checked",
        .warning,
        "Check canMakePayments first",
        story([.P], in: "DEU") { _ in _ = try await ExternalPurchase.presentNoticeSheet() }
    ),
    .init(
        "eligibility-not-checked",
        .warning,
        "Check ExternalPurchaseCustomLink.isEligible first",
        story([.C], in: "DEU") { _ in _ = try await Link.showNotice(type: .browser) }
    ),
    .init(
        "eligibility-stale",
        .warning,
        "ExternalPurchaseCustomLink.isEligible was read in BRA; the storefront is JPN",
        story([.A], in: "BRA") { session in
            _ = await Link.isEligible
            session.storefront = "JPN"
            _ = try await Link.token(for: "IN_APP")
        }
    ),
    .init(
        "called-while-ineligible",
        .error,
        "ExternalPurchase.canPresent is false: rule pack 2026-10 has no CHE for SKExternalPurchase",
        story([.P], in: "CHE") { _ in _ = try? await ExternalPurchase.presentNoticeSheet() }
    ),
    .init(
        "api-newer-than-os",
        .error,
        "ExternalPurchaseCustomLink.showNotice(for:) needs iOS 27.2",
        story([.C], in: "DEU") { _ in _ = try? await Link.showNotice(for: .withinApp) }
    ),
    .init(
        "api-deprecated",
        .note,
        "Use showNotice(for:)",
        story([.C], in: "DEU", os: "27.2") { _ in _ = try await Link.showNotice(type: .browser) }
    ),
    .init(
        "api-not-of-programme",
        .warning,
        "Brazil uses ExternalPurchaseCustomLink",
        story([.A], in: "BRA") { _ in _ = try await ExternalPurchase.presentNoticeSheet() }
    ),
    .init(
        "programme-platform",
        .warning,
        "Japan is documented for iOS only",
        story([.A], in: "JPN", configured: { $0.device.platform = .visionOS }) { _ in _ = await Link.isEligible }
    ),
    .init(
        "missing-destination-url",
        .error,
        "outOfApp needs a destinationURL outside the EU",
        story([.A], in: "JPN", os: "27.2") { _ in
            _ = try? await Link.showNotice(for: .outOfApp(destinationURL: nil))
        }
    ),
    .init(
        "destination-not-https",
        .warning,
        "http://shop.acme.example is not https",
        story([.C], in: "DEU", os: "27.2") { _ in
            _ = try await Link.showNotice(for: .outOfApp(destinationURL: URL(string: "http://shop.acme.example")))
        }
    ),
    .init(
        "destination-differs",
        .warning,
        "The notice named shop.acme.example, the app opened other.example",
        story([.C], in: "DEU", os: "27.2") { session in
            _ = try await Link.showNotice(for: .outOfApp(destinationURL: shop))
            session.tell(.urlOpened(try #require(URL(string: "https://other.example"))))
        }
    ),
    .init(
        "notice-legacy-in-region",
        .note,
        "Before 27.2 the app shows its own disclosure here",
        story([.A], in: "JPN") { _ in _ = try await Link.showNotice(type: .browser) }
    ),
    .init(
        "notice-suppressed",
        .note,
        "The customer switched off reminders",
        story([.C], in: "DEU", configured: { $0.remindersOff = true }) { _ in
            _ = try await Link.showNotice(type: .browser)
        }
    ),
    .init(
        "notice-missing",
        .warning,
        "Call showNotice before the offer",
        story([.C], in: "DEU") { session in session.tell(.offerShown) }
    ),
    .init(
        "offer-after-cancel",
        .error,
        "The customer declined",
        story([.C], in: "DEU", ScriptedPresenter(.cancel)) { session in
            _ = try await Link.showNotice(type: .browser)
            session.tell(.urlOpened(shop))
        }
    ),
    .init(
        "url-not-eligible",
        .error,
        "https://shop.acme.example/offer is not in eligibleURLs",
        story([.M], in: "DEU") { _ in try? await ExternalPurchaseLink.open(url: shop) }
    ),
    .init(
        "url-opened-by-app",
        .error,
        "Use open(url:); without it there is no sheet and no token",
        story([.M], in: "DEU") { session in
            session.tell(.urlOpened(try #require(URL(string: "https://shop.acme.example/de?from=app"))))
        }
    ),
    .init(
        "result-treated-as-done",
        .note,
        "open() returns before the customer answers",
        story([.L], in: "DEU", held(secondSheet)) { session in
            try await ExternalPurchaseLink.open()
            session.tell(.saleStarted)
            await secondSheet.open()
        }
    ),
    .init(
        "storefront-not-alpha-3",
        .error,
        #""jp" is not an alpha-3 code; did you mean "JPN"?"#,
        story([.A], in: "jp") { _ in }
    ),
    .init(
        "iap-beside-external",
        .note,
        "The documents say to use only one",
        story([.C], in: "DEU", configured: { $0.rulePack = RegionTables.builtIn.pack("2026-06") ?? .newest }) {
            session in
            session.tell(.inAppPurchaseOffered)
        }
    ),
    .init(
        "iap-forbidden",
        .error,
        "In-App Purchase was offered in an app whose storefront's terms allow none",
        story([.P], in: "KOR") { session in session.tell(.inAppPurchaseOffered) }
    ),
    .init(
        "iap-missing",
        .warning,
        "An offer was shown in BRA without In-App Purchase beside it",
        story([.A], in: "BRA") { session in
            session.tell(.offerShown)
            await session.finish()
        }
    ),
    .init(
        "parental-gate-missing",
        .warning,
        "A purchase in the app began without a parental gate",
        story([.A], in: "JPN", configured: { $0.customerAge = AgeBand(12) }) { session in
            session.tell(.disclosureShown(isContinued: true, flow: .withinApp))
        }
    ),
    .init(
        "not-for-minors",
        .error,
        "A purchase outside the app began for a customer of an age that the storefront's terms exclude",
        story([.C], in: "DEU", configured: { $0.customerAge = AgeBand(from: 13, to: 15) }) { _ in
            _ = try await Link.showNotice(type: .browser)
        }
    ),
    .init(
        "token-delivered-twice",
        .note,
        "Deliver once; deduplicate by externalPurchaseId",
        story([.C], in: "DEU") { session in
            let token = try #require(try await Link.token(for: "SERVICES"))
            session.tell(.tokenDelivered(token.value))
            session.tell(.tokenDelivered(token.value))
        }
    ),
]

private func story(
    _ samples: [SampleFiles],
    in storefront: String,
    configured: @Sendable @escaping (inout StoreKitSession.SessionInputs) -> Void,
    _ play: @Sendable @escaping (StoreKitSession) async throws -> Void
) -> @Sendable () async throws -> StoreKitSession {
    story(samples, in: storefront, os: "26.5", ScriptedPresenter(.continue), configured, play)
}

@Suite("Diagnostics of every family (SK-100 to SK-102)")
struct UsageDiagnosticTests {
    @Test("Each sequence of calls records its diagnostic once, with a hint", arguments: cases)
    func pendingDiagnostics(_ usage: UsageCase) async throws {
        let session = try await usage.story()
        let pendingDiagnostics = session.diagnostics.filter { $0.id == usage.id }
        let pendingDiagnostic = try #require(pendingDiagnostics.first, "\(session.diagnostics)")
        #expect(pendingDiagnostics.count == 1)
        #expect(pendingDiagnostic.severity == usage.severity)
        #expect(pendingDiagnostic.message == usage.message)
        #expect(pendingDiagnostic.hint?.isEmpty == false || usage.id == "storefront-not-alpha-3")
    }

    @Test("The stories cover the ids of the table")
    func coverage() {
        #expect(Set(cases.map(\.id)).count == 39)
    }

    @Test("An app that follows the rules records none, in the EU and in Japan")
    func none() async throws {
        let europe = try StoreKitSession.sample([.C], in: "DEU", os: OSVersion(27, 2)) { $0.userInteraction = .record }
        try await europe.run {
            guard await Link.isEligible else { return }
            for type in ["ACQUISITION", "SERVICES"] {
                let token = try #require(try await Link.token(for: Link.TokenType(rawValue: type)))
                europe.tell(.tokenDelivered(token.value))
            }
            try await StoreKitSession.withUserInteraction { () async throws in
                #expect(try await Link.showNotice(for: .outOfApp(destinationURL: shop)) == .continued)
                europe.tell(.offerShown)
                europe.tell(.urlOpened(shop))
            }
        }
        #expect(await europe.finish().isEmpty)
        let japan = try StoreKitSession.sample([.A], in: "JPN") { $0.userInteraction = .record }
        try await japan.run {
            guard await Link.isEligible else { return }
            japan.tell(.disclosureShown(isContinued: true))
            let token = try #require(try await Link.token(for: "LINK_OUT"))
            japan.tell(.tokenDelivered(token.value))
            japan.tell(.inAppPurchaseOffered)
            japan.tell(.urlOpened(shop))
        }
        #expect(await japan.finish().isEmpty)
    }

    @Test("A flow ends with the opened URL: the next one needs its own notice")
    func flowEnds() async throws {
        let session = try StoreKitSession.sample([.C], in: "DEU")
        try await session.run {
            _ = try await Link.showNotice(type: .browser)
            session.tell(.urlOpened(shop))
            #expect(!session.diagnosticIds.contains("notice-missing"))
            session.tell(.urlOpened(shop))
        }
        #expect(session.diagnosticIds.contains("notice-missing"))
    }

    @Test("In-App Purchase beside an external API is allowed where the terms of 2026 allow it (SK-85)")
    func besideExternal() async throws {
        for (samples, storefront, pack, isRecorded) in [
            ([SampleFiles.A], "JPN", "2026-10", false), ([.A], "BRA", "2026-10", false),
            ([.C], "DEU", "2026-10", false), ([.C], "DEU", "2026-06", true), ([.S], "ISL", "2026-10", true),
            ([.C], "FRA", "2026-06", false),
        ] {
            let pack = try #require(RegionTables.builtIn.pack(pack))
            let session = try StoreKitSession.sample(samples, in: storefront) { $0.rulePack = pack }
            session.tell(.inAppPurchaseOffered)
            #expect(session.diagnosticIds.contains("iap-beside-external") == isRecorded, "\(storefront) \(pack.id)")
        }
    }

    @Test("The setting requires a marked action, records its absence or ignores it (SK-50)")
    func userInteraction() async throws {
        let session = try StoreKitSession.sample([.P], in: "DEU") { $0.userInteraction = .require }
        try await session.run {
            let error = try await storeKitError { _ = try await ExternalPurchase.presentNoticeSheet() }
            #expect(error?.failure?.reason == .sheetCannotBePresented)
            session.device.osVersion = OSVersion(27, 0)
            let newer = try await storeKitError { _ = try await ExternalPurchase.presentNoticeSheet() }
            #expect(newer?.name == "invalidPresentationContext")
            let result = try await StoreKitSession.withUserInteraction {
                try await ExternalPurchase.presentNoticeSheet()
            }
            #expect(result != .cancelled)
        }
        #expect(session.diagnosticIds.filter { $0 == "no-user-interaction" }.count == 2)
        session.userInteraction = .off
        _ = try await session.run { try await ExternalPurchase.presentNoticeSheet() }
        #expect(session.diagnosticIds.filter { $0 == "no-user-interaction" }.count == 2)
    }

    @Test("Tokens that are asked for need no customer action (SK-50, SK-58)")
    func tokensNeedNoTap() async throws {
        let session = try StoreKitSession.sample([.C], in: "DEU") { $0.userInteraction = .require }
        let token = try await session.run { try await Link.token(for: "SERVICES") }
        #expect(token != nil)
    }

    @Test("Programmes on other platforms than iOS are recorded, once per session (SK-44)")
    func programmePlatform() async throws {
        let session = try StoreKitSession.sample([.A], in: "JPN") { $0.device.platform = .macOS }
        await session.run {
            for _ in 0..<3 { #expect(await Link.isEligible) }
        }
        #expect(session.diagnosticIds == ["programme-platform"])
        session.device.platform = .iOS
        let phone = try StoreKitSession.sample([.A], in: "JPN")
        await phone.run { #expect(await Link.isEligible) }
        #expect(phone.diagnosticIds.isEmpty)
    }
}

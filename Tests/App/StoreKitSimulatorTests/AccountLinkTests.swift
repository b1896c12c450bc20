import AppConfiguration
import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing

@Suite("The account link of a reader app")
struct AccountLinkTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var os = Device(osVersion: OSVersion(26, 4))
        var storefront: String? = "NLD"
        var links = ["*": "https://acme.example/account", "jp": "https://acme.example/jp"]
        var isEntitled = true
        /// The link that opens, or the case of the error.
        let expected: String

        var testDescription: String {
            "\(os.platform) \(os.osVersion) \(os.mode) \(storefront ?? "none") → \(expected)"
        }
    }

    static let cases: [Case] = [
        Case(expected: "https://acme.example/account"),
        Case(storefront: "JPN", expected: "https://acme.example/jp"),
        Case(storefront: nil, expected: "https://acme.example/account"),
        // No rule pack lists countries for it.
        Case(storefront: "USA", expected: "https://acme.example/account"),
        Case(os: Device(osVersion: OSVersion(16, 0)), expected: "https://acme.example/account"),
        Case(os: Device(osVersion: OSVersion(15, 8)), expected: "unsupported"),
        Case(os: Device(platform: .tvOS, osVersion: OSVersion(16, 4)), expected: "https://acme.example/account"),
        Case(os: Device(platform: .tvOS, osVersion: OSVersion(16, 3)), expected: "unsupported"),
        Case(os: Device(platform: .macOS, osVersion: OSVersion(26, 4)), expected: "unsupported"),
        Case(os: Device(osVersion: OSVersion(26, 4), mode: .catalyst), expected: "unsupported"),
        Case(os: Device(osVersion: OSVersion(26, 4), mode: .compatibleVisionOS), expected: "unsupported"),
        Case(isEntitled: false, expected: "notEntitled"),
        Case(links: [:], expected: "notAvailableInStorefront"),
        Case(links: ["jp": "https://acme.example/jp"], expected: "notAvailableInStorefront"),
        Case(storefront: "JPN", links: ["jp": "https://acme.example/jp"], expected: "notAvailableInStorefront"),
        Case(links: ["*": "http://acme.example/account"], expected: "notAvailableInStorefront"),
    ]

    private static func configuration(_ entry: Case) throws -> AppConfiguration {
        let links = entry.links.sorted { $0.key < $1.key }.map { "<key>\($0)</key><string>\($1)</string>" }.joined()
        let entitlement = "<key>com.apple.developer.storekit.external-link.account</key><true/>"
        func file(_ content: String) -> [UInt8] { Array("<plist version=\"1.0\"><dict>\(content)</dict></plist>".utf8) }
        return try AppConfiguration.parse(
            infoPlist: file(links.isEmpty ? "" : "<key>SKExternalLinkAccount</key><dict>\(links)</dict>"),
            entitlements: file(entry.isEntitled ? entitlement : "")
        )
    }

    private static func session(_ entry: Case, _ presenter: ScriptedPresenter?) throws -> (StoreKitSession, Browser) {
        let browser = Browser()
        let configuration = try configuration(entry)
        let session = StoreKitSession { inputs in
            inputs.device = entry.os
            inputs.storefront = entry.storefront
            inputs.configuration = configuration
            inputs.presenter = presenter
            inputs.urlOpener = { await browser.open($0) }
        }
        return (session, browser)
    }

    @Test("canOpen is true exactly where open() opens the link, unchanged (SK-111, SK-112)", arguments: cases)
    func conditions(_ entry: Case) async throws {
        let presenter = ScriptedPresenter(.continue)
        let (session, browser) = try Self.session(entry, presenter)
        let opens = entry.expected.hasPrefix("https")
        try await session.run {
            #expect(await ExternalLinkAccount.canOpen == opens)
            let error = try await StoreKitSession.withUserInteraction {
                try await storeKitError { try await ExternalLinkAccount.open() }
            }
            #expect(error?.name == (opens ? nil : entry.expected))
        }
        #expect(await browser.opened.map(\.absoluteString) == (opens ? [entry.expected] : []))
        #expect(presenter.requests.map(\.kind) == (opens ? [.account] : []))
        #expect(session.outcomes.count == (opens ? 1 : 0))
        #expect(session.diagnosticIds.contains("called-while-ineligible") == !opens)
    }

    @Test("It does not depend on payments and person, and issues no token (SK-111, SK-112)")
    func independent() async throws {
        let (session, browser) = try Self.session(Case(expected: ""), ScriptedPresenter(.continue))
        session.canMakePayments = false
        session.personEligible = false
        await session.run {
            #expect(await ExternalLinkAccount.canOpen)
            #expect(await ExternalPurchaseLink.canOpen == false)
            await #expect(throws: Never.self) { try await ExternalLinkAccount.open() }
        }
        #expect(await browser.opened.count == 1)
        #expect(session.diagnosticIds == ["no-user-interaction"])
    }

    @Test("Cancelling opens nothing; a second call, no presenter and a network fault fail (SK-112)")
    func sheet() async throws {
        let (session, browser) = try Self.session(Case(expected: ""), ScriptedPresenter(.cancel))
        session.userInteraction = .off
        try await session.run {
            try await ExternalLinkAccount.open()
            let second = try await storeKitError { try await ExternalLinkAccount.open() }
            #expect(second?.name == "systemError")
        }
        #expect(session.diagnosticIds == ["sheet-already-up"])
        session.presenter = nil
        try await session.run {
            let error = try await storeKitError { try await ExternalLinkAccount.open() }
            #expect(error?.name == "systemError")
            session.device.osVersion = OSVersion(27, 0)
            let newer = try await storeKitError { try await ExternalLinkAccount.open() }
            #expect(newer?.name == "invalidPresentationContext")
        }
        session.presenter = ScriptedPresenter(.continue)
        session.network = URLError(.timedOut)
        try await session.run {
            let error = try await storeKitError { try await ExternalLinkAccount.open() }
            #expect(error?.name == "networkError")
            session.network = nil
            try await ExternalLinkAccount.open()
        }
        #expect(await browser.opened.count == 1)
        guard case .cancelled = session.outcomes.first else { Issue.record("\(session.outcomes)"); return }
    }

    @Test("A script without steps expects no sheet: one that is shown fails and is recorded by name (SK-115)")
    func unexpectedSheet() async throws {
        for presenter in [ScriptedPresenter(), ScriptedPresenter(steps: []), ScriptedPresenter(answers: [])] {
            let (session, browser) = try StoreKitSession.dutch(presenter)
            await session.run { _ = try? await ExternalPurchaseLink.open() }
            #expect(await browser.opened.isEmpty)
            guard case .failed(.systemError(let error)) = session.outcomes.first else {
                Issue.record("\(session.outcomes)")
                continue
            }
            #expect("\(error)".contains("no sheet is expected"))
            let diagnostic = try #require(session.diagnostics.first { $0.id == "sheet-not-expected" })
            #expect(
                diagnostic.message
                    == "ExternalPurchaseLink.open() showed a continuation sheet, and no sheet is expected"
            )
        }
    }
}

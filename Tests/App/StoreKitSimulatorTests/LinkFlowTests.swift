import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing

@Suite("A link's flow: ask, sheet, token, open")
struct LinkFlowTests {
    @Test("Continue opens the chosen link with a plain token and the bundle id (SK-56, TK-26, TK-27, TK-60, TK-85)")
    func continued() async throws {
        let (session, browser) = try StoreKitSession.dutch {
            $0.clock = { Timestamp(milliseconds: 1_790_000_000_000) }
            $0.uuid = { UUID(uuidString: "6C1B9C0E-0B2F-4E0B-9B63-8B1A35C8D9AB")! }
        }
        try await session.run {
            #expect(AppStore.canMakePayments)
            let urls = try #require(await ExternalPurchaseLink.eligibleURLs)
            #expect(urls.map(\.absoluteString) == [SampleApp.shop])
            try await ExternalPurchaseLink.open(url: urls[0])
        }
        let opened = try #require(await browser.opened.first)
        #expect(await browser.opened.count == 1)
        let query = try #require(opened.query())
        let arrival = WebsiteURL.arrival(query: query)
        let decoded = try ExternalPurchaseToken.decode(try #require(arrival.token), mode: .strict)
        #expect(
            decoded.token
                == ExternalPurchaseToken(
                    appAppleId: 1_234_567_890,
                    bundleId: "com.acme.app",
                    tokenCreationDate: Timestamp(milliseconds: 1_790_000_000_000),
                    externalPurchaseId: "SANDBOX_6c1b9c0e-0b2f-4e0b-9b63-8b1a35c8d9ab"
                )
        )
        #expect(
            opened.absoluteString
                == "\(SampleApp.shop)?externalPurchaseToken=\(decoded.token.encoded())&bundleId=com.acme.app"
        )
        #expect(session.diagnostics == [])
    }

    @Test(
        "Two different links over both keys: systems without the second key open the first (CF-52)",
        arguments: [
            ("RUS", "17.4", AppMode.native, true), ("RUS", "17.5", .native, false), ("RUS", "17.4", .catalyst, true),
            ("RUS", "17.5", .catalyst, false), ("RUS", "15.4", .native, true), ("NLD", "17.4", .native, true),
            ("NLD", "17.5", .native, false),
        ]
    )
    func differentLinks(_ storefront: String, _ version: String, _ mode: AppMode, _ opens: Bool) async throws {
        // Where several links are possible, the limit is a warning and a rule of its own.
        let rule = storefront == "RUS" ? "link-union-over-limit" : "multi-link-needs-streaming"
        let configuration = try SampleApp.configuration(
            single: ["nl": SampleApp.shop, "ru": SampleApp.shop],
            multi: ["nl": ["https://shop.acme.example/other"], "ru": ["https://shop.acme.example/other"]]
        )
        let system = try #require(OSVersion(version))
        let (session, browser) = try StoreKitSession.dutch { inputs in
            inputs.configuration = configuration
            inputs.storefront = storefront
            inputs.device.osVersion = system
            inputs.device.mode = mode
        }
        try await session.run {
            #expect(await ExternalPurchaseLink.canOpen == opens)
            let error = try await storeKitError { try await ExternalPurchaseLink.open() }
            #expect(error?.name == (opens ? nil : "notAvailableInStorefront"))
        }
        let opened = await browser.opened.map { $0.absoluteString.hasPrefix(SampleApp.shop) }
        #expect(opened == (opens ? [true] : []))
        let evaluation = session.explain(.canOpen)
        let configured = try #require(evaluation.conditions.first { $0.id == .storefrontConfigured && $0.route == nil })
        #expect(
            configured.detail.contains(
                opens
                    ? "before \(session.device.column.title) 17.5 SKExternalPurchaseMultiLink is not read"
                    : "(\(rule))"
            ),
            "\(evaluation)"
        )
        #expect(evaluation.removed.contains { $0.rule == "link-union-over-limit" } == !opens)
        #expect(session.diagnostics.contains { $0.id == rule })
    }

    @Test("The environment decides about the prefix (TK-26)", arguments: AppStoreEnvironment.allCases)
    func environment(_ environment: AppStoreEnvironment) async throws {
        let issuer = CountingIssuer()
        let (session, _) = try StoreKitSession.dutch {
            $0.environment = environment
            $0.tokenIssuer = issuer
        }
        try await session.run { try await ExternalPurchaseLink.open() }
        #expect(await issuer.issued.map(\.token.environment) == [environment])
    }

    @Test("Cancelling mints nothing, opens nothing and throws nothing (SK-51, TK-30)")
    func cancelled() async throws {
        let issuer = CountingIssuer()
        let (session, browser) = try StoreKitSession.dutch(ScriptedPresenter(.cancel)) { $0.tokenIssuer = issuer }
        try await session.run { try await ExternalPurchaseLink.open() }
        #expect(await issuer.issued.isEmpty)
        #expect(await browser.opened.isEmpty)
        guard case .cancelled = session.outcomes.last else {
            Issue.record("\(session.outcomes)")
            return
        }
    }

    @Test("open(url:) returns before the customer has answered (SK-56)")
    func earlyReturn() async throws {
        let gate = Gate()
        let presenter = ScriptedPresenter(
            .decide { _ in
                await gate.wait()
                return .continue
            }
        )
        let (session, browser) = try StoreKitSession.dutch(presenter)
        try await StoreKitSession.withValue(session) {
            let url = try #require(await ExternalPurchaseLink.eligibleURLs?.first)
            try await ExternalPurchaseLink.open(url: url)
        }
        #expect(session.outcomes.isEmpty)
        await gate.open()
        await session.settle()
        #expect(await browser.opened.count == 1)
        #expect(presenter.requests.map(\.kind) == [.continuation])
        #expect(presenter.requests.map(\.destination?.absoluteString) == [SampleApp.shop])
    }

    @Test("The flow keeps the session after the scope has ended (D8)")
    func taskLocalOutlivesScope() async throws {
        let gate = Gate()
        let (session, _) = try StoreKitSession.dutch(
            ScriptedPresenter(
                .decide { _ in
                    await gate.wait()
                    return await Storefront.current?.countryCode == "NLD" ? .continue : .cancel
                }
            )
        )
        try await StoreKitSession.withValue(session) { try await ExternalPurchaseLink.open() }
        await gate.open()
        guard case .continued = await session.settle().last else {
            Issue.record("\(session.outcomes)")
            return
        }
    }

    @Test("A second call fails while a sheet is up and leaves the first alone (SK-52)")
    func singleFlight() async throws {
        let gate = Gate()
        let (session, browser) = try StoreKitSession.dutch(
            ScriptedPresenter(
                .decide { _ in
                    await gate.wait()
                    return .continue
                }
            )
        )
        let errors = try await StoreKitSession.withValue(session) {
            try await ExternalPurchaseLink.open()
            var errors: [StoreKitError?] = []
            for _ in 0..<20 { errors.append(try await storeKitError { try await ExternalPurchaseLink.open() }) }
            return errors
        }
        #expect(errors.map { $0?.failure?.reason } == Array(repeating: .sheetCannotBePresented, count: 20))
        await gate.open()
        await session.settle()
        #expect(await browser.opened.count == 1)
        #expect(session.diagnosticIds.filter { $0 == "sheet-already-up" }.count == 20)
        // The screen was released.
        try await session.run { try await ExternalPurchaseLink.open() }
        #expect(await browser.opened.count == 2)
    }

    @Test("Of many calls at once exactly one gets the screen (SK-52)")
    func concurrentCalls() async throws {
        let gate = Gate()
        let (session, browser) = try StoreKitSession.dutch(
            ScriptedPresenter(
                .decide { _ in
                    await gate.wait()
                    return .continue
                }
            )
        )
        let failures = await session.run {
            let failures = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<50 {
                    group.addTask { (try? await ExternalPurchaseLink.open()) == nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            await gate.open()
            return failures
        }
        #expect(failures == 49)
        #expect(await browser.opened.count == 1)
    }

    @Test("A sheet that is up keeps the storefront it began with (SK-91)")
    func storefrontChangeDuringSheet() async throws {
        let gate = Gate()
        let presenter = ScriptedPresenter(
            .decide { _ in
                await gate.wait()
                return .continue
            }
        )
        let (session, browser) = try StoreKitSession.dutch(presenter)
        try await StoreKitSession.withValue(session) {
            try await ExternalPurchaseLink.open()
            session.storefront = "DEU"
            #expect(await ExternalPurchaseLink.eligibleURLs?.map(\.absoluteString) == ["https://shop.acme.example/de"])
        }
        await gate.open()
        await session.settle()
        #expect(presenter.requests.map(\.storefront) == ["NLD"])
        #expect(await browser.opened.first?.path() == "/nl")
    }

    @Test("The same time and randomness give the same token (SK-10)")
    func deterministic() async throws {
        func address() async throws -> String? {
            let numbers = Numbers()
            let (session, browser) = try StoreKitSession.dutch {
                $0.clock = { Timestamp(milliseconds: 1_790_000_000_000) }
                $0.uuid = { numbers.next() }
            }
            try await session.run { try await ExternalPurchaseLink.open() }
            try await session.run { try await ExternalPurchaseLink.open() }
            let opened = await browser.opened
            #expect(opened.count == 2)
            #expect(opened.first != opened.last)
            return opened.map(\.absoluteString).joined(separator: " ")
        }
        #expect(try await address() == address())
    }

    @Test("The padding setting adds = to the token, percent-encoded in the URL (TK-25, TK-61)")
    func padding() async throws {
        let (session, browser) = try StoreKitSession.dutch {
            $0.mintedTokenPadding = true
            $0.appAppleId = 12
        }
        try await session.run { try await ExternalPurchaseLink.open() }
        let query = try #require(await browser.opened.first?.query(percentEncoded: true))
        let token = try #require(WebsiteURL.arrival(query: query).token)
        #expect(token.utf8.count % 4 == 0)
        #expect(query.contains("%3D") == token.hasSuffix("="))
        #expect(token.hasSuffix("="))
    }

    @Test("A fragment stays at the end and the rest byte for byte (TK-61, TK-62)")
    func fragment() async throws {
        let (session, browser) = try StoreKitSession.dutch()
        session.configuration = try SampleApp.configuration(single: ["nl": "https://Shop.Acme.example/%7Ea/#plans"])
        try await session.run { try await ExternalPurchaseLink.open() }
        let opened = try #require(await browser.opened.first?.absoluteString)
        #expect(opened.hasPrefix("https://Shop.Acme.example/%7Ea/?externalPurchaseToken="))
        #expect(opened.hasSuffix("&bundleId=com.acme.app#plans"))
    }

    @Test(
        "Before 17.4, and in apps built before it, open() opens the link unchanged (SK-42, SK-43, TK-31)",
        arguments: [0, 1]
    )
    func noTokens(_ variant: Int) async throws {
        let issuer = CountingIssuer()
        let (session, browser) = try StoreKitSession.dutch { $0.tokenIssuer = issuer }
        if variant == 0 {
            session.device.osVersion = OSVersion(17, 3)
        } else {
            session.device.linkedSDK = OSVersion(17, 2)
        }
        try await session.run {
            #expect(await ExternalPurchaseLink.canOpen)
            try await ExternalPurchaseLink.open()
        }
        #expect(await browser.opened.map(\.absoluteString) == [SampleApp.shop])
        #expect(await issuer.issued.isEmpty)
        #expect(session.diagnosticIds.contains("no-token-before-17-4"))
    }

    @Test("Each outcome is an event of the session (SK-56)")
    func outcomesAreEvents() async throws {
        let (session, _) = try StoreKitSession.dutch(ScriptedPresenter(.cancel, .delay(.milliseconds(5), .continue)))
        var events = session.linkOutcomes.makeAsyncIterator()
        try await session.run { try await ExternalPurchaseLink.open() }
        try await session.run { try await ExternalPurchaseLink.open() }
        guard case .cancelled = await events.next(), case .continued(let url) = await events.next() else {
            Issue.record("\(session.outcomes)")
            return
        }
        #expect(url.path() == "/nl")
    }
}

private final class Numbers: Sendable {
    private let counter = AtomicCounter()

    func next() -> UUID {
        let value = counter.next()
        return UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, value))
    }
}

import AppConfiguration
import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulatorTesting
import Testing

extension AppFiles {
    static let bookShop = AppFiles.files(
        infoPlist: "Fixtures/Info.plist",
        entitlements: "Fixtures/App.entitlements"
    )
}

@Suite("A session for every case")
struct ExternalPurchaseTraitTests {
    @Test(
        "Parameters reach the session",
        .externalPurchase(
            storefront: "NLD",
            os: "macOS 15.5",
            mode: .catalyst,
            configuration: .bookShop,
            sheets: [.continue],
            seed: 0
        ) { $0.appAppleId = 42 }
    )
    func parameters() async throws {
        let session = StoreKitSession.current
        #expect(session.storefront == "NLD")
        #expect(session.device == Device(platform: .macOS, osVersion: OSVersion(18, 5), mode: .catalyst))
        #expect(session.appAppleId == 42)
        #expect(session.uuid().uuidString == "E220A839-7B1D-4DAF-AE78-9E6AA1B965F4")
        #expect(session.clock() == StoreKitSession.SessionInputs.seededMoment)
        #expect(try await BookShop().buy())
        await expectOutcome(.continued)
    }

    @Test("A session file reaches the session", .externalPurchase(session: "Fixtures/netherlands.json"))
    func file() async throws {
        #expect(StoreKitSession.current.storefront == "NLD")
        #expect(try await BookShop().buy())
        await expectOutcomes([.cancelled])
        #expect(try await BookShop().buy())
        await expectOutcomes([.cancelled, .continued])
    }

    @Test("XML in the test is enough of a configuration", .externalPurchase(configuration: .xml(infoPlist: "")))
    func xml() {
        #expect(StoreKitSession.current.configuration.infoPlist != nil)
        #expect(StoreKitSession.current.configuration.entitlements == nil)
    }

    static let tokens = TokenLog()

    @Test(
        "The same seed yields the same tokens in every case",
        .externalPurchase(session: "Fixtures/netherlands.json", seed: 99) {
            $0.presenter = ScriptedPresenter(.continue)
        },
        arguments: 0..<20
    )
    func sameTokens(number: Int) async throws {
        try await BookShop().buy()
        guard case .continued(let url) = await expectOutcome(.continued) else { return }
        await Self.tokens.insert(url.absoluteString)
        #expect(await Self.tokens.all.count == 1)
    }

    @Test("Another seed yields other tokens")
    func otherTokens() {
        var worlds = [UInt64(1), 2, 1].map { seed in
            var inputs = StoreKitSession.SessionInputs()
            inputs.seed(seed)
            return inputs
        }
        let ids = worlds.map { inputs in (0..<100).map { _ in inputs.uuid() } }
        #expect(ids[0] == ids[2])
        #expect(Set(ids[0] + ids[1]).count == 200)
        worlds[0].seed(1, at: Timestamp(milliseconds: 5))
        #expect(worlds[0].clock() == Timestamp(milliseconds: 5))
    }

    @Test(
        "A hundred cases side by side do not see each other",
        .externalPurchase(configuration: .bookShop, sheets: [.delay(.milliseconds(5), .continue)]),
        arguments: 0..<100
    )
    func isolation(number: Int) async throws {
        let session = StoreKitSession.current
        let code = Country.all[number].alpha3
        session.storefront = code
        for _ in 0..<20 {
            await Task.yield()
            #expect(await Storefront.current?.countryCode == code)
            #expect(await Task { StoreKitSession.current === session }.value)
        }
        session.storefront = "NLD"
        try await BookShop().buy()
        await expectOutcomes([.continued])
        // A storefront or a read in another case would cause one of these.
        let diagnostics = Set(session.diagnostics.map(\.id))
        #expect(diagnostics.isDisjoint(with: ["eligibility-stale", "eligibility-not-checked", "sheet-already-up"]))
    }

    @Test(
        "Work outside the case's task does not reach its session",
        .externalPurchase(storefront: "NLD", diagnostics: .errors(except: ["session-not-set-up"]))
    )
    func detached() async {
        let session = StoreKitSession.current
        let (isSame, _) = await Task.detached { (StoreKitSession.current === session, await Storefront.current) }.value
        #expect(!isSame)
        #expect(session.diagnostics.isEmpty)
    }

    // This needs its own process, because another test of the package sets up the process-wide session.
    @Test("Work outside the task's session is reported as session-not-set-up")
    func detachedDiagnostic() async {
        await #expect(processExitsWith: .success) {
            let session = StoreKitSession { $0.storefront = "NLD" }
            await StoreKitSession.withValue(session) {
                let (storefront, diagnostics) = await Task.detached {
                    (await Storefront.current?.countryCode, StoreKitSession.current.diagnostics)
                }.value
                #expect(storefront == nil)
                #expect(diagnostics.map(\.id) == ["session-not-set-up"])
                #expect(diagnostics.first?.hint?.contains("detached tasks inherit no session") == true)
                #expect(await Storefront.current?.countryCode == "NLD")
            }
            #expect(session.diagnostics.isEmpty)
        }
    }
}

actor TokenLog {
    private(set) var all: Set<String> = []

    func insert(_ token: String) { all.insert(token) }
}

@Suite(
    "The trait of a suite",
    .externalPurchase(storefront: "NLD", os: "macOS 15.5", configuration: .bookShop, sheets: [.cancel], seed: 1)
)
struct SuiteTraitTests {
    let sessionOfInit = StoreKitSession.current

    @Test("Counts for every test inside, the suite's init included")
    func inherited() async throws {
        #expect(StoreKitSession.current.storefront == "NLD")
        #expect(sessionOfInit === StoreKitSession.current)
        #expect(StoreKitSession.current.device.platform == .macOS)
    }

    @Test(
        "A test's own trait preserves the settings that it does not name",
        .externalPurchase(storefront: "DEU", mode: .catalyst),
        arguments: 0..<3
    )
    func merged(number: Int) async throws {
        let session = StoreKitSession.current
        #expect(session.storefront == "DEU")
        #expect(session.device == Device(platform: .macOS, osVersion: OSVersion(18, 5), mode: .catalyst))
        #expect(session.configuration.infoPlist != nil)
        #expect(session.uuid() == expectedUUID())
        session.storefront = "NLD"
        #expect(try await BookShop().buy())
        await expectOutcomes([.cancelled])
    }

    private func expectedUUID() -> UUID {
        var inputs = StoreKitSession.SessionInputs()
        inputs.seed(1)
        return inputs.uuid()
    }

    @Suite("in a suite inside", .externalPurchase(os: "iOS 26.4"))
    struct Inner {
        @Test("Counts there, too")
        func nested() {
            #expect(StoreKitSession.current.storefront == "NLD")
            #expect(StoreKitSession.current.device.osVersion == OSVersion(26, 4))
        }
    }
}

import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Hummingbird
import HummingbirdTesting
import Ledger
import LedgerSQLite
import LedgerTesting
import Logging
import Testing

@testable import Reporting
@testable import ReportingServer

@Suite("GET /health/ready")
struct ReadinessTests {
    /// Apple's side, which refuses the key.
    private struct Refusal: ReportEndpointClient {
        func send(_ body: [UInt8], environment: AppStoreEnvironment) async -> AppStoreResponse<SendOutcome> {
            AppStoreResponse(outcome: .unauthorized, status: 401, body: [])
        }

        func retrieve(
            _ requestIdentifier: RequestIdentifier,
            environment: AppStoreEnvironment
        ) async -> AppStoreResponse<RetrieveOutcome> {
            AppStoreResponse(outcome: .unauthorized, status: 401, body: [])
        }
    }

    private static func merchant(
        store: any LedgerStore,
        settings: ReportingSettings = ReportingSettings(),
        isShared: Bool = false
    ) -> ReportingSystem {
        ReportingSystem(
            store: store,
            apps: [
                RegisteredApp(
                    bundleId: ServerFixture.bundleId,
                    appAppleId: ServerFixture.appAppleId,
                    environments: [.sandbox],
                    client: Refusal()
                )
            ],
            settings: settings,
            isShared: isShared,
            logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    /// Status, and what is wrong.
    private static func ready(_ merchant: ReportingSystem) async throws -> [String] {
        let application = Application(
            responder: DescribedResponder(ReportingServer(system: merchant, links: [:]).router())
        )
        return try await application.test(.router) { client in
            try await client.execute(uri: "/health/ready", method: .get) { response in
                let problems = response.json["problems"] as? [[String: Any]] ?? []
                return ["\(response.status.code)"] + problems.map { "\($0["check"] ?? "") \($0["bundleId"] ?? "-")" }
            }
        }
    }

    private static func ledger() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ready-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appending(path: "ledger.sqlite").path
    }

    @Test("A store that reads and does not write is not ready; a live process stays live")
    func failingWrites() async throws {
        let reading = FaultyLedgerStore(
            try SQLiteLedgerStore(path: Self.ledger()),
            LedgerFaultScript(everyWrite: .full)
        )
        #expect(try await Self.ready(Self.merchant(store: reading)) == ["503", "store -"])
        let path = try Self.ledger()
        let merchant = Self.merchant(store: try SQLiteLedgerStore(path: path))
        #expect(try await Self.ready(merchant) == ["200"])
        try FileManager.default.removeItem(atPath: path)
        try await Task.sleep(for: .milliseconds(1_100))
        #expect(try await Self.ready(merchant) == ["503", "store -"])
    }

    @Test("Less free space than ready.freeSpace is not ready")
    func freeSpace() async throws {
        var settings = ReportingSettings()
        settings.readyFreeSpace = .max
        let merchant = Self.merchant(store: try SQLiteLedgerStore(path: Self.ledger()), settings: settings)
        #expect(try await Self.ready(merchant) == ["503", "space -"])
    }

    @Test("A refused key is named, and requests are taken all the same (SA-73)")
    func refusedKey() async throws {
        let merchant = Self.merchant(store: try SQLiteLedgerStore(path: Self.ledger()))
        let token = try await merchant.tokens.receive(
            TokenArrival(text: ServerFixture.token(), source: .app)
        ).token.token.externalPurchaseId
        let now = ISO8601DateFormatter().string(from: Date())
        let sale = """
            {"saleId":"s","bundleId":"\(ServerFixture.bundleId)","type":"purchase","occurredAt":"\(now)","quantity":1,
            "externalPurchaseId":"\(token)","productId":"p",
            "amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21","taxCountry":"NLD"}}
            """
        _ = try await merchant.sales.receive(
            SaleCommand(body: try JSONReader().read(sale), apps: merchant.apps, caller: .anybody)
        )
        await merchant.sender.runUntilIdle()
        #expect(try await Self.ready(merchant) == ["200", "key \(ServerFixture.bundleId)"])
        try await Self.checkWhoIsTold(of: merchant)
    }

    /// What an answer says of a key that Apple refused, by who asks.
    private static func checkWhoIsTold(of merchant: ReportingSystem) async throws {
        var generator = SplitMix64(seed: 1)
        var keys: [(text: String?, isTold: Bool)] = [(nil, false), ("epk_read_0", false)]
        for (scope, app, isTold) in [
            (KeyScope.read, nil, true), (.admin, nil, true), (.read, ServerFixture.bundleId, true),
            (.read, "com.example.elsewhere", false), (.publishable, nil, false), (.sales, nil, false),
        ] as [(KeyScope, BundleId?, Bool)] {
            let command = try KeyCommand(scope: scope, app: app?.rawValue, name: nil, expires: nil, now: .init(Date()))
            let new = command.newKey(by: "kim", at: Timestamp(Date()), using: &generator)
            keys.append((try await merchant.access.insert(new).key.text, isTold))
        }
        let server = ReportingServer(system: merchant, links: [:])
        try await Application(responder: DescribedResponder(server.router())).test(.router) { [keys] client in
            for (key, isTold) in keys {
                let answer = try await client.send(.get, "/health/ready", key: key)
                #expect(answer.status == .ok && answer.json["status"] as? String == "degraded")
                let problems = answer.json["problems"] as? [[String: Any]] ?? []
                #expect(problems.map { $0["check"] as? String } == ["key"])
                #expect((problems.first?["bundleId"] != nil) == isTold, "\(key ?? "-"): \(problems)")
                #expect(String(buffer: answer.body).contains("\(ServerFixture.bundleId)") == isTold)
            }
        }
        for (apps, isTold) in [([ServerFixture.bundleId], true), (["com.example.elsewhere"], false), (nil, true)]
            as [(Set<BundleId>?, Bool)]
        {
            let user = DashboardAccess.User(name: "lee", credential: "c", role: .viewer, apps: apps)
            let people = DashboardAccess(isSignInNeeded: { true }, user: { _, _ in user }, present: { _ in user })
            let server = ReportingServer(system: merchant, links: [:], dashboard: people)
            try await Application(router: server.router()).test(.router) { client in
                let browser = DashboardBrowser(client)
                try await browser.signIn("lee")
                let page = try await browser.page("/")
                #expect(page.contains("Apple refused the key") == isTold, "\(String(describing: apps))")
                #expect(page.contains("\(ServerFixture.bundleId)") == isTold)
            }
        }
    }

    @Test("SA-76: where servers share a ledger, the answer and the metrics name the work of this one")
    func leases() async throws {
        let store = try SQLiteLedgerStore(path: Self.ledger())
        var settings = ReportingSettings()
        settings.leases.server = "first"
        let first = Self.merchant(store: store, settings: settings, isShared: true)
        settings.leases.server = "second"
        let second = Self.merchant(store: store, settings: settings, isShared: true)
        await first.sender.tick()
        await second.sender.tick()
        let scope = "reports/sandbox/\(ServerFixture.bundleId)"
        for (merchant, name, held) in [(first, "first", ["maintenance", scope]), (second, "second", [])] {
            let application = Application(
                responder: DescribedResponder(ReportingServer(system: merchant, links: [:]).router())
            )
            try await application.test(.router) { client in
                try await client.execute(uri: "/health/ready", method: .get) { response in
                    #expect(response.json["status"] as? String == "ok")
                    let leases = try #require(response.json["leases"] as? [String: Any])
                    #expect(leases["server"] as? String == name)
                    #expect(leases["held"] as? [String] == held)
                    #expect((leases["servers"] as? [String])?.last == name)
                }
            }
            let metrics = try await merchant.metrics()
            let isHeld = held.isEmpty ? 0 : 1
            #expect(metrics.contains("external_purchase_lease_held{lease=\"maintenance\"} \(isHeld)"))
            #expect(metrics.contains("external_purchase_lease_held{lease=\"\(scope)\"} \(isHeld)"))
        }
        #expect(try await second.metrics().contains("external_purchase_servers 2"))
        #expect(try await !Self.merchant(store: store).metrics().contains("external_purchase_lease_held"))
    }
}

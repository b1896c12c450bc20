import AppStoreEmulator
import ExternalPurchaseCore
import NIOHTTP1
import Testing

@Suite("Rate limits")
struct RateLimitTests {
    private static let settings = ["auth.clock=virtual", "rateLimit.perSecond=1"]
    private static let reports = "/externalPurchase/v1/reports"

    /// Sends that many requests from eight clients, each with the same authorisation.
    private func spend(
        _ count: Int,
        _ emulator: EmulatorUnderTest,
        _ method: HTTPMethod,
        _ path: String,
        _ body: String? = nil
    ) async throws -> Set<Int> {
        let headers = ["Authorization": try await emulator.bearer()]
        return try await withThrowingTaskGroup(of: Set<Int>.self) { group in
            for client in 0..<8 {
                group.addTask {
                    var statuses: Set<Int> = []
                    for _ in stride(from: client, to: count, by: 8) {
                        statuses.insert(try await emulator.call(method, path, body, headers: headers).status)
                    }
                    return statuses
                }
            }
            return try await group.reduce(into: []) { $0.formUnion($1) }
        }
    }

    @Test("In the sandbox a tenth: request 361 of an hour is refused until the hour is over (SA-80, SA-81)")
    func sandbox() async throws {
        try await EmulatorUnderTest.run(environment: .sandbox, settings: Self.settings) { emulator in
            #expect(try await spend(360, emulator, .PUT, Self.reports, "{") == [400])
            // The limit applies before the body is validated (RR-1): this one is malformed, the next one is not.
            for body in ["{", Body.noLineItem(1)] {
                let refused = try await emulator.put(body)
                #expect(refused.status == 429)
                #expect(refused.body == #"{"errorCode":4290000,"errorMessage":"Rate limit exceeded."}"#)
                // 2026-11-20T13:00:00Z, in UNIX milliseconds.
                #expect(refused.headers["Retry-After"] == ["1795179600000"])
            }
            #expect(try await emulator.journal().last?["reason"] == .string("rate-limited"))
            // 401 before 429 (SA-15).
            #expect(try await emulator.call(.PUT, Self.reports, "{").status == 401)
            // Each endpoint has its own budget.
            #expect(try await emulator.get(Body.request(1)).status == 400)
            _ = try await emulator.control(.POST, "/clock/advance", #"{"seconds":3599}"#)
            let late = EmulatorUnderTest.now + .seconds(3_599)
            #expect(try await emulator.put("{", now: late).status == 429)
            _ = try await emulator.control(.POST, "/clock/advance", #"{"seconds":1}"#)
            #expect(try await emulator.put("{", now: late).status == 400)
        }
    }

    @Test("The token tells the budget: that of production is ten times the sandbox's (SA-80, SA-91)")
    func environments() async throws {
        try await EmulatorUnderTest.run(settings: Self.settings) { emulator async throws in
            let sandbox = Body.noLineItem(1, token: "SANDBOX_none")
            #expect(try await spend(360, emulator, .PUT, Self.reports, sandbox) == [400])
            #expect(try await emulator.put(sandbox).status == 429)
            #expect(try await spend(3_600, emulator, .PUT, Self.reports, Body.noLineItem(1)) == [400])
            #expect(try await emulator.put(Body.noLineItem(1)).status == 429)
        }
    }

    @Test("The notification endpoints have budgets of their own, by app (NT-83)")
    func notifications() async throws {
        let apps = [
            AppRegistration(bundleId: EmulatorUnderTest.shop, appAppleId: 1),
            AppRegistration(bundleId: "com.example.other", appAppleId: 2),
        ]
        try await EmulatorUnderTest.run(settings: Self.settings, apps: apps) { emulator in
            let path = "/inApps/v1/notifications/history"
            #expect(try await spend(360, emulator, .POST, path, "{}") == [400])
            let headers = ["Authorization": try await emulator.bearer()]
            let refused = try await emulator.call(.POST, path, "{}", headers: headers)
            #expect(refused.status == 429)
            #expect(refused.headers["Retry-After"] == ["1795179600000"])
            let production = try await emulator.call(.POST, path + "?environment=production", "{}", headers: headers)
            #expect(production.status == 400)
            let other = ["Authorization": try await emulator.bearer(bundleId: "com.example.other")]
            #expect(try await emulator.call(.POST, path, "{}", headers: other).status == 400)
            let status = path.replacing("history", with: "test/x")
            #expect(try await emulator.call(.GET, status, headers: headers).status == 400)
        }
    }

    @Test("Without the setting there is no limit, and a reset restarts the hour")
    func off() async throws {
        try await EmulatorUnderTest.run(environment: .sandbox, settings: Self.settings) { emulator in
            #expect(try await spend(361, emulator, .PUT, Self.reports, "{") == [400, 429])
            #expect(try await emulator.control(.POST, "/reset").status == 200)
            #expect(try await emulator.put("{").status == 400)
            _ = try await emulator.control(.PUT, "/settings", #"{"rateLimit.perSecond":"off"}"#)
            #expect(try await spend(400, emulator, .PUT, Self.reports, "{") == [400])
        }
    }
}

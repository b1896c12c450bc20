import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import LedgerSQLite
import LedgerTesting
import Testing

@testable import ReportingServer

@Suite("Who may call which path")
struct AuthorizationTests {
    /// A request, and the scopes that allow it besides `admin`, by the text of the interface.
    struct Row: Sendable, CustomTestStringConvertible {
        let method: HTTPRequest.Method
        let path: String
        let scopes: Set<KeyScope>
        var testDescription: String { "\(method.rawValue) \(path)" }

        init(_ method: HTTPRequest.Method, _ path: String, _ scopes: KeyScope...) {
            (self.method, self.path, self.scopes) = (method, path, Set(scopes))
        }
    }

    static let rows = [
        // "publishable only POST /v1/tokens … intake tokens and batch of tokens; sales intake and sales"
        Row(.post, "/v1/tokens", .publishable, .intake, .sales),
        Row(.post, "/v1/sales", .sales), Row(.post, "/v1/batch", .intake, .sales),
        Row(.post, "/v1/sales/order-1/void", .sales),
        // "corrections excluded", "admin everything"
        Row(.post, "/v1/corrections"),
        Row(.post, "/v1/tokens/T/customer"),
        Row(.post, "/v1/review/1"),
        Row(.post, "/v1/erasures"),
        Row(.post, "/v1/events/evt_1/apply"),
        Row(.post, "/v1/events/evt_1/dismiss"),
        Row(.post, "/v1/invoices"),
        Row(.post, "/v1/exports/2026-10/submitted"),
        Row(.post, "/v1/exports/2026-10/withdrawn"),
        // "publishable and read the policy"
        Row(.get, "/v1/policy?bundleId=com.example.shop&storefront=JPN", .publishable, .read),
        // "read every GET", "/metrics needs read"
        Row(.get, "/v1/tokens", .read), Row(.get, "/v1/tokens/T", .read),
        Row(.get, "/v1/sales", .read), Row(.get, "/v1/sales/order-1", .read),
        Row(.get, "/v1/reports", .read), Row(.get, "/v1/due", .read),
        Row(.get, "/v1/corrections", .read), Row(.get, "/v1/notifications", .read),
        Row(.get, "/v1/exports", .read), Row(.get, "/v1/exports/2026-10.csv", .read),
        Row(.get, "/v1/events", .read), Row(.get, "/v1/events/evt_1", .read),
        Row(.get, "/v1/invoices?month=2026-10", .read), Row(.get, "/v1/review", .read),
        Row(.get, "/v1/audit", .read), Row(.get, "/v1/changes", .read), Row(.get, "/v1/deliveries", .read),
        Row(.post, "/v1/deliveries/1/redeliver"), Row(.get, "/metrics", .read),
        Row(.head, "/v1/tokens", .read), Row(.head, "/metrics", .read),
    ]

    @Test("Scopes: 403 names the missing one, everything else goes through", arguments: rows)
    func scopes(_ row: Row) async throws {
        let server = try AccessFixture()
        var keys: [KeyScope: String] = [:]
        for scope in KeyScope.allCases { keys[scope] = try await server.key(scope) }
        try await server.application().test(.router) { [keys] client throws in
            let without = try await client.send(row.method, row.path)
            #expect(without.status == .unauthorized)
            #expect(without.headers[.wwwAuthenticate] == "Bearer")
            for scope in KeyScope.allCases {
                let answer = try await client.send(row.method, row.path, key: keys[scope])
                if scope == .admin || row.scopes.contains(scope) {
                    #expect(![401, 403, 405, 429, 500].contains(answer.status.code), "\(scope): \(answer.json)")
                } else {
                    #expect(answer.status == .forbidden, "\(scope): \(answer.json)")
                    guard row.method != .head else { continue }
                    let detail = try #require(answer.json["detail"] as? String)
                    for needed in row.scopes.union([.admin]) { #expect(detail.contains(needed.rawValue), "\(detail)") }
                }
            }
        }
    }

    @Test("The rows above are every path that needs a key")
    func complete() {
        let needing = Endpoint.all.filter { if case .key = $0.access { true } else { false } }
        let rows = Self.rows.filter { $0.method != .head }
        #expect(rows.count == needing.count)
        for endpoint in needing {
            let pattern = endpoint.path.split(separator: "/")
            #expect(
                rows.contains { row in
                    let path = row.path.prefix { $0 != "?" }.split(separator: "/")
                    return row.method == endpoint.method && path.count == pattern.count
                        && zip(pattern, path).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
                },
                "\(endpoint.method) \(endpoint.path)"
            )
        }
    }

    @Test("Open paths need no key; unknown paths below /v1 need one, so that nobody else learns of them")
    func openPaths() async throws {
        let server = try AccessFixture()
        let key = try await server.key(.publishable)
        try await server.application().test(.router) { client throws in
            #expect(try await client.send(.get, "/health/live").status == .ok)
            #expect(try await client.send(.get, "/health/ready").status == .ok)
            #expect(try await client.send(.get, "/out/unknown").status == .notFound)
            // Notifications are verified by their signature: without roots, the delivery itself is refused.
            #expect(try await client.send(.post, "/v1/notifications").status != .unauthorized)
            #expect(try await client.send(.get, "/nothing").status == .notFound)
            #expect(try await client.send(.get, "/v1/nothing").status == .unauthorized)
            #expect(try await client.send(.get, "/v1").status == .unauthorized)
            #expect(try await client.send(.get, "/v1/nothing", key: key).status == .notFound)
            #expect(try await client.send(.delete, "/v1/tokens").status == .unauthorized)
            let other = try await client.send(.delete, "/v1/tokens", key: key)
            #expect(other.status == .methodNotAllowed)
            #expect(other.headers[.allow] == "GET, HEAD, POST")
        }
    }

    @Test("While no keys exist, loopback names need none, and other names are refused")
    func withoutKeys() async throws {
        let server = try AccessFixture()
        try await server.application().test(.live) { client throws in
            #expect(try await client.send(.get, "/v1/tokens").status == .ok)
            #expect(try await client.send(.get, "/metrics").status == .ok)
            let body: [String: Any] = ["by": "maria", "reason": "x"]
            #expect(try await client.send(.post, "/v1/sales/none/void", body: body).status == .notFound)
            let unsigned = try await client.send(.post, "/v1/sales/none/void", body: ["reason": "x"])
            #expect(unsigned.status == .unprocessableContent)
        }
    }

    @Test(
        "Wrong keys are 401",
        arguments: [
            "Bearer", "Bearer ", "Bearer epk_admin_0", "epk", "Basic a2V5OnNlY3JldA==", "Bearer epk_admin_", "",
            "Bearer \u{FF}",
        ]
    )
    func wrong(_ header: String) async throws {
        let server = try AccessFixture()
        try await server.key(.admin)
        try await server.application().test(.router) { client throws in
            let answer = try await client.send(.get, "/v1/tokens", headers: [.authorization: header])
            #expect(answer.status == .unauthorized)
            #expect(answer.json["detail"] as? String != nil)
        }
    }

    @Test("A key with one digit changed is 401, and so is its upper case; the scheme's case does not count")
    func almost() async throws {
        let server = try AccessFixture()
        let key = try await server.key(.read)
        try await server.application().test(.router) { client throws in
            let other = String(key.dropLast()) + (key.last == "0" ? "1" : "0")
            #expect(try await client.send(.get, "/v1/tokens", key: other).status == .unauthorized)
            #expect(try await client.send(.get, "/v1/tokens", key: key.uppercased()).status == .unauthorized)
            #expect(try await client.send(.get, "/v1/tokens", key: key + "0").status == .unauthorized)
            let lower = try await client.send(.get, "/v1/tokens", headers: [.authorization: "bearer \(key)"])
            #expect(lower.status == .ok)
        }
    }

    @Test("A key counts from its creation to its expiry or revocation, as a running server sees within 2 seconds")
    func lifetime() async throws {
        let server = try AccessFixture()
        let admin = try await server.key(.admin)
        try await server.application().test(.router) { client throws in
            #expect(try await client.send(.get, "/v1/tokens", key: admin).status == .ok)
            let end = server.clock.now + .minutes(1)
            let key = try await server.key(.read, id: "key_1", expires: end)
            server.clock.advance(by: .seconds(2))
            #expect(try await client.send(.get, "/v1/tokens", key: key).status == .ok)
            server.clock.advance(by: .seconds(58))
            let expired = try await client.send(.get, "/v1/tokens", key: key)
            #expect(expired.status == .unauthorized)
            #expect((expired.json["detail"] as? String)?.contains("expired") == true)
            let second = try await server.key(.read, id: "key_2")
            server.clock.advance(by: .seconds(2))
            #expect(try await client.send(.get, "/v1/tokens", key: second).status == .ok)
            try await server.revoke("key_2")
            server.clock.advance(by: .seconds(2))
            let revoked = try await client.send(.get, "/v1/tokens", key: second)
            #expect(revoked.status == .unauthorized)
            #expect((revoked.json["detail"] as? String)?.contains("revoked") == true)
        }
    }

    @Test("After the last key is revoked, nobody has access: there is no way back to a server without keys")
    func lastKey() async throws {
        let server = try AccessFixture()
        try await server.key(.admin, id: "key_1")
        try await server.revoke("key_1")
        try await server.application().test(.router) { client throws in
            #expect(try await client.send(.get, "/v1/tokens").status == .unauthorized)
        }
    }

    @Test("While the ledger cannot be read, known keys stay in force; a server that never read any accepts nothing")
    func failingStore() async throws {
        let broken = try AccessFixture(store: FaultyLedgerStore.full)
        try await broken.application().test(.router) { client throws in
            #expect(try await client.send(.get, "/v1/tokens").status == .serviceUnavailable)
            #expect(try await client.send(.get, "/health/live").status == .ok)
        }
        let plan = SwitchedPlan()
        let server = try AccessFixture(store: FaultyLedgerStore(MemoryLedgerStore.empty(), plan))
        let key = try await server.key(.intake)
        try await server.application().test(.router) { client throws in
            #expect(try await client.send(.get, "/v1/tokens", key: key).status == .forbidden)
            plan.fail()
            server.clock.advance(by: .seconds(60))
            #expect(try await client.send(.get, "/v1/tokens", key: key).status == .forbidden)
            #expect(try await client.send(.get, "/v1/tokens", key: "epk_admin_x").status == .unauthorized)
        }
    }

    @Test("/metrics needs read, unless metrics.open is on; a key of one app does not get them")
    func metrics() async throws {
        let server = try AccessFixture()
        let key = try await server.key(.read, app: AccessFixture.shop)
        try await server.application().test(.router) { client throws in
            #expect(try await client.send(.get, "/metrics").status == .unauthorized)
            #expect(try await client.send(.get, "/metrics", key: key).status == .forbidden)
        }
        var settings = AccessSettings()
        settings.isMetricsOpen = true
        try await server.application(settings).test(.router) { client throws in
            #expect(try await client.send(.get, "/metrics").status == .ok)
        }
    }
}

/// Reads fail from a moment on.
private final class SwitchedPlan: LedgerFaultPlan {
    private let isFailing = Flag()

    func fail() { isFailing.set() }
    func nextRead() -> LedgerReadFault? { isFailing.isSet ? .error(.busy) : nil }
    func nextWrite() -> LedgerFault? { nil }
    func nextAnswer() -> LedgerError? { nil }
}

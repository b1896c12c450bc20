import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import LedgerTesting
import Testing

@testable import ReportingServer

@Suite("A key that was created for one app")
struct AppKeyTests {
    private static let (shop, other) = (AccessFixture.shop, AccessFixture.other)

    /// Fills both apps with a token and a sale each.
    private static func fill(_ server: AccessFixture) async throws {
        try await server.application().test(.router) { client throws in
            for (number, app) in [shop, other].enumerated() {
                let token = AccessFixture.token("t-\(number)", of: app)
                #expect(try await client.send(.post, "/v1/tokens", body: ["token": token]).status == .created)
                let sale = AccessFixture.sale("s-\(number)", of: app)
                #expect(try await client.send(.post, "/v1/sales", body: sale).status == .created)
            }
        }
    }

    private static func apps(in answer: TestResponse, _ member: String) -> Set<String> {
        let rows = answer.json[member] as? [[String: Any]] ?? []
        return Set(
            rows.compactMap { row in
                (row["bundleId"] ?? (row["sale"] as? [String: Any])?["bundleId"] ?? row["app"]) as? String
            }
        )
    }

    @Test("Lists have only its app, and the other one is unknown to it")
    func lists() async throws {
        let server = try AccessFixture()
        try await Self.fill(server)
        let all = try await server.key(.read)
        let own = try await server.key(.read, app: Self.other)
        try await server.application().test(.router) { client throws in
            for list in ["tokens", "sales"] {
                let complete = try await client.send(.get, "/v1/\(list)", key: all)
                #expect(Self.apps(in: complete, list) == [Self.shop.rawValue, Self.other.rawValue])
                let part = try await client.send(.get, "/v1/\(list)", key: own)
                #expect(Self.apps(in: part, list) == [Self.other.rawValue])
                #expect((part.json[list] as? [Any])?.count == 1)
            }
            for list in [
                "tokens", "sales", "reports", "due", "review", "corrections", "notifications", "exports", "audit",
            ] {
                let foreign = try await client.send(.get, "/v1/\(list)?bundleId=\(Self.shop)", key: own)
                let unknown = try await client.send(.get, "/v1/\(list)?bundleId=com.example.none", key: own)
                #expect(foreign.status == .unprocessableContent, "\(list)")
                #expect(unknown.status == .unprocessableContent, "\(list)")
                #expect(!String(buffer: foreign.body).contains(Self.shop.rawValue), "\(list)")
                let answer = try await client.send(.get, "/v1/\(list)", key: own)
                #expect(answer.status == .ok, "\(list)")
                #expect(!String(buffer: answer.body).contains(Self.shop.rawValue), "\(list)")
            }
        }
    }

    @Test("What is another app's is not found, as if it did not exist")
    func singles() async throws {
        let server = try AccessFixture()
        try await Self.fill(server)
        let own = try await server.key(.read, app: Self.other)
        try await server.application().test(.router) { client throws in
            for (foreign, mine, none) in [
                ("/v1/tokens/SANDBOX_t-0", "/v1/tokens/SANDBOX_t-1", "/v1/tokens/SANDBOX_none"),
                ("/v1/sales/s-0", "/v1/sales/s-1", "/v1/sales/none"),
            ] {
                #expect(try await client.send(.get, mine, key: own).status == .ok)
                let hidden = try await client.send(.get, foreign, key: own)
                let unknown = try await client.send(.get, none, key: own)
                #expect(hidden.status == .notFound)
                #expect(unknown.status == .notFound)
                #expect(hidden.json["type"] as? String == unknown.json["type"] as? String)
            }
            let export = "/v1/exports/2026-11.csv?bundleId=\(Self.shop)"
            #expect(try await client.send(.get, export, key: own).status == .unprocessableContent)
        }
    }

    @Test("Writes that name another app are 403, and nothing of them is stored")
    func writes() async throws {
        let server = try AccessFixture()
        try await Self.fill(server)
        let admin = try await server.key(.admin, app: Self.other)
        let before = try await server.store.contents()
        try await server.application().test(.router) { client throws in
            let shop = Self.shop.rawValue
            let bodies: [(String, [String: Any])] = [
                ("/v1/tokens", ["token": AccessFixture.token("t-9", of: Self.shop)]),
                ("/v1/sales", AccessFixture.sale("s-9")),
                ("/v1/sales/s-0/void", ["bundleId": shop, "reason": "x"]),
                ("/v1/tokens/SANDBOX_t-0/customer", ["bundleId": shop, "customerId": "c"]),
                ("/v1/corrections", ["bundleId": shop, "saleId": "s-0", "action": "retract", "reason": "x"]),
                ("/v1/erasures", ["bundleId": shop, "customerId": "c"]),
                ("/v1/invoices", ["bundleId": shop]),
                ("/v1/exports/2026-11/submitted", ["bundleId": shop]),
                ("/v1/exports/2026-11/withdrawn", ["bundleId": shop]),
            ]
            for (path, body) in bodies {
                let answer = try await client.send(.post, path, key: admin, body: body)
                #expect(answer.status == .forbidden, "\(path): \(answer.json)")
            }
            // Without naming the app, the other app's records do not exist.
            let unnamed: [(String, [String: Any])] = [
                ("/v1/sales/s-0/void", ["reason": "x"]),
                ("/v1/tokens/SANDBOX_t-0/customer", ["customerId": "c"]),
            ]
            for (path, body) in unnamed {
                #expect(try await client.send(.post, path, key: admin, body: body).status == .notFound, "\(path)")
            }
            let foreign = AccessFixture.token("t-9", of: "com.example.none")
            #expect(
                try await client.send(.post, "/v1/tokens", key: admin, body: ["token": foreign]).status == .forbidden
            )
        }
        let after = try await server.store.contents()
        #expect(after == before)
        try await server.application().test(.router) { client throws in
            let sale = AccessFixture.sale("s-10", of: Self.other)
            #expect(try await client.send(.post, "/v1/sales", key: admin, body: sale).status == .created)
            let void = try await client.send(.post, "/v1/sales/s-10/void", key: admin, body: ["reason": "x"])
            #expect(void.status == .ok, "\(void.json)")
        }
    }

    /// A request that names a record of the shop, and the same request with an id that nobody has.
    private struct Naming: Sendable {
        let method: HTTPRequest.Method
        let path: String
        let body: [String: any Sendable]
        /// The id in path or body, and the one that nobody has.
        let id: (known: String, unknown: String)

        func path(unknown isUnknown: Bool) -> String {
            isUnknown ? path.replacing(id.known, with: id.unknown) : path
        }

        func body(unknown isUnknown: Bool) -> [String: any Sendable] {
            body.mapValues { value in
                guard isUnknown, value as? String == id.known else { return value }
                return id.unknown
            }
        }

        /// The answer without the id, so that answers for two ids can be compared: a problem by its kind.
        func answer(_ response: TestResponse, unknown isUnknown: Bool) -> String {
            if let kind = response.json["type"] as? String { return "\(response.status.code) \(kind)" }
            let text = String(buffer: response.body).replacing(isUnknown ? id.unknown : id.known, with: "ID")
            return "\(response.status.code) \(text)"
        }
    }

    /// The ids of ``FullLedger`` by the parameter of a path, beside ids that nobody has.
    private static let ids: [String: (known: String, unknown: String)] = [
        "externalPurchaseId": (
            "SANDBOX_00000000-0000-4000-8000-00000000000a", "SANDBOX_00000000-0000-4000-8000-0000000000ff"
        ),
        "saleId": ("s", "s-none"), "eventId": ("evt_1", "evt_none"), "sequence": ("2", "77"),
        "id": ("1", "77"),
        "file": ("2026-10", "2026-09"),
    ]

    /// The bodies of paths with an id, by their last component.
    private static let bodies: [String: [String: any Sendable]] = [
        "customer": ["customerId": "c"], "void": ["reason": "x"], "apply": [:],
        "submitted": ["programme": "jp", "on": "2026-11-20", "reference": "x"],
        "dismiss": ["reason": "x"], "redeliver": [:],
        "withdrawn": ["exportId": "e-2", "reason": "x"], "{sequence}": ["action": "resolve", "note": "x"],
    ]

    private static func needsStripe(_ path: String) -> Bool { path.hasSuffix("/apply") || path.hasSuffix("/dismiss") }

    private static func namings() throws -> [Naming] {
        var namings: [Naming] = []
        for endpoint in Endpoint.all {
            guard case .key = endpoint.access, let start = endpoint.path.firstIndex(of: "{") else { continue }
            let name = String(endpoint.path[start...].dropFirst().prefix { $0 != "}" })
            let id = try #require(ids[name], "\(endpoint.path): the test has no id for {\(name)}")
            var path = endpoint.path.replacing("{\(name)}", with: id.known)
            let last = endpoint.path.split(separator: "/").last.map(String.init) ?? ""
            guard endpoint.method == .post else {
                if name == "file" { path += ".csv" }
                namings.append(Naming(method: endpoint.method, path: path, body: [:], id: id))
                continue
            }
            let body = try #require(bodies[last], "\(endpoint.path): the test has no body for it")
            namings.append(Naming(method: .post, path: path, body: body, id: id))
        }
        // Ids that stand in the body alone.
        let confirmation: [String: any Sendable] = ["correctionId": "c-1", "confirm": true]
        namings.append(
            Naming(method: .post, path: "/v1/corrections", body: confirmation, id: ("c-1", "c-none"))
        )
        namings.append(
            Naming(
                method: .post,
                path: "/v1/exports/2026-10/withdrawn",
                body: ["exportId": "e-2", "reason": "x"],
                id: ("e-2", "e-none")
            )
        )
        return namings
    }

    @Test("Under every path with an id, what another app has is what nobody has: not read, and not changed")
    func sweep() async throws {
        let server = try AccessFixture()
        try await FullLedger.fill(server.store)
        let review = try await server.store.write { ledger throws(LedgerError) in
            try ledger.open(
                ReviewItem(
                    bundleId: Self.shop,
                    kind: .contradiction,
                    subject: .app,
                    detail: "x",
                    openedAt: AccessFixture.start
                )
            )
        }
        #expect(String(review.sequence) == Self.ids["sequence"]?.known)
        let foreign = try await server.key(.admin, app: Self.other)
        let own = try await server.key(.admin, app: Self.shop)
        let before = try await server.store.contents()
        let namings = try Self.namings()
        #expect(namings.count == 14)
        try await server.application().test(.router) { client throws in
            for naming in namings {
                func answer(_ key: String, unknown: Bool) async throws -> String {
                    let path = naming.path(unknown: unknown)
                    let body = naming.body(unknown: unknown)
                    let response = try await client.send(naming.method, path, key: key, body: body)
                    return naming.answer(response, unknown: unknown)
                }
                let hidden = try await answer(foreign, unknown: false)
                #expect(try await answer(foreign, unknown: true) == hidden, "\(naming.path)")
                for trace in ["customer\"", "gems", "item of", "kim", "two prices"] {
                    #expect(!hidden.contains(trace), "\(naming.path): \(hidden)")
                }
                // A month of an app without programmes is the same whoever asks.
                if naming.path.contains("/exports/") { continue }
                // The server has no account of Stripe.
                if Self.needsStripe(naming.path) { continue }
                #expect(hidden.hasPrefix("404 ") || hidden.hasPrefix("422 "), "\(naming.path): \(hidden)")
            }
        }
        let after = try await server.store.contents()
        #expect(after == before)
        try await server.application().test(.router) { client throws in
            // The ids are right: the shop's own key finds each.
            for naming in namings where !naming.path.contains("/exports/") && !Self.needsStripe(naming.path) {
                let response = try await client.send(naming.method, naming.path, key: own, body: naming.body)
                #expect(response.status != .notFound, "\(naming.path)")
            }
        }
    }

    @Test("Review items of another app do not exist")
    func review() async throws {
        let server = try AccessFixture()
        let item = try await server.store.write { ledger throws(LedgerError) in
            try ledger.open(
                ReviewItem(
                    bundleId: Self.shop,
                    kind: .contradiction,
                    subject: .app,
                    detail: "x",
                    openedAt: AccessFixture.start
                )
            )
        }
        let own = try await server.key(.admin, app: Self.other)
        let all = try await server.key(.admin)
        try await server.application().test(.router) { client throws in
            let path = "/v1/review/\(item.sequence)"
            let body = ["action": "resolve", "note": "x"]
            #expect(try await client.send(.post, path, key: own, body: body).status == .notFound)
            #expect(try await client.send(.post, path, key: all, body: body).status == .ok)
        }
    }
}

@Suite("Whose name stands in the audit log")
struct AuthorTests {
    @Test("With keys it is the key's name, or its id; the body's is ignored")
    func author() async throws {
        let server = try AccessFixture()
        let named = try await server.key(.admin, name: "back office")
        let unnamed = try await server.key(.sales, id: "key_0123456789abcdef")
        try await server.application().test(.router) { client throws in
            for id in ["s-1", "s-2", "s-3"] {
                let sale = AccessFixture.sale(id).merging(["customerId": "c-1"]) { $1 }
                #expect(try await client.send(.post, "/v1/sales", key: named, body: sale).status == .created)
            }
            let claimed: [String: Any] = ["by": "somebody else", "reason": "x"]
            #expect(try await client.send(.post, "/v1/sales/s-1/void", key: named, body: claimed).status == .ok)
            #expect(
                try await client.send(.post, "/v1/sales/s-2/void", key: unnamed, body: ["reason": "x"]).status == .ok
            )
            var amended = AccessFixture.sale("s-3").merging(["amends": true, "by": 17]) { $1 }
            amended["quantity"] = 2
            let amendment = try await client.send(.post, "/v1/sales", key: unnamed, body: amended)
            #expect(amendment.status == .ok, "\(amendment.json)")
            let erasure = ["bundleId": AccessFixture.shop.rawValue, "customerId": "c-1"]
            #expect(try await client.send(.post, "/v1/erasures", key: named, body: erasure).status == .ok)
        }
        let contents = try await server.store.contents()
        let entries = contents.audit
        #expect(!entries.contains { $0.content.contains("somebody else") })
        let versions = entries.filter { $0.kind == "sale-corrected" }.map(\.content)
        #expect(versions.count { $0.contains(#""by":"back office""#) } == 1)
        #expect(versions.count { $0.contains(#""by":"key_0123456789abcdef""#) } == 2)
        let erased = try #require(entries.first { $0.kind == "customer-erased" })
        #expect(erased.content.contains(#""by":"back office""#))
        for entry in entries {
            #expect(!entry.content.contains("epk_"))
            for key in contents.apiKeys { #expect(!entry.content.contains(key.digest.hexadecimal)) }
        }
    }
}

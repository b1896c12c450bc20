import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import LedgerTesting
import NIOCore
import Testing

@testable import Reporting
@testable import ReportingServer

/// The app of a key, under every path of the list that reads a body.
@Suite("A key of one app writes for that app only, however the body names it")
struct AppRestrictionTests {
    private static let (shop, own) = (AccessFixture.shop, AccessFixture.other)

    /// How a body names its app: the JSON of the member `bundleId`, or the bare member; nil leaves it out.
    private enum Naming: CaseIterable {
        case absent, null, number, boolean, empty, otherCase, array, object, long, control, escapedName, nameInOtherCase
        case foreign, unregistered

        var member: String? {
            switch self {
            case .absent: nil
            case .null: #""bundleId":null"#
            case .number: #""bundleId":7"#
            case .boolean: #""bundleId":false"#
            case .empty: #""bundleId":"""#
            case .otherCase: #""bundleId":"\#(own.rawValue.uppercased())""#
            case .array: #""bundleId":["\#(own)"]"#
            case .object: #""bundleId":{"bundleId":"\#(own)"}"#
            case .long: #""bundleId":"\#(String(repeating: "x", count: 10_000))""#
            case .control: #""bundleId":"\#(own)\u0000""#
            case .escapedName: #""bundle\u0049d":null"#
            case .nameInOtherCase: #""bundleID":"\#(own)""#
            case .foreign: #""bundleId":"\#(shop)""#
            case .unregistered: #""bundleId":"com.example.none""#
            }
        }

        /// True for a member that names another app than the key's.
        var isForeign: Bool { self == .foreign || self == .unregistered }
    }

    /// A body of a path, without the app.
    private struct Body {
        let path: String
        /// The members besides the app.
        let members: String
        /// What becomes of the request without the app, which then is for the key's app: a record of the shop is unknown.
        let absent: Set<Int>
        /// False for a body that has no member for an app: every one is unknown.
        var namesApp = true
        /// The body around the members, for an item of a batch.
        var wrap: @Sendable (String) -> String = { "{\($0)}" }
        /// The scopes that may send the item, where they are fewer than those of the path.
        var scopes: Set<KeyScope>?
    }

    private static let sale = """
        "saleId":"ID","type":"purchase","occurredAt":"2026-11-20T12:00:00Z","productId":"gems.100","quantity":1,\
        "amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21","taxCountry":"NLD"}
        """
    private static let shopToken = "SANDBOX_00000000-0000-4000-8000-00000000000a"

    /// The bodies of every path that reads one; a new path that is missing fails the test.
    private static let bodies: [String: [Body]] = [
        "/v1/tokens": [
            Body(
                path: "/v1/tokens",
                members: #""token":"\#(AccessFixture.token("own", of: own))""#,
                absent: [200, 201],
                namesApp: false
            )
        ],
        "/v1/tokens/{externalPurchaseId}/customer": [
            Body(path: "/v1/tokens/\(shopToken)/customer", members: #""customerId":"c","by":"kim""#, absent: [404])
        ],
        "/v1/sales": [
            Body(path: "/v1/sales", members: sale, absent: [200, 201]),
            Body(
                path: "/v1/sales",
                members:
                    #""saleId":"r","type":"refund","occurredAt":"2026-11-20T12:00:00Z","refundOf":"s","refundedTotal":"1.00""#,
                absent: [200, 201]
            ),
        ],
        "/v1/sales/{saleId}/void": [
            Body(path: "/v1/sales/s/void", members: #""reason":"x","by":"kim""#, absent: [404])
        ],
        "/v1/batch": [
            Body(
                path: "/v1/batch",
                members: sale,
                absent: [200, 201],
                wrap: { #"{"items":[{"sale":{\#($0)}}]}"# },
                scopes: [.sales]
            ),
            Body(
                path: "/v1/batch",
                members: #""token":"\#(AccessFixture.token("own", of: own))""#,
                absent: [200, 201],
                namesApp: false,
                wrap: { #"{"items":[{"token":{\#($0)}}]}"# }
            ),
        ],
        "/v1/corrections": [
            Body(
                path: "/v1/corrections",
                members: #""saleId":"s","action":"retract","reason":"x","requestedBy":"kim""#,
                absent: [422]
            ),
            Body(
                path: "/v1/corrections",
                members: #""correctionId":"c-1","confirm":true,"confirmedBy":"kim""#,
                absent: [422]
            ),
        ],
        // Nothing of the body is read: the event says its app, and so does the delivery.
        "/v1/deliveries/{id}/redeliver": [],
        "/v1/events/{eventId}/apply": [],
        "/v1/events/{eventId}/dismiss": [],
        "/v1/exports/{file}/submitted": [
            Body(
                path: "/v1/exports/2026-10/submitted",
                members: #""programme":"jp","on":"2026-11-20","reference":"x","by":"kim""#,
                absent: [409]
            )
        ],
        "/v1/exports/{file}/withdrawn": [
            Body(
                path: "/v1/exports/2026-10/withdrawn",
                members: #""exportId":"e-2","reason":"x","by":"kim""#,
                absent: [404]
            )
        ],
        "/v1/invoices": [
            Body(
                path: "/v1/invoices",
                members:
                    #""invoiceId":"i","programme":"eu-2026-10","month":"2026-10","issuedOn":"2026-11-10","currency":"EUR","amount":"1","by":"kim""#,
                absent: [200, 201, 422]
            )
        ],
        "/v1/erasures": [Body(path: "/v1/erasures", members: #""customerId":"customer""#, absent: [404])],
        "/v1/review/{sequence}": [
            Body(
                path: "/v1/review/2",
                members: #""action":"resolve","note":"x","by":"kim""#,
                absent: [404],
                namesApp: false
            )
        ],
    ]

    /// The status, kind and paths of errors of an answer; of a batch, those of its only item.
    private static func outcome(_ response: TestResponse) -> (status: Int, kind: String, paths: [String]) {
        var (status, body) = (response.status.code, response.json)
        if let item = (body["results"] as? [[String: Any]])?.first {
            status = item["status"] as? Int ?? 0
            body = item["body"] as? [String: Any] ?? [:]
        }
        let kind = (body["type"] as? String)?.split(separator: ":").last.map(String.init) ?? ""
        return (status, kind, (body["errors"] as? [[String: Any]])?.compactMap { $0["path"] as? String } ?? [])
    }

    private static func send(
        _ client: any TestClientProtocol,
        _ path: String,
        _ body: String,
        key: String
    ) async throws -> TestResponse {
        try await client.execute(
            uri: path,
            method: .post,
            headers: [.contentType: "application/json", .authorization: "Bearer \(key)"],
            body: ByteBuffer(string: body)
        )
    }

    @Test("Absent is the key's app; null and malformed values are 422, another app is 403, and nothing is stored")
    func everyPath() async throws {
        let server = try AccessFixture()
        try await FullLedger.fill(server.store)
        try await server.store.write { ledger throws(LedgerError) in
            let item = ReviewItem(
                bundleId: Self.shop,
                kind: .contradiction,
                subject: .app,
                detail: "x",
                openedAt: AccessFixture.start
            )
            _ = try ledger.open(item)
        }
        var keys: [KeyScope: String] = [:]
        for scope in KeyScope.allCases { keys[scope] = try await server.key(scope, app: Self.own) }
        var settings = AccessSettings()
        (settings.keysPerMinute, settings.publishablePerMinute) = (nil, nil)
        let (allKeys, shopBefore) = (keys, try await Self.shopRecords(server))
        try await server.application(settings).test(.router) { client throws in
            for endpoint in Endpoint.all where endpoint.method == .post {
                guard case .key(let scopes) = endpoint.access else { continue }
                let bodies = try #require(Self.bodies[endpoint.path], "\(endpoint.path): the test has no body for it")
                for (scope, key) in allKeys {
                    for body in bodies {
                        let isAllowed = scope == .admin || (body.scopes ?? scopes).contains(scope)
                        try await Self.check(body, isAllowed: isAllowed, scope, key, server, client)
                    }
                }
            }
        }
        #expect(try await Self.shopRecords(server) == shopBefore)
    }

    private static func check(
        _ body: Body,
        isAllowed: Bool,
        _ scope: KeyScope,
        _ key: String,
        _ server: AccessFixture,
        _ client: any TestClientProtocol
    ) async throws {
        let before = try await server.store.contents()
        for naming in Naming.allCases where naming != .absent {
            let text = body.wrap("\(body.members),\(naming.member ?? "")")
            let (status, kind, paths) = outcome(try await send(client, body.path, text, key: key))
            let said: Comment = "\(body.path) \(scope) \(naming): \(status) \(kind) \(paths)"
            if !isAllowed {
                #expect(status == 403 && kind == "scope", said)
            } else if body.namesApp, naming.isForeign {
                #expect(status == 403 && kind == "foreign-app", said)
            } else {
                #expect(status == 422, said)
                let member = naming == .nameInOtherCase ? "/bundleID" : "/bundleId"
                #expect(paths.contains { $0.hasSuffix(member) }, said)
            }
        }
        // Two values of which a reader could take either.
        let twice = body.wrap(#"\#(body.members),"bundleId":"\#(own)","bundleId":"\#(shop)""#)
        #expect(try await send(client, body.path, twice, key: key).status.code >= 400)
        #expect(
            try await send(client, "\(body.path)?bundleId=\(shop)", body.wrap(body.members), key: key).status.code
                >= 400
        )
        let after = try await server.store.contents()
        #expect(after == before, "\(body.path) \(scope)")
        let id = "\(scope)-\(body.path.count)"
        let absent = outcome(
            try await send(client, body.path, body.wrap(body.members.replacing("ID", with: id)), key: key)
        )
        let said: Comment = "\(body.path) \(scope): \(absent)"
        if isAllowed {
            #expect(body.absent.contains(absent.status), said)
            #expect(!absent.paths.contains { $0.hasSuffix("/bundleId") }, said)
        } else {
            #expect(absent.status == 403 && absent.kind == "scope", said)
        }
    }

    /// What the shop's own key reads of its records.
    private static func shopRecords(_ server: AccessFixture) async throws -> [AnyHashable] {
        let system = server.system
        let filter = ListFilter([.bundleId: shop.rawValue])
        let page = LedgerPage(limit: 1_000)
        return [
            AnyHashable(try await system.lists.tokens(matching: filter, page)),
            AnyHashable(try await system.lists.sales(matching: filter, page)),
            AnyHashable(try await system.lists.corrections(matching: filter, page)),
            AnyHashable(try await system.lists.review(matching: filter, page)),
            AnyHashable(try await system.lists.manualExports(matching: filter, page)),
            AnyHashable(try await system.lists.paymentEvents(matching: filter, page)),
        ]
    }

    @Test("A key of all apps leaves the app out or names one; null and malformed values are 422 for it too")
    func allApps() async throws {
        let server = try AccessFixture()
        let key = try await server.key(.admin)
        try await server.application().test(.router) { client throws in
            for body in Self.bodies.values.flatMap(\.self) where body.namesApp {
                for naming in Naming.allCases where naming != .absent && !naming.isForeign {
                    let text = body.wrap("\(body.members),\(naming.member ?? "")")
                    let (status, _, paths) = Self.outcome(try await Self.send(client, body.path, text, key: key))
                    // A withdrawal and a void of an unregistered app are wrong or unknown.
                    let isUnknown = naming == .otherCase && status == 404
                    #expect(status == 422 || isUnknown, "\(body.path) \(naming): \(status) \(paths)")
                }
            }
        }
        #expect(try await server.system.lists.sales(LedgerPage()).isEmpty)
    }

    @Test("A token of another app is 403 for every key of one app, alone and in a batch")
    func foreignToken() async throws {
        let server = try AccessFixture()
        let token = #""token":"\#(AccessFixture.token("foreign", of: Self.shop))""#
        for scope in KeyScope.allCases where scope != .read {
            let key = try await server.key(scope, app: Self.own)
            try await server.application().test(.router) { client throws in
                let single = Self.outcome(try await Self.send(client, "/v1/tokens", "{\(token)}", key: key))
                #expect(single.status == 403 && single.kind == "foreign-app", "\(scope): \(single)")
                let batch = #"{"items":[{"token":{\#(token)}}]}"#
                #expect(
                    Self.outcome(try await Self.send(client, "/v1/batch", batch, key: key)).status == 403,
                    "\(scope)"
                )
            }
        }
        #expect(try await server.system.lists.tokens(LedgerPage()).isEmpty)
    }

    @Test("A record of another app that a body names is what nobody has, and nothing of it changes")
    func namedRecords() async throws {
        let server = try AccessFixture()
        try await FullLedger.fill(server.store)
        let key = try await server.key(.admin, app: Self.own)
        let before = try await Self.shopRecords(server)
        /// Bodies with the id of a record of the shop, and one that nobody has.
        let pairs: [(path: String, body: String, known: String, unknown: String)] = [
            (
                "/v1/sales", #"{"saleId":"N-r","type":"refund","refundOf":"X","refundedTotal":"1.00",\#(Self.time)}"#,
                "s", "none"
            ),
            (
                "/v1/sales",
                #"{"saleId":"N-c","type":"chargeback","refundOf":"X","amount":{"inclusive":"1.00"},\#(Self.time)}"#,
                "s", "none"
            ),
            ("/v1/sales", #"{"saleId":"N-v","type":"chargebackReversal","reversalOf":"X",\#(Self.time)}"#, "s", "none"),
            (
                "/v1/sales", #"{"saleId":"N-t","externalPurchaseId":"X",\#(Self.purchase)}"#, Self.shopToken,
                "SANDBOX_none"
            ),
            ("/v1/sales", #"{"saleId":"N-k","checkoutId":"X",\#(Self.purchase)}"#, "checkout", "none"),
            ("/v1/sales", #"{"saleId":"N-u","customerId":"X",\#(Self.purchase)}"#, "customer", "none"),
            ("/v1/sales", #"{"saleId":"X","amends":true,\#(Self.purchase)}"#, "s", "none"),
            ("/v1/corrections", #"{"saleId":"X","action":"retract","reason":"x"}"#, "s", "none"),
            ("/v1/corrections", #"{"correctionId":"X","confirm":true}"#, "c-1", "none"),
            ("/v1/exports/2026-10/withdrawn", #"{"exportId":"X","reason":"x"}"#, "e-2", "none"),
            ("/v1/erasures", #"{"customerId":"X"}"#, "customer", "none"),
        ]
        try await server.application().test(.router) { client throws in
            for (number, pair) in pairs.enumerated() {
                var answers: [String] = []
                for (prefix, id) in [("k\(number)", pair.known), ("u\(number)", pair.unknown)] {
                    let body = pair.body.replacing("\"N-", with: "\"\(prefix)-").replacing("\"X\"", with: "\"\(id)\"")
                    let response = try await Self.send(client, pair.path, body, key: key)
                    let (status, kind, paths) = Self.outcome(response)
                    let sale = response.json
                    answers.append("\(status) \(kind) \(paths) \(sale["state"] ?? "") \(sale["flags"] ?? "")")
                    #expect(!String(buffer: response.body).contains("kim"), "\(pair.path)")
                }
                // An amendment of an unknown id is 404, and so is one of the shop's.
                #expect(answers[0] == answers[1], "\(pair.path) \(pair.body)")
            }
        }
        #expect(try await Self.shopRecords(server) == before)
    }

    private static let time = #""occurredAt":"2026-11-20T12:00:00Z""#
    private static let purchase = """
        "type":"purchase",\(time),"productId":"gems.100","quantity":1,\
        "amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21","taxCountry":"NLD"}
        """

    @Test("The parameter bundleId of a query names the key's app only, once and not empty")
    func queries() async throws {
        let server = try AccessFixture()
        try await FullLedger.fill(server.store)
        let key = try await server.key(.admin, app: Self.own)
        let ids = [
            "{externalPurchaseId}": Self.shopToken, "{saleId}": "s", "{eventId}": "evt_1", "{file}": "2026-10.json",
        ]
        try await server.application().test(.router) { client throws in
            for endpoint in Endpoint.all where endpoint.method == .get {
                guard case .key = endpoint.access, endpoint.parameters?.contains("bundleId") == true else { continue }
                let path = ids.reduce(endpoint.path) { $0.replacing($1.key, with: $1.value) }
                let rest = endpoint.path == "/v1/invoices" ? "&month=2026-10" : ""
                for query in [
                    "bundleId=", "bundleId", "bundleId=\(Self.shop)", "bundleId=\(Self.own)&bundleId=\(Self.shop)",
                    "bundleId=\(Self.shop)&bundleId=\(Self.own)", "bundle%49d=\(Self.shop)",
                    "bundleId=COM.EXAMPLE.OTHER",
                    "bundleId=\(Self.own)%00", "BundleId=\(Self.shop)",
                ] {
                    let uri = "\(path)?\(query)\(rest)"
                    let answer = try await client.send(.get, uri, key: key)
                    #expect(answer.status == .unprocessableContent, "\(uri): \(answer.status)")
                    #expect(!String(buffer: answer.body).contains("customer\""), "\(uri)")
                }
            }
        }
    }

}

import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import LedgerTesting
import Reporting
import Testing

@testable import ReportingServer

@Suite("An id that several apps use names no record by itself: nobody gets that of the first app")
struct SharedIdTests {
    private static let apps = [AccessFixture.other, AccessFixture.shop]
    private static let token: ExternalPurchaseId = "SANDBOX_00000000-0000-4000-8000-00000000000c"
    private static let request = "7a9e5f2b-0c61-4f0a-9d65-0d9b3f6f0c11"

    /// How a path names its record.
    private enum Naming {
        /// The id is one of each app; the body of a `POST` without the app.
        case perApp(String, body: String? = nil)
        /// The id is one of the whole ledger, or no id of a record.
        case unique
    }

    /// Every path with a part that varies; a new one that is missing fails the test.
    private static let namings: [String: Naming] = [
        "GET /v1/tokens/{externalPurchaseId}": .perApp("/v1/tokens/\(token)"),
        "POST /v1/tokens/{externalPurchaseId}/customer": .perApp(
            "/v1/tokens/\(token)/customer",
            body: #""customerId":"c","by":"kim""#
        ),
        "GET /v1/sales/{saleId}": .perApp("/v1/sales/s%2F1"),
        "POST /v1/sales/{saleId}/void": .perApp("/v1/sales/s%2F1/void", body: #""by":"kim","reason":"twice""#),
        // Events have the ids of the provider, review items the sequence of the ledger, exports a month.
        "GET /v1/events/{eventId}": .unique, "POST /v1/events/{eventId}/apply": .unique,
        "POST /v1/events/{eventId}/dismiss": .unique, "POST /events/{eventId}/dismiss": .unique,
        "POST /v1/review/{sequence}": .unique, "GET /v1/exports/{file}": .unique,
        "POST /v1/exports/{file}/submitted": .unique, "POST /v1/exports/{file}/withdrawn": .unique,
        "GET /out/{link}": .unique, "GET /out/{link}/**": .unique,
        // A page, which lists the apps.
        "GET /tokens/{externalPurchaseId}": .perApp("/tokens/\(token)"),
        "GET /sales/{saleId}": .perApp("/sales/s%2F1"),
        "GET /reports/{requestIdentifier}": .perApp("/reports/\(request)"),
        "GET /corrections/{correctionId}": .perApp("/corrections/c-1"),
        // The forms of these pages name the app.
        "POST /sales/{saleId}/void": .unique, "POST /corrections/{correctionId}": .unique,
        "GET /reports/{requestIdentifier}/sent": .unique, "GET /reports/{requestIdentifier}/received": .unique,
        "GET /review/{sequence}": .unique, "POST /review/{sequence}": .unique, "GET /notifications/{uuid}": .unique,
        "GET /events/{eventId}": .unique, "POST /events/{eventId}/apply": .unique, "GET /exports/{month}": .unique,
        "GET /exports/{month}/csv": .unique, "GET /exports/{month}/json": .unique,
        "POST /exports/{month}/submitted": .unique, "POST /exports/{month}/withdrawn": .unique,
        "GET /audit/{sequence}": .unique, "GET /keys/{keyId}": .unique, "GET /keys/{keyId}/revoke": .unique,
        "POST /keys/{keyId}/revoke": .unique, "GET /runbooks/{name}": .unique,
        // Deliveries have the sequence of the ledger.
        "GET /deliveries/{id}": .unique, "POST /deliveries/{id}/redeliver": .unique,
        "POST /v1/deliveries/{id}/redeliver": .unique,
    ]

    /// A ledger in which both apps have each id.
    private static func server() async throws -> AccessFixture {
        let server = try AccessFixture()
        let now = server.clock.now
        let request = try #require(RequestIdentifier(request))
        for (number, app) in apps.enumerated() {
            let token = ExternalPurchaseToken(
                appAppleId: app == AccessFixture.shop ? ServerFixture.appAppleId : 2,
                bundleId: app,
                tokenCreationDate: Timestamp(milliseconds: 1_790_000_000_000),
                externalPurchaseId: token
            )
            _ = try await server.system.tokens.receive(TokenArrival(text: token.encoded(), source: .app))
            var sale = AccessFixture.sale("s/1", of: app)
            sale["productId"] = "product-\(number)"
            let body = try JSONReader().read(Array(try JSONSerialization.data(withJSONObject: sale)))
            _ = try await server.system.sales.receive(
                try SaleCommand(body: body, apps: server.system.apps, caller: .anybody)
            )
            let scope = ReportingScope(bundleId: app, environment: .sandbox)
            let report = StoredReport(
                scope: scope,
                requestIdentifier: request,
                externalPurchaseId: Self.token,
                status: .noLineItem,
                body: Array("{}".utf8),
                writtenAt: now
            )
            let correction = StoredCorrection(
                correctionId: "c-1",
                bundleId: app,
                requestedBy: "kim",
                reason: "twice",
                requestedAt: now,
                request: ["saleId": "s/1"]
            )
            _ = try await server.store.write { ledger throws(LedgerError) in
                _ = try ledger.insert(report, holding: [])
                _ = try ledger.insert(correction)
            }
        }
        return server
    }

    @Test("Every path of the list with a varying part is judged here")
    func everyPath() {
        let paths = Endpoint.all.map { "\($0.method.rawValue) \($0.path)" }.filter { $0.contains("{") }
        #expect(Set(paths) == Set(Self.namings.keys))
    }

    @Test("Without the app the answer is 422 or the page that lists the apps; with it, the record of that app")
    func records() async throws {
        let server = try await Self.server()
        try await server.application().test(.router) { client in
            for (name, naming) in Self.namings.sorted(by: { $0.key < $1.key }) {
                guard case .perApp(let path, let members) = naming else { continue }
                let isPage = !path.hasPrefix("/v1/")
                let open = try await Self.send(client, path, members, app: nil)
                let text = String(buffer: open.body)
                #expect(open.status == (isPage ? .ok : .unprocessableContent), "\(name): \(open.status) \(text)")
                for app in Self.apps { #expect(text.contains(app.rawValue), "\(name): \(text)") }
                if isPage {
                    #expect(text.contains("Several apps have a"), "\(name)")
                } else {
                    let place = members == nil ? "?bundleId" : "/bundleId"
                    #expect(text.replacing("\\/", with: "/").contains("\"\(place)\""), "\(text)")
                }
                for app in Self.apps {
                    let own = try await Self.send(client, path, members, app: app)
                    let text = String(buffer: own.body)
                    #expect(own.status == .ok, "\(name) of \(app): \(own.status) \(text)")
                    let others = Self.apps.filter { $0 != app }
                    #expect(text.contains(app.rawValue) || members != nil, "\(name) of \(app): \(text)")
                    for other in others { #expect(!text.contains(other.rawValue) || isPage, "\(name) of \(app)") }
                    #expect(!isPage || !text.contains("Several apps have a"), "\(name) of \(app)")
                }
            }
            // Confirming names its correction in the body.
            let confirmation = #"{"correctionId":"c-1","confirm":true,"confirmedBy":"kim"}"#
            let answer = try await Self.post(client, "/v1/corrections", confirmation)
            #expect(answer.status == .unprocessableContent)
            #expect(String(buffer: answer.body).contains("several apps have the correction"))
        }
    }

    @Test("A key of one app gets its own record without naming the app")
    func keyOfOneApp() async throws {
        let server = try await Self.server()
        let keys = [
            AccessFixture.shop: try await server.key(.admin, app: AccessFixture.shop),
            AccessFixture.other: try await server.key(.admin, app: AccessFixture.other),
        ]
        try await server.application().test(.router) { client in
            for (app, key) in keys {
                for path in ["/v1/tokens/\(Self.token)", "/v1/sales/s%2F1"] {
                    let answer = try await client.send(.get, path, key: key)
                    #expect(answer.status == .ok)
                    let text = String(buffer: answer.body)
                    let others = Self.apps.filter { $0 != app }
                    #expect(text.contains(app.rawValue) && !text.contains(others[0].rawValue), "\(path)")
                }
            }
        }
    }

    private static func send(
        _ client: any TestClientProtocol,
        _ path: String,
        _ members: String?,
        app: BundleId?
    ) async throws -> TestResponse {
        guard let members else {
            let uri = path + (app.map { "?bundleId=\($0)" } ?? "")
            return try await client.execute(uri: uri, method: .get)
        }
        let body = "{\(members)\(app.map { #","bundleId":"\#($0)""# } ?? "")}"
        return try await post(client, path, body)
    }

    private static func post(
        _ client: any TestClientProtocol,
        _ path: String,
        _ body: String
    ) async throws -> TestResponse {
        try await client.execute(
            uri: path,
            method: .post,
            headers: [.contentType: "application/json"],
            body: ByteBuffer(string: body)
        )
    }
}

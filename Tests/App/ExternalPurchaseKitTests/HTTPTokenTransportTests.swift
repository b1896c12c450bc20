import ExternalPurchaseCore
import ExternalPurchaseKit
import Foundation
import RawSockets
import TestSupport
import Testing

@testable import ExternalPurchaseKitHTTP

@Suite("Tokens go to the reporting server by HTTP")
struct HTTPTokenTransportTests {
    static let stored = #"{"externalPurchaseId":"SANDBOX_1","checkoutId":"c","state":"unconfirmed"}"#

    static let answers: [(status: Int, retryAfter: String?, body: String, expected: TokenDelivery)] = [
        (201, nil, stored, .stored),
        (200, nil, stored, .stored),
        (200, nil, "<html>Welcome to the hotel</html>", .retry(reason: "200 without the id of a token", after: nil)),
        (201, nil, "", .retry(reason: "201 without the id of a token", after: nil)),
        (200, nil, #"{"externalPurchaseId":""}"#, .retry(reason: "200 without the id of a token", after: nil)),
        (204, nil, "", .retry(reason: "status 204", after: nil)),
        (302, nil, "", .retry(reason: "status 302", after: nil)),
        (400, nil, "", .refused(reason: "status 400")),
        (413, nil, "", .refused(reason: "status 413")),
        (415, nil, "", .refused(reason: "status 415")),
        (422, nil, #"{"detail":"/token: is no token"}"#, .refused(reason: "status 422: /token: is no token")),
        (401, nil, "", .retry(reason: "status 401", after: nil)),
        (403, nil, "", .retry(reason: "status 403", after: nil)),
        (
            401, nil, #"{"detail":"the key was revoked"}"#,
            .retry(reason: "status 401: the key was revoked", after: nil)
        ),
        (404, nil, "", .retry(reason: "status 404", after: nil)),
        (429, "120", "", .retry(reason: "status 429", after: .seconds(120))),
        (503, " 7 ", "", .retry(reason: "status 503", after: .seconds(7))),
        (503, "99999999999", "", .retry(reason: "status 503", after: .seconds(86_400))),
        (503, "-1", "", .retry(reason: "status 503", after: nil)),
        (503, "Wed, 21 Oct 2026 07:28:00 GMT", "", .retry(reason: "status 503", after: nil)),
        (500, nil, "", .retry(reason: "status 500", after: nil)),
    ]

    @Test("Each answer has its meaning (EK-40, EK-41)", arguments: answers.indices)
    func answer(_ index: Int) {
        let answer = Self.answers[index]
        let delivery = TokenDelivery(status: answer.status, retryAfter: answer.retryAfter, body: Data(answer.body.utf8))
        #expect(delivery == answer.expected)
    }

    @Test(
        "Only an https address without more, and a publishable key that fits a header, are taken (EK-42)",
        arguments: [
            ("https://reports.example.com", "epk_publishable_1", nil),
            ("https://example.com/reports/", "epk_publishable_1", nil),
            ("http://127.0.0.1:8800", "epk_publishable_1", nil),
            ("http://localhost:8800", "epk_publishable_1", nil),
            ("http://reports.example.com", "epk_publishable_1", "is no https address"),
            ("ftp://localhost", "epk_publishable_1", "is no https address"),
            ("reports.example.com", "epk_publishable_1", "is no https address"),
            ("https://reports.example.com?x=1", "epk_publishable_1", "has a user, a query or a fragment"),
            ("https://me@reports.example.com", "epk_publishable_1", "has a user, a query or a fragment"),
            ("https://reports.example.com", "", "is empty or has blanks"),
            ("https://reports.example.com", "epk\r\nX: y", "is empty or has blanks"),
            ("https://reports.example.com", "epk_admin_1", "is not of the scope publishable"),
            ("https://reports.example.com", "epk_sales_1", "is not of the scope publishable"),
            ("https://reports.example.com", "epk_read_1", "is not of the scope publishable"),
            ("https://reports.example.com", "epk_publishable", "is not of the scope publishable"),
            ("https://reports.example.com", "1", "is not of the scope publishable"),
        ]
    )
    func configuration(_ address: String, _ key: String, _ problem: String?) throws {
        let server = try #require(URL(string: address))
        do {
            _ = try HTTPTokenTransport(server: server, publishableKey: key)
            #expect(problem == nil)
        } catch {
            #expect(problem.map { error.description.contains($0) } == true, "\(error)")
        }
    }

    @Test("A server that is not there is a reason to try again (EK-40)")
    func unreachable() async throws {
        // Port 9, discard, which nothing listens on.
        let server = try #require(URL(string: "http://127.0.0.1:9"))
        let transport = try HTTPTokenTransport(
            server: server,
            publishableKey: "epk_publishable_1",
            timeout: .seconds(300)
        )
        guard case .retry(let reason, nil) = await transport.send(PurchaseToken(text: "secret", type: nil)) else {
            Issue.record("no reason to try again")
            return
        }
        #expect(reason.hasPrefix("network error"))
    }
}

@Suite("The transport against a listener that is served byte by byte")
struct HTTPTokenTransportConnectionTests {
    private static func answer(_ head: String, _ body: String) -> [UInt8] {
        Array("HTTP/1.1 \(head)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)".utf8)
    }

    /// Sends a token to a listener that answers each request with the same bytes.
    private func send(_ token: PurchaseToken, answer: [UInt8]) async throws -> (TokenDelivery, [RawListener.Request]) {
        let requests = Recorder<RawListener.Request>()
        let listener = try RawListener()
        listener.start { connection in
            if let request = connection.request() {
                requests.record(request)
                connection.send(answer)
            }
            connection.close()
        }
        let server = try #require(URL(string: "http://127.0.0.1:\(listener.port)/reports/"))
        let transport = try HTTPTokenTransport(
            server: server,
            publishableKey: "epk_publishable_1",
            timeout: .seconds(300)
        )
        let delivery = await transport.send(token)
        return (delivery, requests.all)
    }

    private static let token = PurchaseToken(
        text: "eyJ\"\u{1F48E}\\",
        type: .services,
        storefront: "NLD",
        customerId: "c-1"
    )

    @Test("One POST with key, token, customer and storefront, as the server's description asks for (EK-40)")
    func request() async throws {
        let stored = Self.answer("201 Created", HTTPTokenTransportTests.stored)
        let (delivery, requests) = try await send(Self.token, answer: stored)
        #expect(delivery == .stored)
        let request = try #require(requests.first)
        #expect(requests.count == 1)
        #expect(request.method == "POST" && request.target == "/reports/v1/tokens")
        #expect(request.headers["authorization"] == "Bearer epk_publishable_1")
        #expect(request.headers["content-type"] == "application/json")
        let body = try JSONDecoder().decode([String: String].self, from: Data(request.body))
        #expect(body == ["token": Self.token.text, "customerId": "c-1", "storefront": "NLD"])

        // Members without a value, and a storefront that the server would refuse, are left out.
        let bare = PurchaseToken(text: "t", type: nil, storefront: "Nowhere")
        let second = try #require(try await send(bare, answer: stored).1.first)
        #expect(try JSONDecoder().decode([String: String].self, from: Data(second.body)) == ["token": "t"])
    }

    @Test("A redirect is not followed, a login page and a broken answer do not count as stored (EK-41)")
    func elsewhere() async throws {
        let redirect = Self.answer("302 Found\r\nLocation: /login", "")
        let (delivery, requests) = try await send(Self.token, answer: redirect)
        #expect(delivery == .retry(reason: "status 302", after: nil))
        #expect(requests.count == 1)
        let page = try await send(Self.token, answer: Self.answer("200 OK", "<html></html>")).0
        #expect(page == .retry(reason: "200 without the id of a token", after: nil))
        let busy = try await send(Self.token, answer: Self.answer("503 Busy\r\nRetry-After: 30", "")).0
        #expect(busy == .retry(reason: "status 503", after: .seconds(30)))
        for broken in [
            "", "HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{\"externalPurchaseId\":", "nonsense\r\n\r\n",
        ] {
            guard case .retry = try await send(Self.token, answer: Array(broken.utf8)).0 else {
                Issue.record("\(broken) counts as stored")
                continue
            }
        }
    }

    @Test("The description of the server has this request, and no status without a meaning (EK-40)")
    func description() throws {
        let file = PackageFolder.file("docs/openapi/external-purchase-server.json")
        let document = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        func member(_ path: [String], of value: Any?) -> Any? {
            path.reduce(value) { ($0 as? [String: Any])?[$1] }
        }
        func resolved(_ schema: Any?) -> Any? {
            guard let reference = member(["$ref"], of: schema) as? String else { return schema }
            return member(reference.split(separator: "/").dropFirst().map(String.init), of: document)
        }
        let post = member(["paths", "/v1/tokens", "post"], of: document)
        let schema = resolved(member(["requestBody", "content", "application/json", "schema"], of: post))
        let properties = try #require(member(["properties"], of: schema) as? [String: Any])
        #expect(Set(properties.keys).isSuperset(of: ["token", "customerId", "storefront"]))
        let responses = try #require(member(["responses"], of: post) as? [String: Any])
        let meanings = responses.keys.reduce(into: [:]) { meanings, status in
            meanings[status] = TokenDelivery(
                status: Int(status) ?? 0,
                retryAfter: nil,
                body: Data(HTTPTokenTransportTests.stored.utf8)
            )
        }
        #expect(meanings.filter { $0.value == .stored }.keys.sorted() == ["200", "201"])
        let refused = meanings.filter { if case .refused = $0.value { true } else { false } }.keys.sorted()
        #expect(["400", "413", "422"].allSatisfy(refused.contains), "\(refused)")
        #expect(!refused.contains { ["401", "403", "404", "429", "503"].contains($0) })
    }
}

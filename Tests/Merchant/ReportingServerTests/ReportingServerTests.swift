import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LedgerTesting
import NIOCore
import Testing

@Suite("The server's HTTP interface, over a real ledger")
struct ReportingServerTests {
    static let json: HTTPFields = [.contentType: "application/json"]

    private static func post(
        _ client: some TestClientProtocol,
        _ path: String,
        _ body: String,
        headers: HTTPFields = json
    ) async throws -> TestResponse {
        try await client.execute(uri: path, method: .post, headers: headers, body: ByteBuffer(string: body))
    }

    private static func get(_ client: some TestClientProtocol, _ path: String) async throws -> TestResponse {
        try await client.execute(uri: path, method: .get)
    }

    @Test("A token: 201 new, 200 known with the same checkout (TK-67), then readable")
    func token() async throws {
        let server = try ServerFixture()
        let body = #"{"token":"\#(ServerFixture.token())","customerId":"c-1","storefront":"NLD"}"#
        try await server.application.test(.router) { client in
            let first = try await Self.post(client, "/v1/tokens", body)
            #expect(first.status == .created, "\(first.json)")
            #expect(first.json["environment"] as? String == "sandbox")
            #expect(first.json["family"] as? String == "plain")
            #expect(first.json["state"] as? String == "unconfirmed")
            #expect((first.json["warnings"] as? [Any])?.isEmpty == true)
            let second = try await Self.post(client, "/v1/tokens", body)
            #expect(second.status == .ok)
            #expect(second.json["checkoutId"] as? String == first.json["checkoutId"] as? String)
            let id = try #require(first.json["externalPurchaseId"] as? String)
            let stored = try await Self.get(client, "/v1/tokens/\(id)")
            #expect(stored.status == .ok)
            #expect(stored.json["customerId"] as? String == "c-1")
            #expect(stored.json["storefront"] as? String == "NLD")
            let missing = try await Self.get(client, "/v1/tokens/none")
            #expect(missing.status == .notFound)
        }
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        let path: String
        let body: String
        let status: Int
        let field: String?
        var testDescription: String { "\(path) \(body.prefix(60)) → \(status)" }
    }

    @Test(
        "What is wrong is refused with a problem that names the field",
        arguments: [
            Refused(path: "/v1/tokens", body: "{", status: 400, field: nil),
            Refused(path: "/v1/tokens", body: #"{"token":"a","token":"b"}"#, status: 400, field: nil),
            Refused(path: "/v1/tokens", body: #"{"token":"!!"}"#, status: 422, field: "/token"),
            Refused(path: "/v1/tokens", body: "{}", status: 422, field: "/token"),
            Refused(path: "/v1/tokens", body: "[]", status: 422, field: ""),
            Refused(
                path: "/v1/tokens",
                body: #"{"token":"\#(ServerFixture.token(bundleId: "com.other"))"}"#,
                status: 422,
                field: "/token"
            ),
            Refused(
                path: "/v1/tokens",
                body: #"{"token":"\#(ServerFixture.token())","storefront":"nl"}"#,
                status: 422,
                field: "/storefront"
            ),
            Refused(path: "/v1/sales", body: "{}", status: 422, field: "/saleId"),
        ]
    )
    func refused(_ row: Refused) async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            let answer = try await Self.post(client, row.path, row.body)
            #expect(answer.status.code == row.status, "\(answer.json)")
            #expect(answer.headers[.contentType] == "application/problem+json")
            for key in ["type", "title", "status", "detail", "requestId"] {
                #expect(answer.json[key] != nil, "\(key)")
            }
            if let field = row.field {
                let errors = answer.json["errors"] as? [[String: Any]] ?? []
                #expect(errors.contains { $0["path"] as? String == field }, "\(answer.json)")
            }
        }
    }

    static func sale(_ change: (inout [String: Any], inout [String: Any]) -> Void) throws -> String {
        var amount: [String: Any] = ["currency": "EUR", "inclusive": "9.99", "taxRate": "21", "taxCountry": "NLD"]
        var sale: [String: Any] = [
            "saleId": "order-1", "bundleId": "com.example.shop", "type": "purchase",
            "occurredAt": "2026-11-20T12:00:00Z", "productId": "gems.100", "quantity": 1,
        ]
        change(&sale, &amount)
        sale["amount"] = sale["amount"] ?? amount
        return String(decoding: try JSONSerialization.data(withJSONObject: sale), as: UTF8.self)
    }

    struct WrongSale: Sendable, CustomTestStringConvertible {
        let key: String
        let value: String
        let isAmount: Bool
        let path: String
        var testDescription: String { "\(path) = \(value)" }
    }

    @Test(
        "Unknown country, currency and malformed money are refused at their field",
        arguments: [
            WrongSale(key: "currency", value: "EURO", isAmount: true, path: "/amount/currency"),
            WrongSale(key: "currency", value: "eur", isAmount: true, path: "/amount/currency"),
            WrongSale(key: "inclusive", value: "9,99", isAmount: true, path: "/amount/inclusive"),
            WrongSale(key: "inclusive", value: "9.999", isAmount: true, path: "/amount/inclusive"),
            WrongSale(key: "inclusive", value: "-1", isAmount: true, path: "/amount/inclusive"),
            WrongSale(key: "inclusive", value: "1e3", isAmount: true, path: "/amount/inclusive"),
            WrongSale(key: "taxCountry", value: "XX", isAmount: true, path: "/amount/taxCountry"),
            WrongSale(key: "taxRate", value: "x", isAmount: true, path: "/amount/taxRate"),
            WrongSale(key: "occurredAt", value: "yesterday", isAmount: false, path: "/occurredAt"),
            WrongSale(key: "type", value: "gift", isAmount: false, path: "/type"),
            WrongSale(key: "bundleId", value: "com.other", isAmount: false, path: "/bundleId"),
        ]
    )
    func wrongSale(_ row: WrongSale) async throws {
        let server = try ServerFixture()
        let body = try Self.sale { sale, amount in
            if row.isAmount { amount[row.key] = row.value } else { sale[row.key] = row.value }
        }
        try await server.application.test(.router) { client in
            let answer = try await Self.post(client, "/v1/sales", body)
            #expect(answer.status == .unprocessableContent, "\(answer.json)")
            let errors = answer.json["errors"] as? [[String: Any]] ?? []
            #expect(errors.map { $0["path"] as? String } == [row.path], "\(answer.json)")
        }
    }

    @Test("JSON numbers are no money")
    func numberAsMoney() async throws {
        let server = try ServerFixture()
        let body = try Self.sale { $1["inclusive"] = 9.99 }
        try await server.application.test(.router) { client in
            let answer = try await Self.post(client, "/v1/sales", body)
            #expect(answer.status == .unprocessableContent)
            let errors = answer.json["errors"] as? [[String: Any]] ?? []
            #expect(errors.map { $0["path"] as? String } == ["/amount/inclusive"])
        }
    }

    @Test("A sale: 201, 200 the same again, 409 with other content; without a token it is kept (RR-66)")
    func sale() async throws {
        let server = try ServerFixture()
        let body = try Self.sale { _, _ in }
        let other = try Self.sale { $1["inclusive"] = "8.99" }
        try await server.application.test(.router) { client in
            let first = try await Self.post(client, "/v1/sales", body)
            #expect(first.status == .created, "\(first.json)")
            #expect(first.json["lineItemId"] as? String == "order-1")
            #expect(first.json["externalPurchaseId"] is NSNull)
            #expect(first.json["state"] as? String == "held")
            #expect(first.json["flags"] as? [String] == ["no-token"])
            #expect(try await Self.post(client, "/v1/sales", body).status == .ok)
            #expect(try await Self.post(client, "/v1/sales", other).status == .conflict)
            // Texts are compared by their scalars (SA-45).
            for (productId, status) in [("g\u{E9}ms", .created), ("ge\u{301}ms", .conflict)]
                as [(String, HTTPResponse.Status)]
            {
                let body = try Self.sale { sale, _ in
                    sale["saleId"] = "order-2"
                    sale["productId"] = productId
                }
                #expect(try await Self.post(client, "/v1/sales", body).status == status, "\(productId.utf8.count)")
            }
            let sales = try await Self.get(client, "/v1/sales")
            #expect((sales.json["sales"] as? [Any])?.count == 2)
        }
    }

    @Test("The landing address records the token and redirects to the configured shop only (TK-64 to TK-67)")
    func landing() async throws {
        let server = try ServerFixture()
        let query = "externalPurchaseToken=\(ServerFixture.token())&bundleId=com.example.shop"
        try await server.application.test(.router) { client in
            // A preview of the link is no visit.
            let preview = try await client.execute(uri: "/out/nl?\(query)", method: .head)
            #expect(preview.status == .seeOther)
            #expect(preview.headers[.location] == "https://shop.example.com/nl?lang=nl#top")
            #expect((try await Self.get(client, "/v1/tokens").json["tokens"] as? [Any])?.isEmpty == true)
            let first = try await client.execute(
                uri: "/out/nl?\(query)",
                method: .get
            )
            #expect(first.status == .seeOther)
            #expect(first.headers[.cacheControl] == "no-store")
            #expect(first.headers[HTTPField.Name("Referrer-Policy")!] == "no-referrer")
            let location = try #require(first.headers[.location])
            #expect(location.hasPrefix("https://shop.example.com/nl?lang=nl&checkout="))
            #expect(location.hasSuffix("#top"))
            #expect(!location.contains("externalPurchaseToken"))
            let again = try await client.execute(uri: "/out/nl?\(query)", method: .get)
            #expect(again.headers[.location] == location)
            let visit = try await client.execute(uri: "/out/de", method: .get)
            #expect(visit.headers[.location] == "https://shop.example.com")
            let unknown = try await client.execute(uri: "/out/xx?\(query)", method: .get)
            #expect(unknown.status == .notFound)
            let tokens = try await Self.get(client, "/v1/tokens")
            let list = tokens.json["tokens"] as? [[String: Any]] ?? []
            #expect(list.count == 1)
            #expect((list.first?["firstSeen"] as? [String: Any])?["source"] as? String == "website")
        }
    }

    @Test("With a full disk: 503 before anything is promised; the visitor goes on, by spool or with both parameters")
    func fullDisk() async throws {
        let query = "externalPurchaseToken=\(ServerFixture.token())&bundleId=com.example.shop"
        let spooling = try ServerFixture(store: FaultyLedgerStore.full)
        try await spooling.application.test(.router) { client in
            let token = try await Self.post(client, "/v1/tokens", #"{"token":"\#(ServerFixture.token())"}"#)
            #expect(token.status == .serviceUnavailable)
            #expect(token.headers[.retryAfter] == "1")
            #expect(try await Self.post(client, "/v1/sales", try Self.sale { _, _ in }).status == .serviceUnavailable)
            #expect(try await Self.get(client, "/health/ready").status == .serviceUnavailable)
            #expect(try await Self.get(client, "/health/live").status == .ok)
            let visit = try await client.execute(uri: "/out/de?\(query)", method: .get)
            #expect(visit.status == .seeOther)
            #expect(visit.headers[.location]?.hasPrefix("https://shop.example.com?checkout=") == true)
        }
        let helpless = try ServerFixture(store: FaultyLedgerStore.full, hasSpool: false)
        try await helpless.application.test(.router) { client in
            let visit = try await client.execute(uri: "/out/de?\(query)", method: .get)
            #expect(visit.status == .seeOther)
            #expect(visit.headers[.location] == "https://shop.example.com?\(query)")
        }
    }

    @Test("Another type or method, a large body and an unknown path are refused by name")
    func edges() async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            let form = try await Self.post(
                client,
                "/v1/tokens",
                "token=x",
                headers: [.contentType: "application/x-www-form-urlencoded"]
            )
            #expect(form.status == .unsupportedMediaType)
            let large = try await Self.post(client, "/v1/tokens", String(repeating: " ", count: 300_000))
            #expect(large.status == .contentTooLarge)
            #expect(try await Self.get(client, "/v1/nothing").status == .notFound)
            #expect(try await Self.get(client, "/figures").status == .notFound)
            #expect(try await Self.get(client, "/v1/reports?limit=0").status == .unprocessableContent)
        }
    }

    @Test("Lists come in pages", arguments: ["tokens", "due"])
    func paging(_ name: String) async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            for number in 0..<5 {
                let id = "SANDBOX_00000000-0000-4000-8000-00000000000\(number)"
                let answer = try await Self.post(client, "/v1/tokens", #"{"token":"\#(ServerFixture.token(id))"}"#)
                #expect(answer.status == .created)
            }
            var seen: [String] = []
            var next: String? = ""
            while let after = next {
                let query = after.isEmpty ? "?limit=2" : "?limit=2&after=\(after)"
                let page = try await Self.get(client, "/v1/\(name)\(query)")
                let tokens = page.json[name] as? [[String: Any]] ?? []
                #expect(tokens.count <= 2)
                seen += tokens.compactMap { $0["externalPurchaseId"] as? String }
                next = page.json["next"] as? String
            }
            #expect(seen.count == 5)
            #expect(Set(seen).count == 5)
            #expect(try await Self.get(client, "/v1/\(name)?after=x").status == .unprocessableContent)
        }
    }
}

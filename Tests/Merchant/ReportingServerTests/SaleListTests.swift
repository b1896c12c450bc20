import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
import Reporting
import TestSupport
import Testing

/// Lists, filters and single sales over HTTP and a real SQLite ledger.
@Suite("Sales, tokens and reports are found by what is known of them")
struct SaleListTests {
    static let token = "SANDBOX_7b1e6c1a-3f52-4d0b-9c77-5a2e8d4f1b60"

    static func sale(_ id: String, product: String = "gems", at: String = "2026-11-20T11:00:00Z", more: String = "")
        -> String
    {
        """
        {"saleId":"\(id)","bundleId":"com.example.shop","type":"purchase","occurredAt":"\(at)",\(more)
        "productId":"\(product)","quantity":1,
        "amount":{"currency":"EUR","inclusiveMinor":999,"taxRate":"21","taxCountry":"NL"}}
        """
    }

    static let order = """
        {"saleId":"o","bundleId":"com.example.shop","type":"purchase","occurredAt":"2026-11-20T12:00:00Z",
        "checkoutId":"basket-1","lines":[
        {"productId":"gems","quantity":1,"amount":{"currency":"EUR","inclusive":"5.00","taxRate":"21","taxCountry":"NLD"}},
        {"productId":"map","quantity":2,"amount":{"currency":"EUR","inclusive":"4.99","taxRate":"21","taxCountry":"NLD"}}]}
        """

    /// A server with a token, an order on it, three sales that wait and an early refund.
    private static func fill(_ client: some TestClientProtocol) async throws {
        let taken = try await post(
            client,
            "/v1/tokens",
            #"{"token":"\#(ServerFixture.token())","checkoutId":"basket-1"}"#
        )
        #expect(taken.json["checkoutId"] as? String == "basket-1")
        let answer = try await post(client, "/v1/sales", order)
        #expect(answer.status == .created, "\(answer.json)")
        #expect(answer.json["lineItemId"] as? String == "o/1")
        #expect(answer.json["lineItems"] as? [String] == ["o/1", "o/2"])
        #expect(answer.json["state"] as? String == "planned")
        #expect(answer.json["externalPurchaseId"] as? String == token)
        for body in [
            sale("a", more: #""customerId":"anna","#), sale("b", product: "map", at: "2026-11-20T13:00:00Z"),
            sale("c", more: #""checkoutId":"elsewhere","#),
        ] {
            #expect(try await post(client, "/v1/sales", body).status == .created)
        }
        let refund = """
            {"saleId":"r","bundleId":"com.example.shop","type":"refund","occurredAt":"2026-11-20T14:00:00Z",
            "refundOf":"later","amount":{"inclusive":"1.00"}}
            """
        let held = try await post(client, "/v1/sales", refund)
        #expect(held.json["flags"] as? [String] == ["buy-unknown"])
        let reasons = try #require(held.json["reasons"] as? [String])
        #expect(reasons.count == 1 && reasons[0].contains("has not arrived"), "\(reasons)")
    }

    private static func post(_ client: some TestClientProtocol, _ path: String, _ body: String) async throws
        -> TestResponse
    {
        try await client.execute(
            uri: path,
            method: .post,
            headers: [.contentType: "application/json"],
            body: ByteBuffer(string: body)
        )
    }

    private static func ids(_ response: TestResponse) -> [String] {
        (response.json["sales"] as? [[String: Any]] ?? []).compactMap { $0["saleId"] as? String }
    }

    struct Query: Sendable {
        let query: String
        let found: [String]
    }

    @Test(
        "Every filter of sales, alone and together; an order is listed once, by its lines",
        arguments: [
            Query(query: "", found: ["o", "a", "b", "c", "r"]), Query(query: "state=planned", found: ["o"]),
            Query(query: "state=held", found: ["a", "b", "c", "r"]), Query(query: "standing=planned", found: ["o"]),
            Query(query: "standing=held&flag=no-token", found: ["a", "b", "c"]),
            Query(query: "standing=reported", found: []), Query(query: "standing=recorded", found: []),
            Query(query: "standing=void", found: []), Query(query: "standing=handedOver", found: []),
            Query(query: "flag=buy-unknown", found: ["r"]), Query(query: "customerId=anna", found: ["a"]),
            Query(query: "checkoutId=basket-1", found: ["o"]), Query(query: "checkoutId=elsewhere", found: ["c"]),
            Query(query: "externalPurchaseId=\(token)", found: ["o"]),
            Query(query: "productId=map", found: ["o", "b"]),
            Query(query: "productId=gems", found: ["o", "a", "c"]),
            Query(query: "from=2026-11-20T12:00:00Z", found: ["o", "b", "r"]),
            Query(query: "from=2026-11-20T11:00:00Z&until=2026-11-20T12:00:00Z", found: ["a", "c"]),
            Query(query: "productId=map&state=held", found: ["b"]),
            Query(query: "bundleId=com.example.shop&customerId=nobody", found: []),
            Query(query: "kind=refund", found: ["r"]),
            Query(query: "kind=purchase&state=held", found: ["a", "b", "c"]),
            Query(query: "kind=lapse", found: []), Query(query: "environment=sandbox", found: ["o"]),
            // A sale without a token counts in production (OB-51).
            Query(query: "environment=production", found: ["a", "b", "c", "r"]),
        ]
    )
    func filters(_ query: Query) async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            try await Self.fill(client)
            let whole = try await client.execute(uri: "/v1/sales?\(query.query)", method: .get)
            #expect(whole.status == .ok, "\(whole.json)")
            #expect(Self.ids(whole) == query.found)
            // Page by page the same.
            var found: [String] = []
            var after = ""
            for _ in 0..<10 {
                let page = try await client.execute(
                    uri: "/v1/sales?limit=2\(after)\(query.query.isEmpty ? "" : "&" + query.query)",
                    method: .get
                )
                found += Self.ids(page)
                guard let next = page.json["next"] as? String else { break }
                after = "&after=\(next)"
            }
            #expect(found == query.found)
        }
    }

    @Test(
        "An unknown or repeated query parameter is refused by its name (422)",
        arguments: [
            ("/v1/sales?stat=held", "?stat"), ("/v1/sales?state=holding", "?state"),
            ("/v1/sales?standing=gone", "?standing"), ("/v1/sales?from=yesterday", "?from"),
            ("/v1/sales?state=held&state=planned", "?state"), ("/v1/sales?bundleId=com.example.other", "?bundleId"),
            ("/v1/sales?customerId=", "?customerId"), ("/v1/sales/o?limit=1", "?limit"),
            ("/v1/tokens?standing=held", "?standing"),
            ("/v1/reports?flag=x", "?flag"), ("/v1/due?state=held", "?state"), ("/v1/sales?flag=no-tokens", "?flag"),
            ("/v1/audit?kind=sale", "?kind"), ("/v1/review?state=done", "?state"), ("/v1/exports?state=x", "?state"),
            ("/v1/corrections?state=open", "?state"), ("/v1/notifications?environment=test", "?environment"),
            ("/v1/tokens?kind=plain", "?kind"), ("/v1/due?bundleId=com.example.other", "?bundleId"),
            ("/v1/audit?from=x", "?from"),
            ("/v1/review?x=1", "?x"), ("/v1/corrections?x=1", "?x"), ("/v1/notifications?x=1", "?x"),
            ("/v1/exports?x=1", "?x"), ("/v1/exports/2026-10.csv?month=1", "?month"), ("/v1/invoices?x=1", "?x"),
        ]
    )
    func unknownParameters(_ path: String, _ name: String) async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            let answer = try await client.execute(uri: path, method: .get)
            #expect(answer.status == .unprocessableContent, "\(answer.json)")
            let errors = answer.json["errors"] as? [[String: Any]] ?? []
            #expect(errors.compactMap { $0["path"] as? String } == [name], "\(answer.json)")
        }
    }

    @Test("What Apple calls takes any parameter; what a caller posts takes none")
    func posts() async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            let notification = try await Self.post(client, "/v1/notifications?x=1", "{}")
            #expect(notification.status == .badRequest)
            #expect(try await Self.post(client, "/v1/sales?dry=1", Self.order).status == .unprocessableContent)
        }
    }

    @Test("One sale: its lines with the figures that will be sent, its versions, its reasons")
    func one() async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            try await Self.fill(client)
            let order = try await client.execute(uri: "/v1/sales/o", method: .get)
            #expect(order.status == .ok, "\(order.json)")
            #expect(order.json["lineItems"] as? [String] == ["o/1", "o/2"])
            #expect((order.json["versions"] as? [[String: Any]])?.compactMap { $0["change"] as? String } == ["arrived"])
            let items = try #require(order.json["items"] as? [[String: Any]])
            let figures = items.compactMap { $0["figures"] as? [String: Any] }
            #expect(figures.map { $0["amountTaxInclusive"] as? Int } == [5_000, 4_990])
            #expect(figures.map { $0["quantity"] as? Int } == [1, 2])
            #expect(items.allSatisfy { $0["report"] is NSNull })
            #expect(items.allSatisfy { ($0["reason"] as? String)?.contains("RR-63") == true })
            for path in ["/v1/sales/o%2F2", "/v1/sales/o%2f2"] {
                let line = try await client.execute(uri: path, method: .get)
                #expect(line.json["saleId"] as? String == "o/2", "\(line.json)")
            }
            let held = try await client.execute(uri: "/v1/sales/r", method: .get)
            #expect(((held.json["items"] as? [[String: Any]])?.first?["figures"]) is NSNull)
            #expect(try await client.execute(uri: "/v1/sales/none", method: .get).status == .notFound)
        }
    }

    @Test(
        "Tokens are found by state, customer, checkout, id and time",
        arguments: [
            ("state=unconfirmed", 1), ("state=confirmed", 0), ("checkoutId=basket-1", 1), ("checkoutId=other", 0),
            ("externalPurchaseId=\(token)", 1), ("customerId=anna", 0), ("from=2026-11-01T00:00:00Z", 0),
            ("until=2026-11-01T00:00:00Z", 1), ("flag=suspicious", 0), ("environment=production", 0),
            ("environment=sandbox&state=unconfirmed", 1), ("customerId=nobody&checkoutId=basket-1", 0),
        ]
    )
    func tokens(_ query: String, _ count: Int) async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            try await Self.fill(client)
            let answer = try await client.execute(uri: "/v1/tokens?\(query)", method: .get)
            #expect((answer.json["tokens"] as? [Any])?.count == count, "\(answer.json)")
            let reports = try await client.execute(uri: "/v1/reports?state=accepted&externalPurchaseId=x", method: .get)
            #expect((reports.json["reports"] as? [Any])?.isEmpty == true)
        }
    }

    @Test("A value that is none says which count")
    func knownValues() async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            let answer = try await client.execute(uri: "/v1/due?state=late&colour=red", method: .get)
            let unknown = answer.json["errors"] as? [[String: String]] ?? []
            #expect(unknown.map { $0["path"] } == ["?colour"])
            #expect(unknown.first?["message"]?.contains("bundleId, environment, state, kind") == true, "\(unknown)")
            let late = try await client.execute(uri: "/v1/due?state=late", method: .get)
            let wrong = late.json["errors"] as? [[String: String]] ?? []
            #expect(
                wrong == [["path": "?state", "message": "is none of open, warned, overdue, noDeadline, unconfirmed"]]
            )
        }
    }

    @Test(
        "Every other list is filtered by what its rows say",
        arguments: [
            ("due?kind=token", 1), ("due?kind=lineItem", 6), ("due?kind=lineItem&externalPurchaseId=\(token)", 2),
            ("due?state=overdue&from=2030-01-01T00:00:00Z", 0),
            ("due?customerId=anna", 1), ("due?productId=map", 2), ("due?saleId=o/2", 1),
            // The sales without a token count in production (OB-51).
            ("due?environment=production", 4), ("due?environment=sandbox", 3),
            ("audit?kind=sale-stored", 7), ("audit?kind=sale-stored&saleId=o/1", 1),
            ("audit?externalPurchaseId=\(token)&kind=token-stored", 1), ("audit?until=2026-01-01T00:00:00Z", 0),
            ("audit?bundleId=com.example.shop&kind=token-stored", 1),
            ("review?state=resolved", 0), ("review?kind=report-refused", 0),
            ("corrections?state=planned", 0), ("notifications?kind=TEST&customerId=anna", 0),
            ("exports?month=2026-11", 0), ("reports?state=accepted&customerId=anna", 0),
        ]
    )
    func lists(_ query: String, _ count: Int) async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            try await Self.fill(client)
            let answer = try await client.execute(uri: "/v1/\(query)", method: .get)
            #expect(answer.status == .ok, "\(answer.json)")
            let name = String(query.prefix { $0 != "?" })
            #expect((answer.json[name] as? [Any])?.count == count, "\(answer.json)")
        }
    }

    @Test("The table of docs/paths.md says what each list takes")
    func table() throws {
        let text = try String(contentsOf: PackageFolder.file("docs/paths.md"), encoding: .utf8)
        for list in MerchantList.allCases {
            let names = list.parameters.map { "`\($0.name.rawValue)`" }.joined(separator: ", ")
            #expect(text.contains("| `/v1/\(list.rawValue)` | \(names) |"), "\(list): \(names)")
        }
    }
}

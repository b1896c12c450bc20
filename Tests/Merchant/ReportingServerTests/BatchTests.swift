import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import LedgerTesting
import NIOCore
import Reporting
import Testing

@testable import ReportingServer

@Suite("Tokens and sales in one commit")
struct BatchTests {
    private static func sale(_ id: String, amount: String = "9.99", type: String = "purchase") -> String {
        """
        {"saleId":"\(id)","bundleId":"com.example.shop","type":"\(type)","occurredAt":"2026-11-20T12:00:00Z",
         "checkoutId":"c-1","productId":"gems.100","quantity":1,
         "amount":{"currency":"EUR","inclusive":"\(amount)","taxRate":"21","taxCountry":"NLD"}}
        """
    }

    private static func send(_ body: String, to client: some TestClientProtocol) async throws -> TestResponse {
        try await client.execute(
            uri: "/v1/batch",
            method: .post,
            headers: [.contentType: "application/json"],
            body: ByteBuffer(string: body)
        )
    }

    private static func results(_ answer: TestResponse) throws -> [(status: Int, body: [String: Any])] {
        let results = try #require(answer.json["results"] as? [[String: Any]], "\(answer.json)")
        return try results.map { (try #require($0["status"] as? Int), try #require($0["body"] as? [String: Any])) }
    }

    @Test("Every item has the status of the single request, and a refused one does not stop the others")
    func statuses() async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            let token = #"{"token":{"token":"\#(ServerFixture.token())","checkoutId":"c-1"}}"#
            let first = try await Self.send(
                """
                {"items":[\(token),{"sale":\(Self.sale("a"))},{"sale":\(Self.sale("b", amount: "x"))},
                {"token":{"token":"nonsense"}},{"sale":\(Self.sale("a", amount: "1.00"))},{"other":{}},7,
                {"sale":\(Self.sale("c"))}]}
                """,
                to: client
            )
            #expect(first.status == .ok)
            let results = try Self.results(first)
            #expect(results.map(\.status) == [201, 201, 422, 422, 409, 422, 422, 201])
            // The sale of the same batch finds the token before it.
            #expect(results[1].body["state"] as? String == "planned", "\(results[1].body)")
            let again = try Self.results(
                try await Self.send("{\"items\":[\(token),{\"sale\":\(Self.sale("a"))}]}", to: client)
            )
            #expect(again.map(\.status) == [200, 200])
            let sales = try await client.execute(uri: "/v1/sales", method: .get)
            let ids = (sales.json["sales"] as? [[String: Any]])?.compactMap { $0["saleId"] as? String }
            #expect(ids == ["a", "c"])
        }
    }

    @Test(
        "A body that is no batch is refused whole",
        arguments: [
            (#"{}"#, 422), (#"{"items":{}}"#, 422), (#"{"items":[]}"#, 422), (#"{"items":[],"more":1}"#, 422),
            ("[", 400),
        ]
    )
    func bodies(_ body: String, _ status: Int) async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            let answer = try await Self.send(body, to: client)
            #expect(answer.status.code == status, "\(answer.json)")
        }
    }

    @Test(
        "A refund before the reversal that makes room for it is stored and held, and planned with it (RR-46)",
        arguments: [true, false]
    )
    func moneyBack(inOneBatch: Bool) async throws {
        func back(_ id: String, _ type: String, _ more: String) -> String {
            """
            {"sale":{"saleId":"\(id)","bundleId":"com.example.shop","type":"\(type)","occurredAt":"2026-11-20T12:00:00Z",\(more)}}
            """
        }
        let all = #""refundOf":"s","amount":{"inclusiveMinor":999}"#
        let items = [
            "{\"sale\":\(Self.sale("s"))}", back("c", "chargeback", all), back("r", "refund", all),
            back("v", "chargebackReversal", #""reversalOf":"c""#),
        ]
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            let token = #"{"token":{"token":"\#(ServerFixture.token())","checkoutId":"c-1"}}"#
            var results: [(status: Int, body: [String: Any])] = []
            for group in inOneBatch ? [[token] + items] : ([token] + items).map({ [$0] }) {
                let answer = try await Self.send("{\"items\":[\(group.joined(separator: ","))]}", to: client)
                results += try Self.results(answer)
            }
            #expect(results.map(\.status) == [201, 201, 201, 201, 201])
            #expect(results[3].body["state"] as? String == "held")
            #expect(results[3].body["flags"] as? [String] == ["refund-above-buy"])
            let sales = try await client.execute(uri: "/v1/sales", method: .get)
            let rows = try #require(sales.json["sales"] as? [[String: Any]])
            let states = Dictionary(
                uniqueKeysWithValues: rows.map { ($0["saleId"] as? String, $0["state"] as? String) }
            )
            #expect(states == ["s": "planned", "c": "recorded", "r": "planned", "v": "recorded"])
        }
    }

    @Test(
        "What came back of a chargeback, and what was refunded of a purchase so far, are compared with what is known",
        arguments: [
            // The body, the status, and the path of the error.
            (#""type":"chargebackReversal","reversalOf":"c","amount":{"inclusive":"4.00"}"#, 422, "/amount/inclusive"),
            (
                #""type":"chargebackReversal","reversalOf":"c","amount":{"inclusiveMinor":600}"#, 422,
                "/amount/inclusiveMinor"
            ),
            (
                #""type":"chargebackReversal","reversalOf":"c","amount":{"inclusive":"5","currency":"USD"}"#, 422,
                "/amount/currency"
            ),
            (#""type":"chargebackReversal","reversalOf":"d","amount":{"inclusive":"5.00"}"#, 422, "/reversalOf"),
            (#""type":"chargebackReversal","reversalOf":"c","amount":{"currency":"EUR"}"#, 422, "/amount/inclusive"),
            (#""type":"chargebackReversal","reversalOf":"c","amount":{"inclusive":"5.0","currency":"EUR"}"#, 201, ""),
            (#""type":"chargebackReversal","reversalOf":"c","amount":{"inclusiveMinor":500}"#, 201, ""),
            (#""type":"chargebackReversal","reversalOf":"c""#, 201, ""),
            (#""refundedTotal":"2.00""#, 422, "/refundedTotal"), (#""refundedTotal":"0""#, 422, "/refundedTotal"),
            (#""refundedTotal":"3.00""#, 200, ""), (#""refundedTotal":"9.99""#, 200, ""),
        ]
    )
    func compared(_ more: String, _ status: Int, _ path: String) async throws {
        func back(_ id: String, _ more: String) -> String {
            #"{"sale":{"saleId":"\#(id)","bundleId":"com.example.shop","occurredAt":"2026-11-20T12:00:00Z",\#(more)}}"#
        }
        let purchase = Self.sale("s")
        let own =
            more.contains("reversalOf")
            ? back("v", more) : "{\"sale\":\(purchase.dropLast()),\(more)}}"
        let items = [
            "{\"sale\":\(purchase)}",
            back("c", #""type":"chargeback","refundOf":"s","amount":{"inclusive":"5.00"}"#),
            back("r", #""type":"refund","refundOf":"s","refundedTotal":"3.00""#), own,
        ]
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            let results = try Self.results(
                try await Self.send("{\"items\":[\(items.joined(separator: ","))]}", to: client)
            )
            #expect(results.map(\.status) == [201, 201, 201, status], "\(results)")
            let errors = results[3].body["errors"] as? [[String: Any]]
            #expect(errors?.first?["path"] as? String == (path.isEmpty ? nil : path), "\(results[3].body)")
        }
    }

    @Test("A thousand items go, one more is refused whole")
    func size() async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            let thousand = (0..<1_000).map { "{\"sale\":\(Self.sale("s-\($0)"))}" }
            let most = try await Self.send("{\"items\":[\(thousand.joined(separator: ","))]}", to: client)
            #expect(try Self.results(most).allSatisfy { $0.status == 201 })
            let more = (thousand + [thousand[0]]).joined(separator: ",")
            #expect(try await Self.send("{\"items\":[\(more)]}", to: client).status == .unprocessableContent)
        }
    }

    @Test("The answer to many wrong items is bounded by the request, and each item still has its status")
    func manyProblems() async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            for item in ["{}", "7", #"{"sale":{}}"#, #"{"token":{}}"#, #"{"sale":{"a":1,"b":2,"c":3}}"#] {
                let body = "{\"items\":[\(Array(repeating: item, count: 1_000).joined(separator: ","))]}"
                let answer = try await Self.send(body, to: client)
                let results = try #require(answer.json["results"] as? [[String: Any]])
                #expect(results.count == 1_000 && results.allSatisfy { $0["status"] as? Int == 422 })
                #expect(results.prefix(20).allSatisfy { $0["body"] != nil })
                // Twice the request and 16 KiB of problems, and some bytes for each item.
                let size = answer.body.readableBytes
                #expect(size <= 2 * body.utf8.count + 16_384 + 45 * 1_000, "\(item): \(size) for \(body.utf8.count)")
                #expect(results.last?["body"] == nil, "\(item)")
            }
            // Items as a shop sends them have their problem in any number.
            let wrong = (0..<1_000).map { "{\"sale\":\(Self.sale("s-\($0)", amount: "x"))}" }.joined(separator: ",")
            let results = try Self.results(try await Self.send("{\"items\":[\(wrong)]}", to: client))
            #expect(
                results.allSatisfy { ($0.body["detail"] as? String)?.contains("/amount/inclusive") == true },
                "\(results.last?.body ?? [:])"
            )
        }
    }

    @Test("A full disk stores nothing of a batch")
    func fullDisk() async throws {
        let server = try ServerFixture(store: FaultyLedgerStore.full)
        try await server.application.test(.router) { client in
            let answer = try await Self.send("{\"items\":[{\"sale\":\(Self.sale("a"))}]}", to: client)
            #expect(answer.status == .serviceUnavailable)
        }
    }
}

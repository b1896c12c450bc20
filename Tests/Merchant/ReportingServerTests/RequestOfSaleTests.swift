import ExternalPurchaseCore
import Foundation
import HTTPSupport
import HTTPTypes
import HummingbirdTesting
import Ledger
import LedgerTesting
import NIOCore
import Reporting
import Testing

@testable import ReportingServer

@Suite("The requests that touched a sale")
struct RequestOfSaleTests {
    /// A request as `GET /v1/sales/{saleId}` lists it.
    private struct Listed: Hashable {
        let id: String?
        let report: String?
        let changes: [String]

        init(_ json: [String: Any]) {
            id = json["requestId"] as? String
            report = json["requestIdentifier"] as? String
            changes = json["changes"] as? [String] ?? []
        }

        init(_ id: String?, _ changes: String..., report: String? = nil) {
            (self.id, self.changes, self.report) = (id, changes, report)
        }
    }

    private static func listed(_ answer: TestResponse) throws -> [Listed] {
        try #require(answer.json["requests"] as? [[String: Any]], "\(answer.json)").map(Listed.init)
    }

    /// The requests of a sale, as its path has them.
    private static func listed(_ sale: String, from client: some TestClientProtocol) async throws -> [Listed] {
        try listed(try await client.execute(uri: "/v1/sales/\(sale)", method: .get))
    }

    private static func post(
        _ path: String,
        _ body: String,
        id: String? = nil,
        to client: some TestClientProtocol
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[try #require(HTTPField.Name("X-Request-Id"))] = id
        return try await client.execute(uri: path, method: .post, headers: headers, body: ByteBuffer(string: body))
    }

    private static func id(_ answer: TestResponse) throws -> String {
        let name = try #require(HTTPField.Name("X-Request-Id"))
        return try #require(answer.headers[name])
    }

    private static func sale(_ id: String, checkout: String, inclusive: String = "9.99", more: String = "") -> String {
        """
        {"saleId":"\(id)","bundleId":"com.example.shop","type":"purchase","occurredAt":"2026-11-20T11:59:00Z",
        "checkoutId":"\(checkout)","productId":"gems.100","quantity":1,
        "amount":{"currency":"EUR","inclusive":"\(inclusive)","taxRate":"21","taxCountry":"NLD"}\(more)}
        """
    }

    @Test("Arrival, change, report, correction and its report: each has the id that its answer had, in order")
    func course() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            let arrival = try await sides.post("/v1/sales", Self.sale("s", checkout: checkout))
            let amends = #","amends":true,"by":"maria","reason":"typed wrong""#
            let change = try await sides.post(
                "/v1/sales",
                Self.sale("s", checkout: checkout, inclusive: "8.99", more: amends)
            )
            #expect(change.status == .ok, "\(change.json)")
            _ = try await sides.post("/v1/sales", Self.sale("other", checkout: checkout))
            await sides.runUntilIdle()
            let reports = try await sides.list("/v1/reports", "reports").compactMap {
                $0["requestIdentifier"] as? String
            }
            let planned = try await sides.post(
                "/v1/corrections",
                #"{"bundleId":"com.example.shop","saleId":"s","action":"restate","fields":{"productId":"other"},"#
                    + #""requestedBy":"maria","reason":"another product"}"#
            )
            let correction = try #require(planned.json["correctionId"] as? String, "\(planned.json)")
            let confirmed = try await sides.post(
                "/v1/corrections",
                #"{"correctionId":"\#(correction)","confirm":true,"confirmedBy":"otto"}"#
            )
            #expect(confirmed.status == .created, "\(confirmed.json)")
            await sides.runUntilIdle()
            let later = try await sides.list("/v1/reports", "reports").compactMap { $0["requestIdentifier"] as? String }
            #expect(reports.count == 1 && later.count == 2, "\(later)")

            let requests = try Self.listed(try await sides.get("/v1/sales/s"))
            let ids = try [arrival, change, planned, confirmed].map(Self.id)
            #expect(Set(ids).count == 4)
            #expect(requests.compactMap(\.id).filter(ids.contains).removingRepetitions == ids, "\(requests)")
            #expect(Set(requests.compactMap(\.report)) == Set(later), "\(requests)")
            let ofFirst = requests.filter { $0.report == later[0] }.flatMap(\.changes)
            #expect(ofFirst.contains("report-written") && ofFirst.contains("report-changed"), "\(requests)")
            #expect(requests.first?.changes.contains("sale-stored") == true)
            #expect(requests.contains { $0.id == ids[2] && $0.changes.contains("correction-requested") }, "\(requests)")
            #expect(requests.contains { $0.id == ids[3] && $0.changes.contains("correction-changed") }, "\(requests)")
            // The other sale went out in the same first report, and has neither the change nor the correction.
            let others = try Self.listed(try await sides.get("/v1/sales/other"))
            #expect(Set(others.compactMap(\.id)).isDisjoint(with: ids), "\(others)")
            #expect(others.compactMap(\.report).contains(later[0]), "\(others)")
            // Reading touches nothing, and the feed of changes stays as it is.
            #expect(try Self.listed(try await sides.get("/v1/sales/s")) == requests)
            let changes = try await sides.get("/v1/changes")
            #expect(!String(buffer: changes.body).contains(ids[0]))
        }
    }

    @Test("A decision about a refused report is among the requests of its sale, with the report that was withdrawn")
    func decision() async throws {
        var settings = ReportingSettings()
        settings.isPreflightOn = false
        try await EmulatedMerchant.run(emulator: ["rules.plainTokenRange=on"], settings: settings) { sides in
            let checkout = try await sides.receiveToken()
            try await sides.sell("s", checkout: checkout, at: "2026-11-10T11:00:00Z")
            await sides.runUntilIdle()
            let decided = try await sides.post(
                "/v1/review/1",
                #"{"action":"resolve","by":"kim","note":"handed in by hand"}"#
            )
            #expect(decided.status == .ok, "\(decided.json)")
            let id = try Self.id(decided)
            let requests = try Self.listed(try await sides.get("/v1/sales/s"))
            #expect(requests.contains { $0.id == id && $0.changes.contains("attention-resolved") }, "\(requests)")
            let report = try #require(
                try await sides.list("/v1/reports", "reports").first?["requestIdentifier"] as? String
            )
            #expect(requests.contains { $0.report == report && $0.changes.contains("report-written") }, "\(requests)")
        }
    }

    @Test("Every request of a payment that waited for another one is among those of its sale")
    func events() async throws {
        let server = try ServerFixture(stripe: StripeWebhookTests.settings())
        try await server.application.test(.router) { client in
            let refund = try await StripeWebhookTests.deliver(StripeWebhookTests.refund(), to: client)
            let session = try await StripeWebhookTests.deliver(StripeWebhookTests.session(), to: client)
            let ids = try [refund, session].map(Self.id)
            let requests = try await Self.listed("re_1", from: client)
            #expect(requests.map(\.id) == ids, "\(requests)")
            #expect(requests[0].changes == ["payment-event-stored"])
            #expect(requests[1].changes.contains("sale-stored"))
            let purchase = try await Self.listed("pi_1", from: client)
            #expect(purchase.map(\.id) == [ids[1]], "\(purchase)")
            #expect(purchase[0].changes.contains("payment-event-stored") && purchase[0].changes.contains("sale-stored"))
        }
    }

    @Test("The sales of one batch have its id; lines have that of their order")
    func batchAndOrder() async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            let order = """
                {"saleId":"o","bundleId":"com.example.shop","type":"purchase","occurredAt":"2026-11-20T11:59:00Z","checkoutId":"c",
                "lines":[{"productId":"a","quantity":1,"amount":{"currency":"EUR","inclusive":"1.21","taxRate":"21","taxCountry":"NLD"}},
                {"productId":"b","quantity":1,"amount":{"currency":"EUR","inclusive":"2.42","taxRate":"21","taxCountry":"NLD"}}]}
                """
            let items = "{\"items\":[{\"sale\":\(Self.sale("a", checkout: "c"))},{\"sale\":\(order)}]}"
            let answer = try await Self.post("/v1/batch", items, to: client)
            #expect(answer.status == .ok, "\(answer.json)")
            let id = try Self.id(answer)
            for sale in ["a", "o"] {
                #expect(try await Self.listed(sale, from: client).map(\.id) == [id], "\(sale)")
            }
        }
    }

    @Test(
        "The id of a trusted proxy counts if it is one; every other text is replaced by an id of the server's",
        arguments: [
            ("req-42.A_b", true, true), ("req-42", false, false), ("", true, false),
            (String(repeating: "a", count: 128), true, true), (String(repeating: "a", count: 129), true, false),
            ("a b", true, false), ("a\"},{\"x\":\"", true, false), ("é", true, false),
        ]
    )
    func proxies(_ sent: String, isTrusted: Bool, isTaken: Bool) async throws {
        let server = try ServerFixture()
        var proxies = TrustedProxies()
        if isTrusted { try proxies.insert("127.0.0.1") }
        try await server.application(trustedProxies: proxies).test(.live) { client in
            let answer = try await Self.post("/v1/sales", Self.sale("s", checkout: "c"), id: sent, to: client)
            #expect(answer.status == .created, "\(answer.json)")
            let id = try Self.id(answer)
            #expect((id == sent) == isTaken, "\(id)")
            #expect(try await Self.listed("s", from: client).map(\.id) == [id])
        }
    }

    @Test("Work that no request waited for, and sales from before, have none; the page of such a sale has no list")
    func absent() async throws {
        let server = try ServerFixture()
        let command = try SaleCommand(
            body: try JSONReader().read(Self.sale("s", checkout: "c")),
            apps: server.merchant.apps,
            caller: .anybody
        )
        _ = try await server.merchant.sales.receive(command)
        try await server.application.test(.router) { client in
            let listed = try await Self.listed("s", from: client)
            #expect(listed.isEmpty)
        }
    }

    @Test("After the erasure of its customer the requests are as before, and name nobody")
    func erasure() async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            let body = Self.sale("s", checkout: "c", more: #","customerId":"anna-4711""#)
            _ = try await Self.post("/v1/sales", body, to: client)
            let before = try await Self.listed("s", from: client)
            let erased = try await Self.post(
                "/v1/erasures",
                #"{"bundleId":"com.example.shop","customerId":"anna-4711"}"#,
                to: client
            )
            #expect(erased.status.code < 300, "\(erased.json)")
            let one = try await client.execute(uri: "/v1/sales/s", method: .get)
            #expect(try Self.listed(one) == before && before.count == 1)
            #expect(!String(buffer: one.body).contains("anna"))
        }
    }
}

extension [String] {
    fileprivate var removingRepetitions: [String] {
        var known: Set<String> = []
        return filter { known.insert($0).inserted }
    }
}

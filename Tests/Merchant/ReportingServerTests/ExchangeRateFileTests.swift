import ExternalPurchaseCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Ledger
import NIOCore
import Reporting
import Testing

@testable import ReportingServer

@Suite("Rates of a file fill what sales lack, and change nothing that has a rate (RR-48)")
struct ExchangeRateFileTests {
    private static func table(_ rates: [(from: String, to: String, asOf: String, rate: String)]) throws -> RateTable {
        var table = RateTable()
        for rate in rates {
            let quoted = QuotedRate(
                rate: try #require(ExchangeRate(rate.rate)),
                source: "Bloomberg",
                asOf: try #require(Timestamp(rfc3339: rate.asOf)),
                to: rate.to
            )
            let isAdded = table.add(quoted, from: rate.from)
            #expect(isAdded)
        }
        return table
    }

    private static func fixture(_ rates: ExchangeRates) throws -> ServerFixture {
        var dependencies = ReportingDependencies.live
        dependencies.rates = rates
        return try ServerFixture(dependencies: dependencies)
    }

    private static func purchase(_ id: String, country: String? = "ISL", more: String = "") -> String {
        let place = country.map { #","taxCountry":"\#($0)""# } ?? ""
        return """
            {"saleId":"\(id)","bundleId":"com.example.shop","occurredAt":"2026-11-20T11:00:00Z","type":"purchase"\(more),
            "productId":"gems","quantity":1,"amount":{"currency":"ISK","inclusive":"1490","taxRate":"24"\(place)}}
            """
    }

    private static func post(_ client: any TestClientProtocol, _ body: String) async throws -> (
        status: Int, json: JSONObject
    ) {
        try await client.execute(
            uri: "/v1/sales",
            method: .post,
            headers: [.contentType: "application/json"],
            body: ByteBuffer(string: body)
        ) { answer in
            (
                answer.status.code,
                try JSONReader().read(Array(answer.body.readableBytesView)).objectValue ?? JSONObject()
            )
        }
    }

    private static func sale(_ client: any TestClientProtocol, _ id: String) async throws -> JSONObject {
        try await client.execute(uri: "/v1/sales/\(id)", method: .get) { answer in
            try JSONReader().read(Array(answer.body.readableBytesView)).objectValue ?? JSONObject()
        }
    }

    private static func rate(_ answer: JSONObject) -> String? {
        answer["sale"]?.objectValue?["amount"]?.objectValue?["exchangeRate"]?.objectValue?["rate"]?.stringValue
    }

    private static func isHeldForRate(_ answer: JSONObject) -> Bool {
        answer["flags"]?.arrayValue?.contains("no-exchange-rate") == true
    }

    @Test("The last rate before a sale counts, else the first one after it, at most 48 hours away")
    func table() throws {
        let table = try Self.table([
            ("ISK", "EUR", "2026-11-16T00:00:00Z", "0.1"), ("ISK", "EUR", "2026-11-20T00:00:00Z", "0.3"),
            ("ISK", "EUR", "2026-11-18T00:00:00Z", "0.2"), ("ISK", "USD", "2026-11-18T00:00:00Z", "0.9"),
        ])
        #expect(table.count == 4)
        let cases: [(moment: String, rate: String?)] = [
            ("2026-11-13T23:59:59Z", nil), ("2026-11-14T00:00:00Z", "0.1"), ("2026-11-16T00:00:00Z", "0.1"),
            ("2026-11-17T23:59:59Z", "0.1"), ("2026-11-18T00:00:00Z", "0.2"), ("2026-11-19T23:00:00Z", "0.2"),
            ("2026-11-20T00:00:00Z", "0.3"), ("2026-11-22T00:00:00Z", "0.3"), ("2026-11-22T00:00:01Z", nil),
        ]
        for (moment, rate) in cases {
            let found = table.rate(from: "ISK", to: "EUR", at: try #require(Timestamp(rfc3339: moment)))
            #expect(found?.rate.text == rate, "\(moment)")
        }
        #expect(table.rate(from: "KWD", to: "EUR", at: Timestamp(milliseconds: 0)) == nil)
    }

    @Test("A sale gets its rate at intake, and a repetition without one is known")
    func intake() async throws {
        let rates = ExchangeRates(try Self.table([("ISK", "EUR", "2026-11-20T00:00:00Z", "0.0069")]))
        let server = try Self.fixture(rates)
        try await server.application.test(.router) { client in
            let first = try await Self.post(client, Self.purchase("a"))
            #expect(first.status == 201)
            #expect(first.json["reportingCurrency"] == "EUR", "\(first.json)")
            #expect(!Self.isHeldForRate(first.json))
            #expect(Self.rate(try await Self.sale(client, "a")) == "0.0069")
            #expect(try await Self.post(client, Self.purchase("a")).status == 200)
            // An amendment without a rate keeps it, and its repetition is no further version.
            let amends = #","amends":true,"by":"kim""#
            #expect(try await Self.post(client, Self.purchase("a", more: amends)).status == 200)
            let version = try await Self.sale(client, "a")["version"]?.int64Value ?? 1
            #expect(version == 1)
            // The tax country decides on the currency: without it there is no rate yet.
            let second = try await Self.post(client, Self.purchase("b", country: nil))
            #expect(second.json["reportingCurrency"]?.stringValue == nil, "\(second.json)")
            let completed = try await Self.post(client, Self.purchase("b"))
            #expect(completed.json["reportingCurrency"] == "EUR", "\(completed.json)")
            // Into dollars there is no rate.
            let third = try await Self.post(client, Self.purchase("c", country: "USA"))
            #expect(Self.isHeldForRate(third.json), "\(third.json)")
        }
    }

    @Test("A held sale goes on when its rate comes; another rate changes nothing then")
    func held() async throws {
        let rates = ExchangeRates(try Self.table([("ISK", "EUR", "2026-11-18T10:59:59Z", "0.0060")]))
        let server = try Self.fixture(rates)
        let merchant = server.merchant
        let order = """
            {"saleId":"o","bundleId":"com.example.shop","occurredAt":"2026-11-20T11:00:00Z","type":"purchase","lines":[
            {"productId":"a","quantity":1,"amount":{"currency":"ISK","inclusive":"100","taxRate":"24","taxCountry":"ISL"}},
            {"productId":"b","quantity":1,"amount":{"currency":"ISK","inclusive":"200","taxRate":"24","taxCountry":"ISL"}}]}
            """
        try await server.application.test(.router) { client in
            for body in [Self.purchase("a"), order] {
                #expect(Self.isHeldForRate(try await Self.post(client, body).json))
            }
            #expect(try await merchant.sales.fillRates() == 0)
            rates.keep()
            let ready = try await client.execute(uri: "/health/ready", method: .get) { answer in
                #expect(answer.status == .ok)
                return String(buffer: answer.body)
            }
            #expect(ready.contains(#""check":"rates""#), "\(ready)")
            rates.replace(by: try Self.table([("ISK", "EUR", "2026-11-22T11:00:00Z", "0.0070")]))
            #expect(try await merchant.sales.fillRates() == 2)
            for id in ["a", "o"] {
                let sale = try await Self.sale(client, id)
                #expect(!Self.isHeldForRate(sale), "\(sale)")
                #expect(sale["reportingCurrency"] == "EUR", "\(sale)")
            }
            rates.replace(by: try Self.table([("ISK", "EUR", "2026-11-20T10:00:00Z", "0.0071")]))
            #expect(try await merchant.sales.fillRates() == 0)
            #expect(Self.rate(try await Self.sale(client, "a")) == "0.0070")
        }
    }
}

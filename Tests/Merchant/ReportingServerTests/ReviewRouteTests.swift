import ExternalPurchaseCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import LedgerTesting
import NIOCore
import ReportValidation
import Reporting
import Testing

@Suite("POST /v1/review: what a person decides")
struct ReviewRouteTests {
    /// A report that Apple refused because of the date of its sale; the emulator can be made milder.
    private static func refused(_ test: @escaping @Sendable (EmulatedMerchant, String) async throws -> Void)
        async throws
    {
        var settings = ReportingSettings()
        settings.isPreflightOn = false
        try await EmulatedMerchant.run(emulator: ["rules.plainTokenRange=on"], settings: settings) { sides in
            let checkout = try await sides.receiveToken()
            try await sides.sell("s", checkout: checkout, at: "2026-11-10T11:00:00Z")
            await sides.runUntilIdle()
            #expect(try await sides.states() == ["withdrawn"])
            try await test(sides, checkout)
        }
    }

    @Test("Retry sends the sale in a new report, accepted once, and says who and why")
    func retry() async throws {
        try await Self.refused { sides, checkout in
            try await sides.sell("later", checkout: checkout)
            await sides.runUntilIdle()
            // The later sale went out meanwhile, in a report of its own.
            #expect(try await sides.acceptances() == ["later": 1])
            try await sides.change("rules.plainTokenRange", to: "off")
            let answer = try await sides.post(
                "/v1/review/1",
                #"{"action":"retry","by":"kim","note":"Apple's rule changed"}"#
            )
            #expect(answer.status == .ok, "\(answer.json)")
            let item = answer.json["item"] as? [String: Any]
            #expect(item?["resolvedBy"] as? String == "kim")
            #expect(item?["note"] as? String == "retry: Apple's rule changed")
            await sides.runUntilIdle()
            #expect(try await sides.states() == ["withdrawn", "accepted", "accepted"])
            #expect(try await sides.acceptances() == ["s": 1, "later": 1])
            let ids = try await sides.puts().compactMap {
                try JSONReader().read($0).objectValue?["requestIdentifier"]?.stringValue
            }
            #expect(Set(ids).count == 3)
            let audit = try await sides.list("/v1/audit?limit=1000", "audit")
            #expect(audit.contains { $0["kind"] as? String == "attention-resolved" })
            let again = try await sides.post("/v1/review/1", #"{"action":"retry","by":"kim"}"#)
            #expect(again.status == .conflict)
            #expect((again.json["detail"] as? String)?.contains("closed by kim") == true)
            #expect(again.headers[.contentType] == "application/problem+json")
        }
    }

    @Test("Refused again, it waits again under a new number, and nothing is lost or doubled")
    func refusedAgain() async throws {
        try await Self.refused { sides, _ in
            #expect(try await sides.post("/v1/review/1", #"{"action":"retry","by":"kim"}"#).status == .ok)
            await sides.runUntilIdle()
            #expect(try await sides.states() == ["withdrawn", "withdrawn"])
            let open = try await sides.list("/v1/review", "review")
            #expect(open.map { $0["sequence"] as? Int } == [2])
            try await sides.change("rules.plainTokenRange", to: "off")
            #expect(try await sides.post("/v1/review/2", #"{"action":"retry","by":"kim"}"#).status == .ok)
            await sides.runUntilIdle()
            #expect(try await sides.states() == ["withdrawn", "withdrawn", "accepted"])
            #expect(try await sides.acceptances() == ["s": 1])
        }
    }

    @Test("Resolve closes it: the sale stays held and not reported, and the token's later sales go on")
    func resolve() async throws {
        try await Self.refused { sides, checkout in
            let answer = try await sides.post(
                "/v1/review/1",
                #"{"action":"resolve","by":"kim","note":"handed in by hand"}"#
            )
            #expect(answer.status == .ok, "\(answer.json)")
            try await sides.sell("later", checkout: checkout)
            await sides.runUntilIdle()
            #expect(try await sides.states() == ["withdrawn", "accepted"])
            let sales = try await sides.list("/v1/sales", "sales")
            #expect(sales.map { $0["standing"] as? String } == ["held", "reported"])
            #expect((sales.first?["flags"] as? [String])?.contains("report-refused") == true)
            #expect(try await sides.list("/v1/review", "review").isEmpty)
            #expect(try await sides.acceptances() == ["later": 1])
        }
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let path: String
        let body: String
        let status: Int
        let names: String
        var testDescription: String { "\(path) \(body)" }
    }

    @Test(
        "What is wrong is refused with a problem that says where, and changes nothing",
        arguments: [
            Wrong(path: "2", body: #"{"action":"retry","by":"kim"}"#, status: 404, names: "no review item 2"),
            Wrong(path: "0", body: #"{"action":"retry","by":"kim"}"#, status: 404, names: "0"),
            Wrong(path: "x", body: #"{"action":"retry","by":"kim"}"#, status: 404, names: "x"),
            Wrong(path: "9223372036854775807", body: #"{"action":"retry","by":"k"}"#, status: 404, names: "item"),
            Wrong(path: "1", body: "{", status: 400, names: "JSON"),
            Wrong(path: "1", body: "[]", status: 422, names: "object"),
            Wrong(path: "1", body: #"{"action":"again","by":"kim"}"#, status: 422, names: "/action"),
            Wrong(path: "1", body: #"{"by":"kim"}"#, status: 422, names: "/action"),
            Wrong(path: "1", body: #"{"action":"retry"}"#, status: 422, names: "/by"),
            Wrong(path: "1", body: #"{"action":"retry","by":""}"#, status: 422, names: "/by"),
            Wrong(path: "1", body: #"{"action":"resolve","by":"kim"}"#, status: 422, names: "/note"),
            Wrong(path: "1", body: #"{"action":"retry","by":"kim","why":"x"}"#, status: 422, names: "/why"),
            // Apple refused the date and does not say that it has the sale.
            Wrong(path: "1", body: #"{"action":"accepted","by":"kim"}"#, status: 409, names: "requestIdentifier"),
            Wrong(
                path: "1",
                body: #"{"action":"accepted","by":"kim","requestIdentifier":"x"}"#,
                status: 422,
                names: "/requestIdentifier"
            ),
            Wrong(
                path: "1",
                body: #"{"action":"retry","by":"kim","requestIdentifier":"9c8b7a6d-0000-4000-8000-000000000001"}"#,
                status: 422,
                names: "/requestIdentifier"
            ),
            Wrong(
                path: "1",
                body: #"{"action":"accepted","by":"kim","requestIdentifier":"9c8b7a6d-0000-4000-8000-000000000001"}"#,
                status: 409,
                names: "Apple has no report"
            ),
        ]
    )
    func wrong(_ row: Wrong) async throws {
        try await Self.refused { sides, _ in
            let answer = try await sides.post("/v1/review/\(row.path)", row.body)
            #expect(Int(answer.status.code) == row.status, "\(answer.json)")
            #expect((answer.json["detail"] as? String)?.contains(row.names) == true, "\(answer.json)")
            #expect(answer.headers[.contentType] == "application/problem+json")
            #expect(try await sides.list("/v1/review", "review").count == 1)
            #expect(try await sides.states() == ["withdrawn"])
        }
    }

    @Test("The figures are text as Prometheus reads it, and are told not to be kept")
    func figures() async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            let figures = try await client.execute(uri: "/metrics", method: .get)
            #expect(figures.status == .ok)
            #expect(figures.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(figures.headers[.cacheControl] == "no-store")
            let text = String(buffer: figures.body)
            #expect(text.contains("# TYPE external_purchase_due gauge\n"))
            #expect(text.hasSuffix("\n"))
        }
    }

    @Test("A store that fails is said so, by figures as by decisions")
    func fullStore() async throws {
        let server = try ServerFixture(store: FaultyLedgerStore.full)
        try await server.application.test(.router) { client in
            let figures = try await client.execute(uri: "/metrics", method: .get)
            #expect(figures.status == .serviceUnavailable)
            let decision = try await client.execute(
                uri: "/v1/review/1",
                method: .post,
                headers: [.contentType: "application/json"],
                body: ByteBuffer(string: #"{"action":"retry","by":"kim"}"#)
            )
            #expect(decision.status == .serviceUnavailable)
            #expect(decision.json["detail"] as? String == "nothing of the request was stored; send it again")
        }
    }
}

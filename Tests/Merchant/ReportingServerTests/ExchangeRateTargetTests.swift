import ExternalPurchaseCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Ledger
import NIOCore
import Reporting
import Testing

@testable import ReportingServer

@Suite("A rate leads into the reporting currency, or the sale is refused or held (RR-45, RR-51)")
struct ExchangeRateTargetTests {
    /// A way to tell the server of money in a currency that needs a rate.
    enum Form: String, CaseIterable, Sendable {
        case purchase, subscription, lines, amendment, batch

        /// - Parameter amount: the object `amount`.
        func body(_ id: String, _ amount: String) -> String {
            let head = """
                "saleId":"\(id)","bundleId":"com.example.shop","occurredAt":"2026-11-20T11:00:00Z",
                """
            switch self {
            case .purchase, .amendment:
                let amends = self == .amendment ? #""amends":true,"by":"kim","# : ""
                return #"{\#(head)\#(amends)"type":"purchase","productId":"gems","quantity":1,"amount":\#(amount)}"#
            case .subscription:
                return """
                    {\(head)"type":"subscription","productId":"plan","subscriptionId":"sub","amount":\(amount),
                    "period":{"start":"2026-11-20T11:00:00Z","end":"2026-12-20T11:00:00Z"}}
                    """
            case .lines:
                return """
                    {\(head)"type":"purchase","lines":[{"productId":"a","quantity":1,"amount":\(amount)},
                    {"productId":"b","quantity":1,"amount":\(amount)}]}
                    """
            case .batch:
                return #"{"items":[{"sale":\#(Self.purchase.body(id, amount))}]}"#
            }
        }

        var path: String { self == .batch ? "/v1/batch" : "/v1/sales" }

        var pointers: [String] {
            self == .lines
                ? ["/lines/0/amount/exchangeRate/to", "/lines/1/amount/exchangeRate/to"]
                : ["/amount/exchangeRate/to"]
        }
    }

    private static func amount(country: String?, to: String?, rate: String = "3.2511") -> String {
        let target = to.map { #","to":"\#($0)""# } ?? ""
        let place = country.map { #","taxCountry":"\#($0)""# } ?? ""
        return """
            {"currency":"KWD","inclusive":"10","tax":"1.000"\(place),
            "exchangeRate":{"rate":"\(rate)","source":"Bloomberg","asOf":"2026-11-20T10:00:00Z"\(target)}}
            """
    }

    /// The reporting currency by RR-51, as the test knows it: the Netherlands and Iceland are in the EEA.
    private static func wanted(_ country: String, _ setting: ForeignCurrency) -> String {
        switch setting {
        case .automatic: ["NLD", "ISL"].contains(country) ? "EUR" : "USD"
        case .euro: "EUR"
        case .usDollar: "USD"
        }
    }

    @Test(
        "Every form takes `to`, refuses another currency by its path, and answers with the one that was used",
        arguments: Form.allCases,
        ForeignCurrency.allCases
    )
    func forms(_ form: Form, _ setting: ForeignCurrency) async throws {
        var settings = ReportingSettings()
        settings.foreignCurrency = setting
        let server = try ServerFixture(settings: settings)
        try await server.application.test(.router) { client in
            var count = 0
            for country in ["NLD", "ISL", "USA", "CHE", "KWT"] {
                for to in [nil, "EUR", "USD"] {
                    count += 1
                    let id = "sale-\(count)"
                    if form == .amendment {
                        let first = #"{"currency":"KWD","inclusive":"9","tax":"1.000","taxCountry":"\#(country)"}"#
                        let stored = try await Self.post(client, "/v1/sales", Form.purchase.body(id, first))
                        #expect(stored.status == .created)
                    }
                    let wanted = Self.wanted(country, setting)
                    let body = form.body(id, Self.amount(country: country, to: to))
                    let answer = try await Self.post(client, form.path, body)
                    let result = (answer.json["results"] as? [[String: Any]])?.first
                    let status = result?["status"] as? Int ?? answer.status.code
                    let json = result?["body"] as? [String: Any] ?? answer.json
                    if let to, to != wanted {
                        #expect(status == 422, "\(country) \(to)")
                        let paths = (json["errors"] as? [[String: Any]] ?? []).map { $0["path"] as? String }
                        #expect(paths == form.pointers)
                    } else {
                        #expect((200...201).contains(status), "\(country): \(String(buffer: answer.body))")
                        #expect(json["reportingCurrency"] as? String == wanted)
                        // Sending the same again changes nothing, whether it says the currency or not.
                        for other in [nil, wanted] where form != .amendment {
                            let again = form.body(id, Self.amount(country: country, to: other))
                            let same = try await Self.post(client, form.path, again)
                            let result = (same.json["results"] as? [[String: Any]])?.first
                            #expect(result?["status"] as? Int ?? same.status.code == 200)
                        }
                        let detail = try await client.execute(uri: "/v1/sales/\(id)", method: .get).json
                        #expect(detail["reportingCurrency"] as? String == wanted)
                        #expect(detail["version"] as? Int == (form == .amendment ? 2 : 1))
                    }
                }
            }
        }
    }

    @Test("Only EUR and USD are currencies that a rate can lead into", arguments: ["GBP", "eur", "", "EURO", "KWD"])
    func unknownTarget(_ to: String) async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            let body = Form.purchase.body("sale", Self.amount(country: "NLD", to: to))
            let answer = try await Self.post(client, "/v1/sales", body)
            #expect(answer.status == .unprocessableContent)
            let paths = (answer.json["errors"] as? [[String: Any]] ?? []).map { $0["path"] as? String }
            #expect(paths == ["/amount/exchangeRate/to"])
        }
    }

    @Test(
        "A tax country that arrives later is refused where the stated rate leads elsewhere, and decides where none is"
    )
    func laterCountry() async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            func send(_ id: String, _ country: String?, _ to: String?) async throws -> TestResponse {
                try await Self.post(
                    client,
                    "/v1/sales",
                    Form.purchase.body(id, Self.amount(country: country, to: to))
                )
            }
            #expect(try await send("stated", nil, "USD").status == .created)
            #expect(try await send("stated", "NLD", nil).status == .unprocessableContent)
            let known = try await send("stated", "KWT", nil)
            #expect(known.status == .ok)
            #expect(known.json["reportingCurrency"] as? String == "USD")

            let open = try await send("open", nil, nil)
            #expect(open.status == .created)
            #expect(open.json["reportingCurrency"] is NSNull)
            #expect(try await send("open", "NLD", nil).json["reportingCurrency"] as? String == "EUR")
            // From now on it is a rate into euros.
            #expect(try await send("open", nil, "USD").status == .conflict)
        }
    }

    private static func post(
        _ client: some TestClientProtocol,
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

import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LedgerTesting
import NIOCore
import ReportingServer
import Testing

@Suite("Records over HTTP")
struct RecordRouteTests {
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

    private static func invoice(_ amount: String, id: String = "A-1", currency: String = "EUR") -> String {
        """
        {"invoiceId":"\(id)","programme":"eu-2026-10","month":"2026-11","issuedOn":"2026-12-15","currency":"\(currency)",
        "amount":"\(amount)","by":"kim"}
        """
    }

    @Test("An invoice is entered once, a credit beside it, and the month shows their sum (OB-80, OB-81)")
    func invoices() async throws {
        let fixture = try ServerFixture()
        try await fixture.application.test(.router) { client in
            let query = "/v1/invoices?month=2026-11&programme=eu-2026-10"
            try await client.execute(uri: query, method: .get) { response in
                #expect((response.json["money"] as? [Any])?.isEmpty == true)
                #expect((response.json["payment"] as? [String: Any])?["due"] is NSNull)
            }
            let first = try await Self.post(client, "/v1/invoices", Self.invoice("12.50"))
            #expect(first.status == .created, "\(first.json)")
            #expect(first.json["amount"] as? String == "12.5")
            let again = try await Self.post(client, "/v1/invoices", Self.invoice("12.5"))
            #expect(again.status == .ok)
            let other = try await Self.post(client, "/v1/invoices", Self.invoice("13"))
            #expect(other.status == .conflict)
            // Apple's number is compared by scalars: another spelling is another invoice.
            for id in ["R\u{E9}-1", "Re\u{301}-1"] {
                let spelled = try await Self.post(client, "/v1/invoices", Self.invoice("0.50", id: id))
                #expect(spelled.status == .created, "\(spelled.json)")
            }
            let credit = try await Self.post(client, "/v1/invoices", Self.invoice("-3.25", id: "A-2"))
            #expect(credit.status == .created)
            try await client.execute(uri: query, method: .get) { response in
                let money = (response.json["money"] as? [[String: Any]])?.first
                #expect(money?["invoiced"] as? String == "10.25")
                #expect(money?["difference"] as? String == "10.25")
                #expect((response.json["payment"] as? [String: Any])?["due"] as? String == "2027-01-14")
                #expect((response.json["invoices"] as? [Any])?.count == 4)
            }
        }
    }

    @Test(
        "What is wrong is refused by its place",
        arguments: [
            ("/v1/invoices", "{}", 422, "/invoiceId"),
            ("/v1/invoices", invoice("1,50"), 422, "/amount"),
            ("/v1/invoices", invoice("1.50", currency: "EURO"), 422, "/currency"),
            ("/v1/invoices", invoice("1.50").replacing("2026-11", with: "2026-13"), 422, "/month"),
            ("/v1/invoices", invoice("1.50").replacing("eu-2026-10", with: "eu"), 422, "eu-2025-06"),
            ("/v1/erasures", #"{"bundleId":"com.example.shop"}"#, 422, "/customerId"),
            ("/v1/erasures", #"{"bundleId":"com.other","customerId":"c"}"#, 422, "/bundleId"),
            ("/v1/erasures", #"{"bundleId":"com.example.shop","customerId":"c","x":1}"#, 422, "/x"),
            ("/v1/erasures", #"{"bundleId":"com.example.shop","customerId":"c"}"#, 404, "no customer"),
            ("/v1/exports/2026-13/submitted", #"{"on":"2026-01-01","by":"k","reference":"r"}"#, 422, "the path: "),
            ("/v1/exports/2026-11/submitted", #"{"on":"2026-01-01","by":"k","reference":"r"}"#, 422, "/programme"),
            ("/v1/exports/2026-11/submitted", #"{"on":"2026-02-30","by":"k","reference":"r"}"#, 422, "/on"),
            // The former name of the path, for one more version.
            ("/v1/exports/2026-11/handed-in", #"{"on":"2026-02-30","by":"k","reference":"r"}"#, 422, "/on"),
            ("/v1/exports/2026-11/withdrawn", #"{"exportId":"e","by":"k","reason":"r"}"#, 404, "no manual export"),
        ]
    )
    func refusals(path: String, body: String, status: Int, says: String) async throws {
        let fixture = try ServerFixture()
        try await fixture.application.test(.router) { client in
            let answer = try await Self.post(client, path, body)
            #expect(answer.status.code == status, "\(answer.json)")
            #expect((answer.json["detail"] as? String)?.contains(says) == true, "\(answer.json)")
        }
    }

    @Test(
        "A choice that a query leaves open or gets wrong is refused by its parameter",
        arguments: [
            ("month=2026-13", "?month: \"2026-13\" is not a month"),
            ("month=2026-11", "?programme: has to name one"),
            ("month=2026-11&programme=eu", "?programme: is no programme"),
            ("month=2026-11&bundleId=com.other", "?bundleId: is none of the apps"),
        ]
    )
    func queries(query: String, says: String) async throws {
        let fixture = try ServerFixture()
        try await fixture.application.test(.router) { client in
            try await client.execute(uri: "/v1/invoices?\(query)", method: .get) { response in
                #expect(response.status == .unprocessableContent)
                #expect((response.json["detail"] as? String)?.hasPrefix(says) == true, "\(response.json)")
            }
        }
    }

    @Test(
        "A store that fails is said, and nothing is taken for done",
        arguments: [
            ("/v1/erasures", #"{"bundleId":"com.example.shop","customerId":"c"}"#),
            ("/v1/invoices", invoice("1.50")),
            (
                "/v1/exports/2026-11/submitted",
                #"{"programme":"eu-2026-10","on":"2026-01-01","by":"k","reference":"r"}"#
            ),
        ]
    )
    func fullDisk(path: String, body: String) async throws {
        let fixture = try ServerFixture(store: FaultyLedgerStore.full)
        try await fixture.application.test(.router) { client in
            let answer = try await Self.post(client, path, body)
            #expect(answer.status == .serviceUnavailable, "\(answer.json)")
        }
    }
}

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

    private static func invoice(
        _ amount: String,
        id: String = "A-1",
        currency: String = "EUR",
        more: String? = nil
    ) -> String {
        """
        {"invoiceId":"\(id)","programme":"eu-2026-10","month":"2026-11","issuedOn":"2026-12-15","currency":"\(currency)",
        \(more.map { "\($0)," } ?? "")"amount":"\(amount)","by":"kim"}
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
            #expect(first.json["amount"] as? String == "12.50")
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
        "An invoice of another programme, or with a date that cannot be, is refused with its member (OB-80)",
        arguments: [
            ("eu-2026-10", "jp", "/programme", "is not a programme of"),
            ("eu-2026-10", "none", "/programme", "is no programme"),
            ("2026-12-15", "0001-01-01", "/issuedOn", "before the end of"),
            ("2026-12-15", "2026-11-27", "/issuedOn", "before the end of"),
            ("2026-12-15", "2062-12-15", "/issuedOn", "too far in the future"),
            ("2026-12-15", "9999-12-31", "/issuedOn", "too far in the future"),
            ("2026-12-15\"", "2026-12-15\",\"dueOn\":\"2072-12-15\"", "/dueOn", "more than 366 days after"),
            ("2026-11\"", "2019-11\"", "/month", "is not a month"),
        ]
    )
    func impossibleInvoice(_ right: String, _ wrong: String, _ path: String, _ words: String) async throws {
        let fixture = try ServerFixture(programmes: ["eu-custom-link"])
        try await fixture.application.test(.router) { client in
            let body = Self.invoice("12.50")
            #expect(body.contains(right))
            let answer = try await Self.post(client, "/v1/invoices", body.replacing(right, with: wrong))
            #expect(answer.status == .unprocessableContent, "\(answer.json)")
            let errors = answer.json["errors"] as? [[String: Any]]
            #expect(errors?.first?["path"] as? String == path, "\(answer.json)")
            #expect((errors?.first?["message"] as? String)?.contains(words) == true, "\(answer.json)")
            #expect(try await Self.post(client, "/v1/invoices", body).status == .created)
        }
    }

    @Test("Of an invoice's parts the commission alone meets the estimate, and its due date counts (OB-80, OB-81)")
    func invoiceParts() async throws {
        let fixture = try ServerFixture()
        try await fixture.application.test(.router) { client in
            func body(_ more: String) -> String { Self.invoice("128.40", more: more) }
            let parts = #""surcharge":"1.28","tax":"27.23","dueOn":"2027-01-04","purchaseOrder":"PO-7""#
            let wrong = try await Self.post(client, "/v1/invoices", body(parts + #","total":"156.90""#))
            #expect(wrong.status == .unprocessableContent)
            let detail = wrong.json["detail"] as? String ?? ""
            #expect(detail.contains("/total") && detail.contains("128.40 + 1.28 + 27.23 is 156.91"), "\(detail)")
            let entered = try await Self.post(client, "/v1/invoices", body(parts + #","total":"156.91""#))
            #expect(entered.status == .created, "\(entered.json)")
            for (name, value) in [
                ("amount", "128.40"), ("surcharge", "1.28"), ("tax", "27.23"), ("total", "156.91"),
                ("dueOn", "2027-01-04"), ("purchaseOrder", "PO-7"),
            ] {
                #expect(entered.json[name] as? String == value)
            }
            // The total follows from the parts and need not be stated; another part is another invoice.
            #expect(try await Self.post(client, "/v1/invoices", body(parts)).status == .ok)
            let other = try await Self.post(client, "/v1/invoices", body(#""tax":"27.23""#))
            #expect(other.status == .conflict)
            #expect((other.json["detail"] as? String)?.contains("128.40 EUR of 2026-12-15, due 2027-01-04") == true)
            let query = "/v1/invoices?month=2026-11&programme=eu-2026-10"
            try await client.execute(uri: query, method: .get) { response in
                let money = (response.json["money"] as? [[String: Any]])?.first
                for (name, value) in [
                    ("invoiced", "128.40"), ("difference", "128.40"), ("surcharge", "1.28"), ("tax", "27.23"),
                    ("total", "156.91"), ("estimate", "0.00"), ("reportedNet", "0.00"),
                ] {
                    #expect(money?[name] as? String == value, "\(name)")
                }
                let payment = response.json["payment"] as? [String: Any]
                #expect(payment?["due"] as? String == "2027-01-04")
                #expect((payment?["reason"] as? String)?.contains("A-1") == true)
            }
            // One of the same day without a date, entered later, takes the date away from neither.
            let later = Self.invoice("1.00", id: "A-2")
            #expect(try await Self.post(client, "/v1/invoices", later).status == .created)
            try await client.execute(uri: query, method: .get) { response in
                #expect((response.json["payment"] as? [String: Any])?["due"] as? String == "2027-01-04")
            }
        }
    }

    @Test(
        "What is wrong is refused by its place",
        arguments: [
            ("/v1/invoices", "{}", 422, "/invoiceId"),
            ("/v1/invoices", invoice("1,50"), 422, "/amount"),
            ("/v1/invoices", invoice("1.50", currency: "EURO"), 422, "/currency"),
            ("/v1/invoices", invoice("1.505"), 422, "/amount"),
            ("/v1/invoices", invoice("150.5", currency: "JPY"), 422, "/amount"),
            ("/v1/invoices", invoice("1.50", more: #""tax":"x""#), 422, "/tax"),
            ("/v1/invoices", invoice("1.50", more: #""surcharge":1"#), 422, "/surcharge"),
            ("/v1/invoices", invoice("1.50", more: #""total":"2""#), 422, "/total"),
            ("/v1/invoices", invoice("1.50", more: #""dueOn":"2026-12-14""#), 422, "/dueOn"),
            ("/v1/invoices", invoice("1.50").replacing("2026-11", with: "2026-13"), 422, "/month"),
            ("/v1/invoices", invoice("1.50").replacing("eu-2026-10", with: "eu"), 422, "eu-2025-06"),
            ("/v1/erasures", #"{"bundleId":"com.example.shop"}"#, 422, "/customerId"),
            ("/v1/erasures", #"{"bundleId":"com.other","customerId":"c"}"#, 422, "/bundleId"),
            ("/v1/erasures", #"{"bundleId":"com.example.shop","customerId":"c","x":1}"#, 422, "/x"),
            ("/v1/erasures", #"{"bundleId":"com.example.shop","customerId":"c"}"#, 404, "no customer"),
            ("/v1/exports/2026-13/submitted", #"{"on":"2026-01-01","by":"k","reference":"r"}"#, 422, "the path: "),
            ("/v1/exports/2026-11/submitted", #"{"on":"2026-01-01","by":"k","reference":"r"}"#, 422, "/programme"),
            ("/v1/exports/2026-11/submitted", #"{"on":"2026-02-30","by":"k","reference":"r"}"#, 422, "/on"),
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

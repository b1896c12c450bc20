import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
import Testing

@testable import Payments
@testable import Reporting
@testable import ReportingServer

/// Events of Paddle Billing, in the shapes of its documents.
enum PaddleDelivery {
    static let secret = "pdl_ntfset_01hbpjmytsa32fhr36nqgc3kgb_test"

    static func source(secrets: [String] = [secret], take: PaymentAccount.Take = .referenced) -> PaddleSource {
        let account = PaymentAccount(bundleId: ServerFixture.bundleId, products: ["pri_1": "gems.100"], take: take)
        return PaddleSource(entries: [WebhookEntry(account: account, secrets: secrets, isLive: false)])
    }

    static func event(_ id: String, _ type: String, at moment: String, _ data: String) -> String {
        #"{"event_id":"\#(id)","event_type":"\#(type)","occurred_at":"\#(moment)","notification_id":"ntf_\#(id)","data":\#(data)}"#
    }

    static func address(_ country: String = "NL", id: String = "add_1") -> String {
        event(
            "evt_\(id)\(country)",
            "address.created",
            at: "2026-11-20T12:00:00Z",
            #"{"id":"\#(id)","country_code":"\#(country)","first_line":"Damrak 1","city":"Amsterdam","status":"active"}"#
        )
    }

    /// A transaction of one line item; what it cost in cents.
    static func transaction(
        _ id: String = "1",
        cents: Int64 = 999,
        status: String = "completed",
        checkout: String?,
        at moment: String = "2026-11-20T13:00:00Z",
        more: String = ""
    ) -> String {
        let custom = checkout.map { #"{"external_purchase_checkout":"\#($0)","note":"a secret note"}"# } ?? "null"
        let tax = cents * 21 / 121
        let totals = #"{"subtotal":"\#(cents - tax)","discount":"0","tax":"\#(tax)","total":"\#(cents)"}"#
        let data =
            #"{"id":"txn_\#(id)","status":"\#(status)","customer_id":"ctm_1","address_id":"add_1","currency_code":"EUR","#
            + #""origin":"web","collection_mode":"automatic","subscription_id":null,"billed_at":"\#(moment)","#
            + #""custom_data":\#(custom),"items":[{"quantity":1,"price":{"id":"pri_1","product_id":"pro_1","name":"Gems","#
            + #""billing_cycle":null}}],"details":{"totals":\#(totals),"line_items":[{"id":"txnitm_\#(id)","price_id":"pri_1","#
            + #""quantity":1,"tax_rate":"0.21","totals":\#(totals),"product":{"id":"pro_1","name":"Gems","#
            + #""image_url":"https://example.com/gems.png"}}]},"payments":[{"amount":"\#(cents)","status":"captured","#
            + #""method_details":{"type":"card","card":{"last4":"4242","cardholder_name":"Anna Jansen"}}}],"#
            + #""checkout":{"url":"https://example.com/pay?_ptxn=1"}\#(more)}"#
        return event("evt_txn_\(id)_\(status)", "transaction.\(status)", at: moment, data)
    }

    static func adjustment(
        _ id: String,
        _ action: String = "refund",
        _ status: String = "approved",
        cents: Int64,
        of transaction: String = "1",
        at moment: String = "2026-11-20T14:00:00Z"
    ) -> String {
        let totals = #"{"subtotal":"\#(cents)","tax":"0","total":"\#(cents)"}"#
        let data =
            #"{"id":"adj_\#(id)","action":"\#(action)","status":"\#(status)","transaction_id":"txn_\#(transaction)","#
            + #""customer_id":"ctm_1","currency_code":"EUR","reason":"the customer asked for it","created_at":"2026-11-20T14:00:00Z","#
            + #""totals":\#(totals),"items":[{"id":"adjitm_\#(id)","item_id":"txnitm_\#(transaction)","type":"partial","#
            + #""amount":"\#(cents)","totals":\#(totals)}]}"#
        let type = status == "pending_approval" ? "created" : "updated"
        return event("evt_adj_\(id)_\(status)", "adjustment.\(type)", at: moment, data)
    }

    @discardableResult
    static func post(
        _ body: String,
        secret: String = secret,
        at time: Timestamp = Timestamp(Date()),
        header: String? = nil,
        to client: any TestClientProtocol
    ) async throws -> TestResponse {
        let seconds = time.milliseconds / 1_000
        let value = header ?? PaddleSignature.value(of: Array(body.utf8), seconds: seconds, secret: secret)
        return try await client.execute(
            uri: "/v1/webhooks/paddle",
            method: .post,
            headers: CustomDelivery.fields([PaddleSignature.header: value]),
            body: ByteBuffer(string: body)
        )
    }
}

@Suite("Payments by events of Paddle")
struct PaddleTests {
    private typealias Paddle = PaddleDelivery

    @Test(
        "RR-101: the signature is that of the time, a colon and the body; every h1 is tried, and everything else refused"
    )
    func signatures() async throws {
        // Computed with openssl dgst -sha256 -hmac.
        let vector = PaddleSignature.value(of: Array("hello-world".utf8), seconds: 1_696_195_954, secret: "secret")
        #expect(vector == "ts=1696195954;h1=f96a7b63787febd7279e4088aa42e96958724019486d55d790a2b8fe02bcfdbc")
        let body = Paddle.transaction(checkout: nil)
        let now = Timestamp(Date())
        let seconds = now.milliseconds / 1_000
        let good = PaddleSignature.value(of: Array(body.utf8), seconds: seconds, secret: Paddle.secret)
        let h1 = good.split(separator: ";")[1]
        let stripe = StripeSignature.value(of: Array(body.utf8), at: now, secret: Paddle.secret)
        let many = Array(repeating: String(h1), count: 21).joined(separator: ";")
        let cases: [(header: String, says: String)] = [
            (PaddleSignature.value(of: Array(body.utf8), seconds: seconds, secret: "other"), "none of a secret"),
            (
                PaddleSignature.value(of: Array(body.utf8), seconds: seconds - 400, secret: Paddle.secret),
                "older than 300"
            ),
            (
                PaddleSignature.value(of: Array(body.utf8), seconds: seconds + 400, secret: Paddle.secret),
                "in the future"
            ),
            (stripe, "is not of the form"), ("", "is not of the form"), (String(h1), "is not of the form"),
            ("ts=\(seconds)", "is not of the form"), ("ts=\(seconds);ts=1;\(h1)", "is not of the form"),
            ("ts=\(seconds);\(many)", "more than 20"), ("ts=\(seconds);h1=\(h1.dropFirst(4))", "none of a secret"),
        ]
        let server = try ServerFixture(payments: [Paddle.source(take: .all)])
        try await server.application.test(.router) { client in
            for (header, says) in cases {
                let answer = try await Paddle.post(body, header: header, to: client)
                let text = String(buffer: answer.body)
                #expect(answer.status == .badRequest && text.contains(says), "\(header): \(text)")
            }
            for unreadable in [
                "[]", "{", "{}", body.replacing("\"event_id\"", with: "\"event_id\":\"evt_1\",\"event_id\""),
            ] {
                #expect(try await Paddle.post(unreadable, to: client).status == .badRequest)
            }
            let events = try await client.execute(uri: "/v1/events", method: .get)
            #expect((events.json["events"] as? [Any])?.isEmpty == true)
            let rotated = "ts=\(seconds);h1=dummy;\(h1)"
            #expect(try await Paddle.post(body, header: rotated, to: client).status == .ok)
        }
    }

    @Test("RR-107: of full objects no text, link, card or unknown member is stored")
    func reduced() throws {
        let more =
            #","unknown":"kept?","invoice_number":"325-1","note":{"deep":["a text with blanks"]},"discount_id":"dsc_1""#
        let bodies = [
            Paddle.transaction(checkout: "c1", more: more), Paddle.adjustment("1", cents: 100), Paddle.address(),
        ]
        for body in bodies {
            let stored = String(decoding: try PaddleEvent(try JSONReader().read(body)).reduced.encoded(), as: UTF8.self)
            for secret in [
                "secret note", "Gems", "https", "Anna", "4242", "Damrak", "asked", "325-1", "unknown", "blanks",
            ] {
                #expect(!stored.contains(secret), "\(secret) in \(stored)")
            }
            // What is stored is read as what arrived.
            #expect(
                try PaddleEvent(try JSONReader().read(stored)).reduced
                    == PaddleEvent(try JSONReader().read(body)).reduced
            )
        }
        let transaction = try PaddleEvent(try JSONReader().read(bodies[0])).reduced
        let text = String(decoding: transaction.encoded(), as: UTF8.self)
        for kept in [
            "txn_1", "txnitm_1", "pri_1", "pro_1", "ctm_1", "add_1", "dsc_1", "\"999\"", "external_purchase_checkout",
        ] {
            #expect(text.contains(kept), "\(kept)")
        }
    }

    @Test("RR-103, RR-106: any order of a transaction, its address and its adjustments gives the same sales")
    func orders() async throws {
        let cases: [([String], sales: String)] = [
            ([], "txn_1/txnitm_1 9.99"),
            ([Paddle.adjustment("1", cents: 300)], "adj_1/txnitm_1 3, txn_1/txnitm_1 9.99"),
            (
                [
                    Paddle.adjustment("1", "refund", "pending_approval", cents: 300, at: "2026-11-20T14:00:00Z"),
                    Paddle.adjustment("1", "refund", "rejected", cents: 300, at: "2026-11-20T15:00:00Z"),
                ],
                "txn_1/txnitm_1 9.99"
            ),
            ([Paddle.adjustment("2", "chargeback_warning", cents: 999)], "txn_1/txnitm_1 9.99"),
            ([Paddle.adjustment("2", "chargeback", cents: 999)], "adj_2/txnitm_1 9.99, txn_1/txnitm_1 9.99"),
            ([Paddle.adjustment("3", "credit", cents: 100)], "adj_3/txnitm_1 1, txn_1/txnitm_1 9.99"),
        ]
        for (events, expected) in cases {
            let all = [Paddle.address(), Paddle.transaction(checkout: nil)] + events
            for seed in 1...3 as ClosedRange<UInt64> {
                var random = SplitMix64(seed: seed)
                let server = try ServerFixture(payments: [Paddle.source(take: .all)])
                let bodies = (all + all).shuffled(using: &random)
                try await server.application.test(.router) { client in
                    for body in bodies {
                        let answer = try await Paddle.post(body, to: client)
                        #expect(answer.status == .ok, "\(answer.json)")
                    }
                    try await server.merchant.paymentWorker?.work()
                    #expect(try await CustomDelivery.sales(client) == expected)
                }
            }
        }
    }

    @Test("RR-103: what a transaction lacks lets it wait, and what contradicts itself holds it, each with its reason")
    func reasons() async throws {
        let plain = Paddle.transaction(checkout: nil)
        let cases: [(String, state: String, says: String)] = [
            (Paddle.transaction(status: "paid", checkout: nil), "waiting", "transaction.completed"),
            (Paddle.transaction(status: "canceled", checkout: nil), "not-used", "canceled"),
            (plain.replacing("add_1", with: "add_9"), "waiting", "add_9"),
            (plain.replacing(#""total":"999"},"line"#, with: #""total":"998"},"line"#), "held", "add up to 999"),
            (plain.replacing(#""quantity":1,"tax_rate""#, with: #""quantity":0,"tax_rate""#), "held", "quantity"),
            (
                plain.replacing(
                    #""custom_data":null"#,
                    with: #""custom_data":{"external_purchase_bundle":"com.example.x"}"#
                ), "held", "no app here"
            ),
            (plain.replacing("\"EUR\"", with: "\"EURO\""), "held", "ISO 4217"),
            (Paddle.adjustment("7", cents: 100, of: "9"), "waiting", "has not arrived"),
            (
                Paddle.event("evt_9", "customer.created", at: "2026-11-20T12:00:00Z", "{}"), "not-used",
                "customer.created"
            ),
        ]
        for (body, state, says) in cases {
            let server = try ServerFixture(payments: [Paddle.source(take: .all)])
            try await server.application.test(.router) { client in
                try await Paddle.post(Paddle.address(), to: client)
                let answer = try await Paddle.post(body, to: client)
                let id = answer.json["eventId"] as? String ?? ""
                let event = try await client.execute(uri: "/v1/events/\(id)", method: .get).json
                #expect(event["provider"] as? String == "paddle")
                #expect(event["state"] as? String == state, "\(event)")
                #expect((event["detail"] as? String ?? "").contains(says), "\(event)")
            }
        }
    }

    @Test(
        "RR-106: a month of shuffled, repeated and late events ends with what the customers paid at Apple",
        arguments: PaymentMonth.seeds
    )
    func month(_ seed: UInt64) async throws {
        var settings = ReportingSettings()
        settings.paymentCorrections = .automatic
        try await EmulatedMerchant.run(settings: settings, payments: [Paddle.source()]) { sides in
            try await Paddle.post(Paddle.address(), to: sides.client)
            try await PaymentMonth.play(seed, sides) { payment, checkout in
                var messages: [PaymentMonth.Message] = []
                func add(_ at: Timestamp, _ body: String) {
                    messages.append((at, { _ = try await Paddle.post(body, to: sides.client) }))
                }
                var told: [(id: String, at: Timestamp, amount: Int64)] = []
                for state in payment.states {
                    if state.version == 1 {
                        add(
                            state.at,
                            Paddle.transaction(
                                payment.id,
                                cents: state.paid,
                                checkout: checkout,
                                at: state.at.description
                            )
                        )
                    }
                    for refund in state.refunds where !told.contains(where: { $0.id == refund.id }) {
                        add(
                            state.at,
                            Paddle.adjustment(
                                "\(payment.id)-\(refund.id)",
                                cents: refund.amount,
                                of: payment.id,
                                at: state.at.description
                            )
                        )
                    }
                    for refund in told where !state.refunds.contains(where: { $0.id == refund.id }) {
                        add(
                            state.at,
                            Paddle.adjustment(
                                "\(payment.id)-\(refund.id)",
                                "refund",
                                "rejected",
                                cents: refund.amount,
                                of: payment.id,
                                at: state.at.description
                            )
                        )
                    }
                    told = state.refunds
                }
                return messages
            }
        }
    }
}

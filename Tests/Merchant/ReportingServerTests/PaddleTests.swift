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

    /// A transaction of a subscription for a period of a month.
    static func charge(_ id: String, cents: Int64 = 999, checkout: String?, day: String, renews: Bool) -> String {
        transaction(id, cents: cents, checkout: checkout, at: "\(day)T13:00:00Z")
            .replacing(#""subscription_id":null"#, with: #""subscription_id":"sub_1""#)
            .replacing(#""billing_cycle":null"#, with: #""billing_cycle":{"interval":"month","frequency":1}"#)
            .replacing(#""origin":"web""#, with: #""origin":"\#(renews ? "subscription_recurring" : "web")""#)
            .replacing(
                #""currency_code""#,
                with:
                    #""billing_period":{"starts_at":"\#(day)T13:00:00Z","ends_at":"2027-06-01T00:00:00Z"},"currency_code""#,
                maxReplacements: 1
            )
    }

    static func subscription(_ status: String, checkout: String?, day: String) -> String {
        let custom = checkout.map { name in #"{"external_purchase_checkout":"\#(name)"}"# } ?? "null"
        let moment = "\(day)T15:00:00Z"
        let canceled = status == "canceled" ? "\"\(moment)\"" : "null"
        return event(
            "evt_sub_\(status)_\(day)",
            "subscription.\(status)",
            at: moment,
            #"{"id":"sub_1","status":"\#(status)","customer_id":"ctm_1","custom_data":\#(custom),"#
                + #""canceled_at":\#(canceled),"#
                + #""current_billing_period":{"starts_at":"\#(moment)","ends_at":"2027-06-01T00:00:00Z"}}"#
        )
    }

    static func adjustment(
        _ id: String,
        _ action: String = "refund",
        _ status: String = "approved",
        cents: Int64,
        of transaction: String = "1",
        at moment: String = "2026-11-20T14:00:00Z",
        created: String? = nil
    ) -> String {
        let created = created ?? (action.hasSuffix("_reverse") ? moment : "2026-11-20T14:00:00Z")
        let tax = cents * 21 / 121
        let totals = #"{"subtotal":"\#(cents - tax)","tax":"\#(tax)","total":"\#(cents)"}"#
        let data =
            #"{"id":"adj_\#(id)","action":"\#(action)","status":"\#(status)","transaction_id":"txn_\#(transaction)","#
            + #""customer_id":"ctm_1","currency_code":"EUR","reason":"the customer asked for it","created_at":"\#(created)","#
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

    // MARK: Adjustments

    /// Adjustments of a transaction of 9.99; nil lets Apple answer first.
    struct Course: Sendable, CustomTestStringConvertible {
        let name: String
        /// What Apple has in the end, in thousandths.
        let expected: Int64
        let events: [String?]
        var testDescription: String { name }

        init(_ name: String, _ expected: Int64, _ events: String?...) {
            (self.name, self.expected, self.events) = (name, expected, events)
        }
    }

    private static let courses: [Course] = [
        Course(
            "pending, approved, reversed",
            9_990,
            Paddle.adjustment("1", "refund", "pending_approval", cents: 300, at: "2026-11-20T14:00:00Z"),
            nil,
            Paddle.adjustment("1", "refund", "approved", cents: 300, at: "2026-11-20T15:00:00Z"),
            nil,
            Paddle.adjustment("1", "refund", "reversed", cents: 300, at: "2026-11-20T16:00:00Z")
        ),
        Course(
            "a partial credit and a refund of the rest",
            0,
            Paddle.adjustment("1", "credit", cents: 300),
            nil,
            Paddle.adjustment("2", "refund", cents: 699)
        ),
        Course(
            "a chargeback that says itself that it was won",
            9_990,
            Paddle.adjustment("1", "chargeback", cents: 999),
            nil,
            Paddle.adjustment("1", "chargeback", "reversed", cents: 999, at: "2026-11-20T16:00:00Z")
        ),
        Course(
            "a chargeback of which another adjustment says that it was won",
            9_990,
            Paddle.adjustment("1", "chargeback", cents: 999),
            nil,
            Paddle.adjustment("2", "chargeback_reverse", cents: 999, at: "2026-11-20T16:00:00Z")
        ),
        Course(
            "a chargeback that was won by both, and a later one whose id goes before it",
            0,
            Paddle.adjustment("5", "chargeback", cents: 999),
            Paddle.adjustment("5", "chargeback", "reversed", cents: 999, at: "2026-11-20T16:00:00Z"),
            nil,
            Paddle.adjustment("6", "chargeback_reverse", cents: 999, at: "2026-11-20T16:00:00Z"),
            nil,
            Paddle.adjustment(
                "1",
                "chargeback",
                cents: 999,
                at: "2026-11-20T17:00:00Z",
                created: "2026-11-20T17:00:00Z"
            )
        ),
        Course(
            "a chargeback that says itself that it was won, and a later one that another adjustment says was won",
            9_990,
            Paddle.adjustment("1", "chargeback", cents: 999),
            Paddle.adjustment("1", "chargeback", "reversed", cents: 999, at: "2026-11-20T16:00:00Z"),
            nil,
            Paddle.adjustment(
                "2",
                "chargeback",
                cents: 999,
                at: "2026-11-20T18:00:00Z",
                created: "2026-11-20T18:00:00Z"
            ),
            nil,
            Paddle.adjustment("3", "chargeback_reverse", cents: 999, at: "2026-11-20T20:00:00Z")
        ),
        Course(
            "a warning and its end",
            9_990,
            Paddle.adjustment("1", "chargeback_warning", cents: 999),
            nil,
            Paddle.adjustment("2", "chargeback_warning_reverse", cents: 999)
        ),
    ]

    @Test(
        "RR-106: Apple ends with what the newest state of each adjustment leaves",
        arguments: courses,
        [ReportingSettings.CorrectionMode.automatic, .review]
    )
    func course(_ course: Course, _ mode: ReportingSettings.CorrectionMode) async throws {
        var settings = ReportingSettings()
        settings.paymentCorrections = mode
        try await EmulatedMerchant.run(settings: settings, payments: [Paddle.source()]) { sides in
            let checkout = try await sides.receiveToken()
            sides.advance(by: .seconds(20_000))
            _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":20000}"#)
            for body in [Paddle.address(), Paddle.transaction(checkout: checkout), nil] + course.events {
                guard let body else {
                    await sides.runUntilIdle()
                    continue
                }
                let answer = try await Paddle.post(body, to: sides.client)
                #expect(answer.status == .ok, "\(answer.json)")
            }
            try await PaymentMonth.settle(sides, confirms: mode == .review)
            let accepted = try await StripeCorrectionTests.accepted(sides).filter { $0.value != 0 }
            #expect(accepted == (course.expected == 0 ? [:] : ["EUR": course.expected]))
        }
    }

    // MARK: Subscriptions and accounts

    @Test("RR-103: charges of a subscription, its end and a failed payment become the sales of its history")
    func subscription() async throws {
        let bodies = [
            Paddle.address(), Paddle.charge("1", checkout: "c1", day: "2026-09-20", renews: false),
            Paddle.subscription("past_due", checkout: "c1", day: "2026-10-20"),
            Paddle.charge("2", cents: 1_099, checkout: "c1", day: "2026-10-21", renews: true),
            Paddle.subscription("canceled", checkout: "c1", day: "2026-10-25"),
            Paddle.subscription("updated", checkout: "c1", day: "2026-10-25"),
        ]
        for seed in 1...4 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            let server = try ServerFixture(payments: [Paddle.source(take: .all)])
            let shuffled = (bodies + bodies).shuffled(using: &random)
            try await server.application.test(.router) { client in
                for body in shuffled { try await Paddle.post(body, to: client) }
                try await server.merchant.paymentWorker?.work()
                let list = try await client.execute(uri: "/v1/sales", method: .get).json["sales"] as? [[String: Any]]
                let sales = (list ?? []).compactMap { $0["sale"] as? [String: Any] }
                let told = sales.map { sale in
                    "\(sale["saleId"] ?? "") \(sale["type"] ?? "") \(sale["subscriptionId"] ?? "")"
                }
                #expect(
                    told.sorted() == [
                        "sub_1/cancellation cancellation sub_1", "sub_1/lapse/1792508400 lapse sub_1",
                        "txn_1/txnitm_1 subscription sub_1", "txn_2/txnitm_2 subscription sub_1",
                    ]
                )
            }
        }
    }

    @Test(
        "RR-105: several accounts sell for one app, and one for several; the secret and the custom data say whose a sale is",
        arguments: [
            ("first of the shop", nil, "applied com.example.shop"),
            ("second of the shop", nil, "applied com.example.shop"),
            ("first of the shop", "com.example.shop", "applied com.example.shop"),
            ("first of the shop", "com.example.arcade", "held nil"),
            ("shared by two apps", "com.example.arcade", "applied com.example.arcade"),
            ("shared by two apps", "com.example.tools", "applied com.example.tools"),
            ("shared by two apps", "com.example.shop", "held nil"),
            ("shared by two apps", nil, "held nil"),
        ] as [(String, String?, String)]
    )
    func accounts(_ secret: String, _ bundle: String?, _ expected: String) async throws {
        let server = try ServerFixture(
            others: ["com.example.arcade", "com.example.tools"],
            payments: [Self.severalAccounts(take: .all)]
        )
        let data = bundle.map { name in #"{"external_purchase_bundle":"\#(name)"}"# } ?? "null"
        let body = Paddle.transaction(checkout: nil).replacing(#""custom_data":null"#, with: #""custom_data":\#(data)"#)
        try await server.application.test(.router) { client in
            try await Paddle.post(Paddle.address(), secret: secret, to: client)
            let answer = try await Paddle.post(body, secret: secret, to: client)
            let id = answer.json["eventId"] as? String ?? ""
            let event = try await client.execute(uri: "/v1/events/\(id)", method: .get).json
            let list = try await client.execute(uri: "/v1/sales", method: .get).json["sales"] as? [[String: Any]] ?? []
            let apps = list.compactMap { ($0["sale"] as? [String: Any])?["bundleId"] as? String }
            #expect("\(event["state"] ?? "") \(apps.first ?? "nil")" == expected, "\(event)")
        }
    }

    @Test("RR-104: on an account of several apps, what nothing says to be of an external purchase is not used")
    func strangers() async throws {
        let server = try ServerFixture(
            others: ["com.example.arcade", "com.example.tools"],
            payments: [Self.severalAccounts(take: .referenced)]
        )
        try await server.application.test(.router) { client in
            let stranger = Paddle.transaction(checkout: nil)
            let named = Paddle.transaction("2", checkout: "c1")
            for (body, state) in [(stranger, "not-used"), (named, "held")] {
                let answer = try await Paddle.post(body, secret: "shared by two apps", to: client)
                #expect(answer.json["state"] as? String == state, "\(answer.json)")
            }
        }
    }

    @Test("RR-105: what the secret of one account signed says nothing of transactions and addresses of another one")
    func foreignSecret() async throws {
        let server = try ServerFixture(
            others: ["com.example.arcade", "com.example.tools"],
            payments: [Self.severalAccounts(take: .all)]
        )
        let data = #"{"external_purchase_bundle":"com.example.arcade"}"#
        let sold = Paddle.transaction(checkout: nil).replacing(#""custom_data":null"#, with: #""custom_data":\#(data)"#)
        let (own, foreign) = ("shared by two apps", "first of the shop")
        let steps: [(body: String, secret: String, state: String, sales: String)] = [
            (Paddle.address("DE"), foreign, "not-used", ""), (sold, own, "waiting", ""),
            (Paddle.adjustment("1", cents: 300), foreign, "waiting", ""),
            (Paddle.address().replacing("evt_", with: "evt_own_"), own, "not-used", "txn_1/txnitm_1 9.99"),
            (Paddle.adjustment("2", cents: 999), foreign, "waiting", "txn_1/txnitm_1 9.99"),
            (Paddle.adjustment("3", cents: 200), own, "applied", "adj_3/txnitm_1 2, txn_1/txnitm_1 9.99"),
        ]
        try await server.application.test(.router) { client in
            for step in steps {
                let answer = try await Paddle.post(step.body, secret: step.secret, to: client)
                #expect(answer.json["state"] as? String == step.state, "\(answer.json)")
                try await server.merchant.paymentWorker?.work()
                #expect(try await CustomDelivery.sales(client) == step.sales)
            }
            let list = try await client.execute(uri: "/v1/sales", method: .get).json["sales"] as? [[String: Any]] ?? []
            let countries = list.compactMap { sale in
                ((sale["sale"] as? [String: Any])?["amount"] as? [String: Any])?["taxCountry"] as? String
            }
            #expect(countries == ["NLD"])
        }
    }

    /// Two accounts of the shop, and one that two other apps share.
    private static func severalAccounts(take: PaymentAccount.Take) -> PaddleSource {
        let entries = [
            ("com.example.shop", "first of the shop", "pri_1"), ("com.example.shop", "second of the shop", "pri_2"),
            ("com.example.arcade", "shared by two apps", "pri_1"), ("com.example.tools", "shared by two apps", "pri_1"),
        ].map { app, secret, price in
            WebhookEntry(
                account: PaymentAccount(bundleId: BundleId(app), products: [price: "gems.100"], take: take),
                secrets: [secret],
                isLive: false
            )
        }
        return PaddleSource(entries: entries)
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

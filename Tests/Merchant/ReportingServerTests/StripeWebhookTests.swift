import ExternalPurchaseCore
import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import LedgerTesting
import NIOCore
import Payments
import Testing

@testable import LedgerSQLite
@testable import Reporting
@testable import ReportingServer

@Suite("Stripe's events through the webhook")
struct StripeWebhookTests {
    static let secret = "whsec_0123456789abcdef0123456789abcdef"
    static let old = "whsec_ffffffffffffffffffffffffffffffff"

    static func settings(_ products: [String: String] = [:]) -> StripeSource {
        StripeSource(entries: [
            .init(
                account: PaymentAccount(
                    bundleId: ServerFixture.bundleId,
                    products: products
                ),
                signingSecrets: [secret, old],
                api: nil
            )
        ])
    }

    /// A completed session of 9.99 EUR with 1.73 tax for a Dutch customer.
    static func session(
        _ id: String = "evt_1",
        intent: String = "pi_1",
        checkout: String? = nil,
        amount: Int = 999,
        seconds: Int = 1_795_176_000,
        live: Bool = true
    ) -> String {
        """
        {"id":"\(id)","object":"event","api_version":"2025-03-31.basil","created":\(seconds),"livemode":\(live),
         "type":"checkout.session.completed","data":{"object":{"id":"cs_\(intent)","object":"checkout.session",
         "mode":"payment","payment_status":"paid","payment_intent":"\(intent)","currency":"eur","created":\(seconds - 60),
         "amount_total":\(amount),"amount_subtotal":\(amount),"livemode":\(live),
         "total_details":{"amount_tax":173,"amount_discount":0,"amount_shipping":0},
         "automatic_tax":{"enabled":true,"status":"complete"},
         "client_reference_id":\(checkout.map { "\"\($0)\"" } ?? "null"),
         "metadata":{"external_purchase_customer":"anna"},
         "customer_details":{"email":"anna@example.com","address":{"country":"NL","city":"Delft"}},
         "line_items":{"object":"list","has_more":false,"data":[{"id":"li_1","object":"item","quantity":1,
         "amount_total":\(amount),"amount_subtotal":\(amount),"amount_tax":173,"amount_discount":0,"currency":"eur",
         "price":{"id":"price_1","object":"price","product":"prod_1","lookup_key":"gems.100","tax_behavior":"inclusive"}}]}}}}
        """
    }

    static func refund(_ id: String = "evt_2", amount: Int = 999, intent: String = "pi_1") -> String {
        """
        {"id":"\(id)","object":"event","api_version":"2025-03-31.basil","created":1795180000,"livemode":true,
         "type":"refund.created","data":{"object":{"id":"re_1","object":"refund","amount":\(amount),"currency":"eur",
         "status":"succeeded","charge":"ch_1","payment_intent":"\(intent)","created":1795180000}}}
        """
    }

    static func headers(_ body: String, secret: String = secret, at time: Timestamp = Timestamp(Date())) -> HTTPFields {
        var headers: HTTPFields = [.contentType: "application/json"]
        if let name = HTTPField.Name(StripeSignature.header) {
            headers[name] = StripeSignature.value(of: Array(body.utf8), at: time, secret: secret)
        }
        return headers
    }

    @discardableResult
    static func deliver(
        _ body: String,
        to client: some TestClientProtocol,
        secret: String = secret,
        at time: Timestamp = Timestamp(Date())
    ) async throws -> TestResponse {
        try await client.execute(
            uri: "/v1/webhooks/stripe",
            method: .post,
            headers: headers(body, secret: secret, at: time),
            body: ByteBuffer(string: body)
        )
    }

    @Test("A purchase and its refund arrive in either order, each more than once, and are two sales")
    func orderAndRepetition() async throws {
        for bodies in [
            [Self.session(), Self.refund()], [Self.refund(), Self.session()],
            [Self.refund(), Self.refund(), Self.session(), Self.refund(), Self.session()],
        ] {
            let server = try ServerFixture(stripe: Self.settings())
            try await server.application.test(.router) { client in
                for body in bodies { #expect(try await Self.deliver(body, to: client).status == .ok) }
                let sales = try await client.execute(uri: "/v1/sales", method: .get)
                let list = try #require(sales.json["sales"] as? [[String: Any]])
                #expect(Set(list.compactMap { $0["saleId"] as? String }) == ["pi_1", "re_1"])
                let events = try await client.execute(uri: "/v1/events", method: .get)
                let states = try #require(events.json["events"] as? [[String: Any]]).map { $0["state"] as? String }
                #expect(states == ["applied", "applied"])
            }
        }
    }

    @Test(
        "A session that contradicts itself is held with its reason, and nothing is stored of it",
        arguments: [
            (
                #""amount_discount":0,"currency":"eur""#, #""amount_discount":0,"currency":"usd""#,
                "currency: the line li_1"
            ),
            (#""quantity":1,"#, #""quantity":1000000001,"#, "quantity: the quantity of li_1 is more than 1000000000"),
            (
                #""livemode":true,"# + "\n \"total_details\"", #""livemode":false,"total_details""#,
                "environment: the event is of live mode"
            ),
        ]
    )
    func contradiction(_ from: String, _ to: String, _ reason: String) async throws {
        let server = try ServerFixture(stripe: Self.settings())
        try await server.application.test(.router) { client in
            let body = Self.session().replacing(from, with: to)
            #expect(body != Self.session())
            #expect(try await Self.deliver(body, to: client).status == .ok)
            let events = try await client.execute(uri: "/v1/events", method: .get).json["events"] as? [[String: Any]]
            #expect(events?.map { $0["state"] as? String } == ["held"])
            let detail = try #require(events?.first?["detail"] as? String)
            #expect(detail.hasPrefix(reason), "\(detail)")
            let sales = try await client.execute(uri: "/v1/sales", method: .get).json["sales"] as? [Any]
            #expect(sales?.isEmpty == true)
            let review = try await client.execute(uri: "/v1/review", method: .get).json["review"] as? [[String: Any]]
            #expect(review?.map { $0["kind"] as? String } == ["payment-event"])
        }
    }

    @Test("A signed body with a member twice, or with more than 20 signatures, is 400 and says so")
    func ambiguous() async throws {
        let server = try ServerFixture(stripe: Self.settings())
        try await server.application.test(.router) { client in
            let body = Self.session().replacing(
                #""amount_tax":173,"amount_discount":0,"currency""#,
                with: #""amount_tax":173,"amount_tax":0,"amount_discount":0,"currency""#
            )
            let refused = try await Self.deliver(body, to: client)
            #expect(refused.status == .badRequest)
            let detail = refused.json["detail"] as? String
            #expect(detail == #"the member "data.object.line_items.data[0].amount_tax" occurs more than once"#)
            var headers = Self.headers(Self.session())
            let name = try #require(HTTPField.Name(StripeSignature.header))
            let good = try #require(headers[name])
            headers[name] = good + String(repeating: ",v1=" + String(repeating: "0", count: 64), count: 20)
            let many = try await client.execute(
                uri: "/v1/webhooks/stripe",
                method: .post,
                headers: headers,
                body: ByteBuffer(string: Self.session())
            )
            #expect(many.status == .badRequest)
            #expect((many.json["detail"] as? String)?.contains("more than 20 signatures") == true, "\(many.json)")
            let none = try await client.execute(uri: "/v1/events", method: .get)
            #expect((none.json["events"] as? [Any])?.isEmpty == true)
        }
    }

    @Test("A wrong, old or missing signature is 400 and stores nothing; both secrets of a rotation count")
    func signatures() async throws {
        let server = try ServerFixture(stripe: Self.settings())
        let now = Timestamp(Date())
        try await server.application.test(.router) { client in
            let body = Self.session()
            #expect(try await Self.deliver(body, to: client, secret: "whsec_other").status == .badRequest)
            for seconds in [-400, 400] {
                let answer = try await Self.deliver(body, to: client, at: now + .seconds(seconds))
                #expect(answer.status == .badRequest, "\(seconds)")
            }
            let bare = try await client.execute(
                uri: "/v1/webhooks/stripe",
                method: .post,
                body: ByteBuffer(string: body)
            )
            #expect(bare.status == .badRequest)
            // A signature of another body.
            let forged = try await client.execute(
                uri: "/v1/webhooks/stripe",
                method: .post,
                headers: Self.headers(body),
                body: ByteBuffer(string: Self.session(amount: 1))
            )
            #expect(forged.status == .badRequest)
            let none = try await client.execute(uri: "/v1/events", method: .get)
            #expect((none.json["events"] as? [Any])?.isEmpty == true)
            #expect(try await Self.deliver(body, to: client, secret: Self.old).status == .ok)
            #expect(try await Self.deliver("{\"id\":\"evt_9\"}", to: client).status == .badRequest)
        }
    }

    @Test("A payment of a customer whose name has too many combining characters is applied like any other")
    func hostileName() async throws {
        let server = try ServerFixture(stripe: Self.settings())
        try await server.application.test(.router) { client in
            let name = "Z" + String(repeating: "\u{301}", count: 4_000) + String(repeating: "\u{316}", count: 4_000)
            let body = Self.session().replacing(
                "\"city\":\"Delft\"",
                with: "\"city\":\"\(name)\",\"Z\(String(repeating: "\u{301}", count: 200))\":1"
            )
            #expect(body.contains(name))
            let answer = try await Self.deliver(body, to: client)
            #expect(answer.status == .ok, "\(String(buffer: answer.body))")
            let events = try await client.execute(uri: "/v1/events", method: .get)
            #expect(
                (events.json["events"] as? [[String: Any]])?.first?["eventId"] as? String == "evt_1",
                "\(events.json)"
            )
        }
    }

    @Test("What a held event repeats of its members is bounded", arguments: ["eur", "id", "pi_2"])
    func longMember(_ name: String) async throws {
        let server = try ServerFixture(stripe: Self.settings())
        try await server.application.test(.router) { client in
            let body = Self.session("evt_3", intent: "pi_2", amount: 500)
            let long = String(repeating: "x", count: 20_000)
            let replaced =
                name == "id"
                ? body.replacing("\"cs_", with: "\"cs_\(long)")
                : body.replacing("\"\(name)\"", with: "\"\(name)\(long)\"")
            #expect(replaced != body)
            let answer = try await Self.deliver(replaced, to: client)
            #expect(answer.body.readableBytes < 4_000, "\(String(buffer: answer.body).prefix(500))")
            let review = try await client.execute(uri: "/v1/review", method: .get)
            #expect(review.body.readableBytes < 8_000, "\(String(buffer: review.body).prefix(500))")
        }
    }

    @Test("A server without an account of Stripe has no webhook")
    func notConfigured() async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            let answer = try await Self.deliver(Self.session(), to: client)
            #expect(answer.status == .notFound)
        }
    }

    @Test("Events that cannot be applied are held with one review item, which closes when they are applied")
    func held() async throws {
        let server = try ServerFixture(stripe: Self.settings())
        try await server.application.test(.router) { client in
            // The stored sale has another price than a later delivery under the same payment states.
            let other = Self.session("evt_3", intent: "pi_2", amount: 500).replacing("\"eur\"", with: "\"xyz\"")
            let answer = try await Self.deliver(other, to: client)
            #expect(answer.status == .ok)
            #expect(answer.json["state"] as? String == "held", "\(answer.json)")
            let review = try await client.execute(uri: "/v1/review", method: .get)
            let items = try #require(review.json["review"] as? [[String: Any]])
            #expect(items.map { $0["kind"] as? String } == ["payment-event"])
            let again = try await client.execute(
                uri: "/v1/events/evt_3/apply",
                method: .post,
                headers: [.contentType: "application/json"],
                body: ByteBuffer(string: "{}")
            )
            #expect(again.status == .ok && again.json["state"] as? String == "held")
            let unknown = try await client.execute(uri: "/v1/events/evt_9/apply", method: .post)
            #expect(unknown.status == .notFound)
        }
    }

    /// Two apps of one account.
    private static func sharedAccount() -> StripeSource {
        let apps: [BundleId] = ["com.example.zoo", ServerFixture.bundleId, "com.example.arcade"]
        return StripeSource(
            entries: apps.map { .init(account: PaymentAccount(bundleId: $0), signingSecrets: [secret], api: nil) }
        )
    }

    @Test("An event that waits for more than a day is a review item of its own until what it waits for has arrived")
    func stuck() async throws {
        let clock = TurnedClock(Timestamp(milliseconds: 1_795_176_300_000))
        var dependencies = ReportingDependencies.live
        dependencies.now = { clock.now }
        let server = try ServerFixture(stripe: Self.settings(), dependencies: dependencies)
        try await server.application.test(.router) { client in
            func look(after hours: Int64) async throws -> [[String: Any]] {
                clock.advance(by: .hours(hours))
                for event in ["evt_pi_1", "evt_2"] {
                    _ = try await client.execute(uri: "/v1/events/\(event)/apply", method: .post)
                }
                return try await Self.items(client, "payment-waiting")
            }
            let bundle = ServerFixture.bundleId
            try await Self.deliver(Self.intent("pi_1", bundle: bundle), to: client)
            // A bank's refund takes its time.
            let pending = Self.refund().replacing("\"succeeded\"", with: "\"pending\"")
            try await Self.deliver(pending, to: client)
            #expect(try await look(after: 23).isEmpty)
            let open = try #require(try await look(after: 1).first)
            let detail = open["detail"] as? String ?? ""
            #expect(detail.contains("evt_pi_1") && detail.contains("session") && !detail.contains("evt_2"), "\(detail)")
            // What a person closed opens again with another event only.
            let sequence = try #require(open["sequence"] as? Int)
            let decided = try await client.execute(
                uri: "/v1/review/\(sequence)",
                method: .post,
                headers: [.contentType: "application/json"],
                body: ByteBuffer(string: #"{"action":"resolve","by":"maria","note":"we look for it"}"#)
            )
            #expect(decided.status == .ok)
            #expect(try await look(after: 48).isEmpty)
            try await Self.deliver(Self.intent("pi_2", bundle: bundle), to: client)
            #expect(try await look(after: 25).count == 1)
            // The sessions arrive.
            try await Self.deliver(Self.session("evt_s1"), to: client)
            try await Self.deliver(Self.session("evt_s2", intent: "pi_2"), to: client)
            #expect(try await look(after: 0).isEmpty)
        }
    }

    private static func items(_ client: some TestClientProtocol, _ kind: String) async throws -> [[String: Any]] {
        let review = try await client.execute(uri: "/v1/review?kind=\(kind)", method: .get).json["review"]
        return review as? [[String: Any]] ?? []
    }

    // MARK: Two endpoints

    /// Two apps, each with an endpoint and a secret of its own.
    private static let ownEndpoints = StripeSource(
        entries: [(ServerFixture.bundleId, secret), ("com.example.arcade", old)].map { bundleId, secret in
            .init(
                account: PaymentAccount(bundleId: bundleId, taxCountry: "NLD", taxRates: ["NLD": 21], take: .all),
                signingSecrets: [secret],
                api: nil
            )
        }
    )

    static func event(_ id: String, _ type: String, _ object: String) -> String {
        """
        {"id":"\(id)","object":"event","api_version":"2024-06-20","created":1795176100,"livemode":true,"type":"\(type)",
         "data":{"object":\(object)}}
        """
    }

    private static func invoice(_ id: String, _ line: String) -> String {
        """
        {"id":"\(id)","object":"invoice","currency":"eur","total":999,"subscription":"sub_1","billing_reason":
         "subscription_cycle","charge":"ch_\(id)","payment_intent":"pi_\(id)","customer_address":{"country":"NL"},
         "lines":{"data":[{"id":"\(line)","amount":999,"currency":"eur","type":"subscription","quantity":1,
         "subscription":"sub_1","price":{"id":"price_1","product":"prod_1"},
         "period":{"start":1795176000,"end":1797768000}}]}}
        """
    }

    static let ofPayment = #""payment_intent":"pi_1","charge":"ch_1","currency":"eur","created":1795176050"#
    private static let arcade = #""metadata":{"external_purchase_bundle":"com.example.arcade","#

    /// What the secret of one endpoint can say of the payments of another: every kind of event, by whatever id.
    static let foreign =
        [
            ("refund.created", #"{"id":"re_2","amount":999,"status":"succeeded",\#(ofPayment)}"#),
            ("refund.created", #"{"id":"re_1","amount":100,"status":"succeeded",\#(ofPayment)}"#),
            ("refund.failed", #"{"id":"re_1","amount":100,"status":"failed",\#(ofPayment)}"#),
            ("charge.refunded", #"{"id":"ch_1","amount":999,"amount_refunded":500,\#(ofPayment)}"#),
            ("charge.dispute.created", #"{"id":"dp_1","amount":999,"status":"needs_response",\#(ofPayment)}"#),
            ("charge.dispute.closed", #"{"id":"dp_1","amount":999,"status":"lost",\#(ofPayment)}"#),
            ("customer.subscription.deleted", #"{"id":"sub_1","ended_at":1795176050,"metadata":{}}"#),
            ("customer.subscription.updated", #"{"id":"sub_1",\#(arcade)"external_purchase_customer":"eve"}}"#),
            ("invoice.paid", invoice("in_2", "il_2")), ("invoice.paid", invoice("in_1", "il_1")),
            ("invoice.payment_failed", invoice("in_3", "il_3")),
            ("invoice_payment.paid", #"{"id":"inpay_1","invoice":"in_1","payment":{"payment_intent":"pi_1"}}"#),
            ("credit_note.created", #"{"id":"cn_1","invoice":"in_1","amount":500,\#(ofPayment)}"#),
        ].map { event("evt_f1", $0.0, $0.1) }
        + [
            session("evt_f1"), session("evt_f1").replacing(#""metadata":{"#, with: arcade),
            intent("pi_1", bundle: "com.example.arcade"), intent("pi_1", bundle: ServerFixture.bundleId),
        ]

    @Test("The secret of one endpoint says nothing of another's payments, before and after them", arguments: foreign)
    func foreignSecret(_ body: String) async throws {
        for isFirst in [false, true] {
            let server = try ServerFixture(others: ["com.example.arcade"], stripe: Self.ownEndpoints)
            try await server.application.test(.router) { client in
                func own() async throws -> String {
                    let sales = try await client.execute(
                        uri: "/v1/sales?bundleId=\(ServerFixture.bundleId)",
                        method: .get
                    )
                    return String(buffer: sales.body)
                }
                let genuine = [
                    Self.session(), Self.event("evt_i", "invoice.paid", Self.invoice("in_1", "il_1")),
                    Self.refund("evt_r", amount: 100),
                ]
                if isFirst { try await Self.deliver(body, to: client, secret: Self.old) }
                #expect(try await own().contains("\"sales\":[]"))
                for event in genuine { try await Self.deliver(event, to: client) }
                for id in ["evt_1", "evt_i", "evt_r"] {
                    let event = try await client.execute(uri: "/v1/events/\(id)", method: .get).json
                    #expect(event["state"] as? String == "applied", "\(event)")
                    #expect(event["bundleId"] as? String == ServerFixture.bundleId.rawValue)
                }
                let before = try await own()
                if !isFirst { try await Self.deliver(body, to: client, secret: Self.old) }
                #expect(try await own() == before)
            }
        }
    }

    /// The open review items of events, with their apps.
    private static func review(_ client: some TestClientProtocol) async throws -> [String] {
        let items = try await client.execute(uri: "/v1/review", method: .get).json["review"] as? [[String: Any]] ?? []
        return items.filter { $0["kind"] as? String == "payment-event" }.compactMap { $0["bundleId"] as? String }
    }

    /// The intent of a payment that names the app.
    private static func intent(_ id: String, bundle: BundleId) -> String {
        """
        {"id":"evt_\(id)","object":"event","api_version":"2025-03-31.basil","created":1795176000,"livemode":true,
         "type":"payment_intent.succeeded","data":{"object":{"id":"\(id)","object":"payment_intent","amount":999,
         "amount_received":999,"currency":"eur","metadata":{"external_purchase_bundle":"\(bundle)"}}}}
        """
    }

    @Test("A held event whose app is not certain opens a review item of the first possible app until it is applied")
    func uncertainApp() async throws {
        let others: [BundleId] = ["com.example.zoo", "com.example.arcade"]
        let server = try ServerFixture(others: others, stripe: Self.sharedAccount())
        try await server.application.test(.router) { client in
            let answer = try await Self.deliver(Self.session(), to: client)
            #expect(answer.json["state"] as? String == "held", "\(answer.json)")
            #expect(try await Self.review(client) == ["com.example.arcade"])
            // A second event of this kind needs no second item.
            try await Self.deliver(Self.session("evt_2", intent: "pi_2"), to: client)
            #expect(try await Self.review(client) == ["com.example.arcade"])
            // The intents name the app; the item stays until the last event is applied.
            try await Self.deliver(Self.intent("pi_1", bundle: ServerFixture.bundleId), to: client)
            #expect(try await Self.review(client) == ["com.example.arcade"])
            try await Self.deliver(Self.intent("pi_2", bundle: "com.example.zoo"), to: client)
            #expect(try await Self.review(client) == [])
            for (id, bundle) in [("evt_1", ServerFixture.bundleId.rawValue), ("evt_2", "com.example.zoo")] {
                let event = try await client.execute(uri: "/v1/events/\(id)", method: .get)
                #expect(event.json["state"] as? String == "applied", "\(event.json)")
                #expect(event.json["bundleId"] as? String == bundle, "\(event.json)")
            }
        }
    }

    @Test("A held event of a shared account belongs to the app that its metadata names, and to no other one")
    func namedApp() async throws {
        let server = try ServerFixture(
            others: ["com.example.zoo", "com.example.arcade"],
            stripe: Self.sharedAccount()
        )
        try await server.application.test(.router) { client in
            for (event, bundle, review) in [
                ("pi_1", ServerFixture.bundleId, [ServerFixture.bundleId.rawValue]),
                ("pi_2", "com.example.nobody", [ServerFixture.bundleId.rawValue, "com.example.arcade"]),
            ] as [(String, BundleId, [String])] {
                let long = String(repeating: "c", count: 200)
                let body = Self.intent(event, bundle: bundle)
                    .replacing(#""metadata":{"#, with: #""metadata":{"external_purchase_checkout":"\#(long)","#)
                let answer = try await Self.deliver(body, to: client)
                #expect(answer.json["state"] as? String == "held", "\(answer.json)")
                let stored = try await client.execute(uri: "/v1/events/evt_\(event)", method: .get)
                #expect(stored.json["bundleId"] as? String == (event == "pi_1" ? bundle.rawValue : nil))
                #expect(try await Set(Self.review(client)) == Set(review))
            }
        }
    }

    @Test("A changed configuration makes the app certain: the event is applied again, and its review item is resolved")
    func certainByConfiguration() async throws {
        let first = try ServerFixture(
            others: ["com.example.zoo", "com.example.arcade"],
            stripe: Self.sharedAccount()
        )
        try await first.application.test(.router) { client in
            try await Self.deliver(Self.session(), to: client)
            #expect(try await Self.review(client) == ["com.example.arcade"])
        }
        let second = try ServerFixture(
            store: first.store,
            others: ["com.example.zoo", "com.example.arcade"],
            stripe: Self.settings()
        )
        try await second.application.test(.router) { client in
            let again = try await client.execute(uri: "/v1/events/evt_1/apply", method: .post)
            #expect(again.json["state"] as? String == "applied", "\(again.json)")
            #expect(try await Self.review(client) == [])
            #expect(try await client.execute(uri: "/v1/sales/pi_1", method: .get).status == .ok)
        }
    }

    @Test("A client_reference_id that is too long for a checkout is said in the event's detail")
    func longReference() async throws {
        let server = try ServerFixture(stripe: Self.settings())
        try await server.application.test(.router) { client in
            for (number, length) in [128, 129].enumerated() {
                let reference = String(repeating: "r", count: length)
                let body = Self.session("evt_\(number)", intent: "pi_\(number)", checkout: reference)
                let answer = try await Self.deliver(body, to: client)
                #expect(answer.json["state"] as? String == "applied", "\(answer.json)")
                let event = try await client.execute(uri: "/v1/events/evt_\(number)", method: .get)
                let detail = try #require(event.json["detail"] as? String, "\(event.json)")
                #expect(detail.contains("client_reference_id is no checkout") == (length > 128), "\(detail)")
                let sale = try await client.execute(uri: "/v1/sales/pi_\(number)", method: .get)
                let content = try #require(sale.json["sale"] as? [String: Any])
                #expect(content["checkoutId"] as? String == (length > 128 ? nil : reference))
                #expect(content["customerId"] as? String == "anna")
            }
        }
    }

    @Test("One event of test mode does not stop the live events of a payment; it alone is held")
    func strayTestMode() async throws {
        let server = try ServerFixture(stripe: Self.settings())
        try await server.application.test(.router) { client in
            let stray = Self.refund("evt_9").replacing("\"livemode\":true", with: "\"livemode\":false")
                .replacing("\"re_1\"", with: "\"re_9\"")
            try await Self.deliver(stray, to: client)
            let sold = try await Self.deliver(Self.session(), to: client)
            #expect(sold.json["state"] as? String == "applied", "\(sold.json)")
            let refunded = try await Self.deliver(Self.refund(), to: client)
            #expect(refunded.json["state"] as? String == "applied", "\(refunded.json)")
            let held = try await client.execute(uri: "/v1/events/evt_9", method: .get)
            #expect(held.json["state"] as? String == "held", "\(held.json)")
            let sales = try await client.execute(uri: "/v1/sales", method: .get)
            let ids = (sales.json["sales"] as? [[String: Any]] ?? []).compactMap { $0["saleId"] as? String }
            #expect(Set(ids) == ["pi_1", "re_1"])
        }
    }

    @Test("Test mode stays off production's tokens (SA-90)")
    func testMode() async throws {
        let server = try ServerFixture(stripe: Self.settings())
        try await server.application.test(.router) { client in
            let token = ServerFixture.token()
            let arrived = try await client.execute(
                uri: "/v1/tokens",
                method: .post,
                headers: [.contentType: "application/json"],
                body: ByteBuffer(string: #"{"token":"\#(token)","checkoutId":"c-1"}"#)
            )
            #expect(arrived.status == .created)
            try await Self.deliver(Self.session(checkout: "c-1"), to: client)
            let live = try await client.execute(uri: "/v1/sales/pi_1", method: .get)
            #expect(live.json["state"] as? String == "held", "\(live.json)")
            #expect((live.json["flags"] as? [String])?.contains("environment-contradiction") == true, "\(live.json)")
            try await Self.deliver(Self.session("evt_5", intent: "pi_5", checkout: "c-1", live: false), to: client)
            let test = try await client.execute(uri: "/v1/sales/pi_5", method: .get)
            #expect(test.json["state"] as? String == "planned", "\(test.json)")
        }
    }

    @Test(
        "A won dispute of a payment that is refunded leaves nothing held, in any order of its events",
        arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    )
    func refundedDispute(_ order: [Int]) async throws {
        func dispute(_ id: String, _ type: String, _ status: String, at seconds: Int) -> String {
            """
            {"id":"\(id)","object":"event","api_version":"2025-03-31.basil","created":\(seconds),"livemode":true,
             "type":"\(type)","data":{"object":{"id":"dp_1","object":"dispute","amount":999,"currency":"eur",
             "status":"\(status)","charge":"ch_1","payment_intent":"pi_1","created":1795178000}}}
            """
        }
        let events = [
            dispute("evt_3", "charge.dispute.created", "needs_response", at: 1_795_178_000),
            dispute("evt_4", "charge.dispute.closed", "won", at: 1_795_179_000), Self.refund(),
        ]
        try await EmulatedMerchant.run(stripe: Self.settings()) { sides in
            let checkout = try await sides.receiveToken()
            sides.advance(by: .seconds(10_000))
            _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":10000}"#)
            try await Self.deliver(Self.session(checkout: checkout, live: false), to: sides.client)
            await sides.runUntilIdle()
            for index in order + order {
                let event = events[index].replacing("\"livemode\":true", with: "\"livemode\":false")
                let answer = try await Self.deliver(event, to: sides.client)
                #expect(answer.status == .ok)
                await sides.runUntilIdle()
            }
            let held = try await sides.list("/v1/events?state=held", "events")
            #expect(held.isEmpty, "\(held)")
            let review = try await sides.list("/v1/review", "review")
            #expect(!review.contains { $0["kind"] as? String == "payment-event" }, "\(review)")
            let sales = try await sides.list("/v1/sales", "sales")
            // A dispute that arrives after the refund of everything takes nothing.
            let dispute = order.firstIndex(of: 2) ?? 0 < order.firstIndex(of: 0) ?? 0 ? [] : ["dp_1", "dp_1/reversal"]
            #expect(Set(sales.compactMap { $0["saleId"] as? String }) == Set(["pi_1", "re_1"] + dispute))
            #expect(try await StripeCorrectionTests.givenBack(sides) == 9_990)
            #expect(sales.first { $0["saleId"] as? String == "re_1" }?["standing"] as? String == "reported")
            #expect(sales.allSatisfy { $0["state"] as? String != "held" }, "\(sales)")
            #expect(!review.contains { $0["kind"] as? String == "sale-held" }, "\(review)")
        }
    }

    @Test("Ids with control characters are refused or held, as POST /v1/sales refuses them")
    func controlCharacters() async throws {
        let server = try ServerFixture(stripe: Self.settings())
        try await server.application.test(.router) { client in
            for id in [#"evt_\u0000nul"#, #"evt_\u001b[2J"#] {
                let answer = try await Self.deliver(Self.session(id), to: client)
                #expect(answer.status == .badRequest, "\(answer.json)")
            }
            for (number, customer) in [#"q\u001b[31m"#, #"cust\u202ex"#, #"a\u0000b"#].enumerated() {
                let body = Self.session("evt_\(number)", intent: "pi_\(number)")
                    .replacing(
                        "\"external_purchase_customer\":\"anna\"",
                        with: "\"external_purchase_customer\":\"\(customer)\""
                    )
                let answer = try await Self.deliver(body, to: client)
                #expect(answer.json["state"] as? String == "held", "\(answer.json)")
            }
            for (number, product) in [#"a\u001b[31mb"#, #"a\u202eb"#, #"\n"#, #"a\u0000b"#].enumerated() {
                let body = Self.session("evt_p\(number)", intent: "pi_p\(number)").replacing("gems.100", with: product)
                let answer = try await Self.deliver(body, to: client)
                #expect(answer.json["state"] as? String == "held", "\(answer.json)")
            }
            let sales = try await client.execute(uri: "/v1/sales", method: .get)
            #expect((sales.json["sales"] as? [Any])?.isEmpty == true)
        }
    }

    @Test("A zero byte in a path or filter finds nothing, and voids nothing")
    func zeroBytes() async throws {
        let server = try ServerFixture(stripe: Self.settings())
        try await server.application.test(.router) { client in
            try await Self.deliver(Self.session(), to: client)
            for uri in ["/v1/sales/pi_1%00x", "/v1/events/evt_1%00"] {
                #expect(try await client.execute(uri: uri, method: .get).status == .notFound, "\(uri)")
            }
            let void = try await client.execute(
                uri: "/v1/sales/pi_1%00zz/void",
                method: .post,
                headers: [.contentType: "application/json"],
                body: ByteBuffer(string: #"{"reason":"r","by":"b"}"#)
            )
            #expect(void.status == .notFound)
            let sale = try await client.execute(uri: "/v1/sales/pi_1", method: .get)
            #expect(sale.json["state"] as? String != "void")
            let filtered = try await client.execute(uri: "/v1/events?saleId=pi_1%00", method: .get)
            #expect(filtered.status == .unprocessableContent)
        }
    }

    @Test("An event that the ledger refuses again is held with a review item, until it can be applied")
    func refusedApplication() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "stripe-refusals-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try SQLiteLedgerStore(path: folder.appending(path: "ledger.sqlite").path)
        // As an index does that has no room for a row.
        try await store.pool.write { database in
            try database.execute(
                sql: "CREATE TRIGGER full BEFORE INSERT ON sales BEGIN SELECT RAISE(ABORT, 'no room for it'); END"
            )
        }
        let server = try ServerFixture(store: store, stripe: Self.settings())
        try await server.application.test(.router) { client in
            let answer = try await Self.deliver(Self.session(), to: client)
            #expect(answer.status == .ok && answer.json["state"] as? String == "received", "\(answer.json)")
            try await server.merchant.paymentWorker?.work()
            let event = try await client.execute(uri: "/v1/events/evt_1", method: .get).json
            #expect(event["state"] as? String == "held", "\(event)")
            #expect((event["detail"] as? String)?.contains("no room for it") == true, "\(event)")
            #expect(try await Self.items(client, "payment-event").count == 1)
            let refused = try await client.execute(uri: "/v1/events/evt_1/apply", method: .post)
            #expect(refused.status == .ok && refused.json["state"] as? String == "held", "\(refused.json)")
            #expect(try await Self.items(client, "payment-event").count == 1)
            try await store.pool.write { try $0.execute(sql: "DROP TRIGGER full") }
            let again = try await client.execute(uri: "/v1/events/evt_1/apply", method: .post)
            #expect(again.json["state"] as? String == "applied", "\(again.json)")
            #expect(try await Self.items(client, "payment-event").isEmpty)
        }
    }

    @Test(
        "An event whose application fails is stored before the answer and applied once by the next run",
        arguments: [LedgerFault.Point.start, .statement(0), .statement(3), .afterStatement(9), .commit, .answer]
    )
    func failingApplication(_ point: LedgerFault.Point) async throws {
        let faults = LedgerFaultScript()
        let folder = FileManager.default.temporaryDirectory.appending(path: "stripe-faults-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let sqlite = try SQLiteLedgerStore(path: folder.appending(path: "ledger.sqlite").path)
        let failing = FaultyLedgerStore(sqlite, faults)
        let server = try ServerFixture(store: failing, stripe: Self.settings())
        try await server.application.test(.router) { client in
            faults.failWrite(at: point)
            let answer = try await Self.deliver(Self.session(), to: client)
            #expect(answer.status == .ok && failing.faults == 1, "\(answer.json)")
            #expect(answer.json["state"] as? String == (point == .answer ? "applied" : "received"))
            try await server.merchant.paymentWorker?.work()
            let event = try await client.execute(uri: "/v1/events/evt_1", method: .get)
            #expect(event.json["state"] as? String == "applied", "\(event.json)")
            let sales = try await client.execute(uri: "/v1/sales", method: .get)
            let list = try #require(sales.json["sales"] as? [[String: Any]])
            #expect(list.compactMap { $0["saleId"] as? String } == ["pi_1"])
            #expect(try await Self.deliver(Self.session(), to: client).json["state"] as? String == "applied")
        }
    }

    @Test("An event that cannot be stored is answered 503, so that Stripe sends it again")
    func fullDisk() async throws {
        let server = try ServerFixture(store: FaultyLedgerStore.full, stripe: Self.settings())
        try await server.application.test(.router) { client in
            let answer = try await Self.deliver(Self.session(), to: client)
            #expect(answer.status == .serviceUnavailable)
        }
    }

    /// Answers line items, as Stripe's API does for a session.
    private struct LineItems: StripeAPI {
        func fetch(_ request: PaymentRequest) async throws(StripeAPIError) -> [JSONValue] {
            guard request.path.contains("/line_items") else { return [] }
            let text = """
                {"id":"li_1","object":"item","quantity":1,"amount_total":999,"amount_subtotal":999,"amount_tax":173,
                 "amount_discount":0,"currency":"eur","price":{"id":"price_1","object":"price","product":"prod_1",
                 "lookup_key":"gems.100","tax_behavior":"inclusive"}}
                """
            return [(try? JSONReader().read(Array(text.utf8))) ?? .null]
        }

        func events(
            from: Timestamp,
            through: Timestamp,
            before: String?
        ) async throws(StripeAPIError) -> (events: [JSONValue], hasMore: Bool) {
            ([], false)
        }
    }

    @Test("A held event is applied at the start of a server that has an API key")
    func heldUntilAPIKey() async throws {
        let body = Self.session().replacing(/"line_items":\{.*\}\}\]\}/.dotMatchesNewlines(), with: #""x":{}"#)
        let first = try ServerFixture(stripe: Self.settings())
        try await first.application.test(.router) { client in
            let answer = try await Self.deliver(body, to: client)
            #expect(answer.json["state"] as? String == "held", "\(answer.json)")
        }
        let entry = StripeSource.Entry(
            account: PaymentAccount(bundleId: ServerFixture.bundleId),
            signingSecrets: [Self.secret],
            api: LineItems()
        )
        let second = try ServerFixture(store: first.store, stripe: StripeSource(entries: [entry]))
        try await second.merchant.paymentWorker?.work()
        try await second.application.test(.router) { client in
            let event = try await client.execute(uri: "/v1/events/evt_1", method: .get)
            #expect(event.json["state"] as? String == "applied", "\(event.json)")
            let sale = try await client.execute(uri: "/v1/sales/pi_1", method: .get)
            #expect(sale.status == .ok)
        }
    }
}

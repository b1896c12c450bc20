import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
import Reporting
import StripeEvents
import Testing

@testable import ReportingServer

@Suite("Stripe's events through the webhook")
struct StripeWebhookTests {
    static let secret = "whsec_0123456789abcdef0123456789abcdef"
    static let old = "whsec_ffffffffffffffffffffffffffffffff"

    static func settings(_ products: [String: String] = [:]) -> StripeSettings {
        StripeSettings(entries: [
            .init(
                account: StripeAccount(
                    bundleId: ServerFixture.bundleId,
                    products: products,
                    taxCountry: nil,
                    taxRate: nil
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

    /// Answers line items, as Stripe's API does for a session.
    private struct LineItems: StripeAPI {
        func fetch(_ request: StripeRequest) async throws(StripeAPIError) -> [JSONValue] {
            guard case .sessionLineItems = request else { return [] }
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
        let entry = StripeSettings.Entry(
            account: StripeAccount(bundleId: ServerFixture.bundleId),
            signingSecrets: [Self.secret],
            api: LineItems()
        )
        let second = try ServerFixture(store: first.store, stripe: StripeSettings(entries: [entry]))
        try await second.merchant.stripeWorker?.work()
        try await second.application.test(.router) { client in
            let event = try await client.execute(uri: "/v1/events/evt_1", method: .get)
            #expect(event.json["state"] as? String == "applied", "\(event.json)")
            let sale = try await client.execute(uri: "/v1/sales/pi_1", method: .get)
            #expect(sale.status == .ok)
        }
    }
}

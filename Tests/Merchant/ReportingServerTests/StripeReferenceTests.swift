import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
import Payments
import Testing

@testable import Reporting
@testable import ReportingServer

@Suite("Which payments of Stripe are taken")
struct StripeReferenceTests {
    static let start = Timestamp(milliseconds: 1_795_176_000_000)

    /// A server on a clock of its own, whose worker looks once when it is told to.
    static func server(
        _ clock: TurnedClock,
        take: PaymentAccount.Take = .referenced,
        store: (any LedgerStore)? = nil
    ) throws -> ServerFixture {
        var dependencies = ReportingDependencies.live
        dependencies.now = { clock.now }
        let account = PaymentAccount(bundleId: ServerFixture.bundleId, take: take)
        return try ServerFixture(
            store: store,
            environments: [.sandbox, .production],
            stripe: StripeSource(
                entries: [.init(account: account, signingSecrets: [StripeWebhookTests.secret], api: nil)]
            ),
            dependencies: dependencies
        )
    }

    /// A paid session that has no metadata of the product.
    private static func session(
        _ number: Int,
        checkout: String? = nil,
        customer: String? = nil,
        at moment: Timestamp = start
    ) -> String {
        StripeWebhookTests.session(
            "evt_\(number)",
            intent: "pi_\(number)",
            checkout: checkout,
            seconds: Int(moment.milliseconds / 1_000)
        )
        .replacing(
            #""metadata":{"external_purchase_customer":"anna"}"#,
            with: #""metadata":{},"customer":\#(customer.map { "\"\($0)\"" } ?? "null")"#
        )
    }

    private static func refund(_ number: Int) -> String {
        StripeWebhookTests.refund("evt_\(number)_r", amount: 300, intent: "pi_\(number)")
            .replacing("re_1", with: "re_\(number)")
    }

    static func states(_ client: some TestClientProtocol) async throws -> [String: String] {
        let events = try await client.execute(uri: "/v1/events?limit=200", method: .get).json["events"]
        var states: [String: String] = [:]
        for event in try #require(events as? [[String: Any]]) {
            states[event["eventId"] as? String ?? ""] =
                "\(event["state"] as? String ?? "") \(event["reference"] as? String ?? "-")"
        }
        return states
    }

    static func sales(_ client: some TestClientProtocol) async throws -> Set<String> {
        let sales = try await client.execute(uri: "/v1/sales", method: .get).json["sales"]
        return Set(try #require(sales as? [[String: Any]]).compactMap { $0["saleId"] as? String })
    }

    static func open(_ client: some TestClientProtocol) async throws -> [String] {
        let items = try await client.execute(uri: "/v1/review", method: .get).json["review"]
        return try #require(items as? [[String: Any]]).compactMap { $0["kind"] as? String }
    }

    private static func takeToken(
        _ checkout: String,
        _ client: some TestClientProtocol
    ) async throws {
        let token = ServerFixture.token("7b1e6c1a-3f52-4d0b-9c77-5a2e8d4f1b60")
        let answer = try await client.send(
            .post,
            "/v1/tokens",
            body: ["token": token, "checkoutId": checkout]
        )
        #expect([.ok, .created].contains(answer.status), "\(answer.json)")
    }

    @Test(
        "A payment that names a checkout waits for its token, is then not used, and comes back with it",
        arguments: [
            true, false,
        ]
    )
    func lateToken(_ isInTime: Bool) async throws {
        let clock = TurnedClock(Self.start)
        let server = try Self.server(clock)
        let worker = try #require(server.merchant.paymentWorker)
        try await server.application.test(.router) { client in
            try await StripeWebhookTests.deliver(Self.session(1, checkout: "basket-1"), to: client)
            try await StripeWebhookTests.deliver(Self.refund(1), to: client)
            try await StripeWebhookTests.deliver(Self.session(2), to: client)
            #expect(
                try await Self.states(client) == [
                    "evt_1": "waiting waiting", "evt_1_r": "waiting waiting", "evt_2": "not-used unreferenced",
                ]
            )
            clock.advance(by: isInTime ? .hours(23) : .hours(25))
            try await worker.work()
            if !isInTime {
                #expect(try await Self.states(client)["evt_1_r"] == "not-used unreferenced")
                #expect(try await Self.open(client) == [])
            }
            try await Self.takeToken("basket-1", client)
            try await worker.work()
            #expect(
                try await Self.states(client) == [
                    "evt_1": "applied referenced", "evt_1_r": "applied referenced", "evt_2": "not-used unreferenced",
                ]
            )
            #expect(try await Self.sales(client) == ["pi_1", "re_1"])
            // A renewal of the reference's knowledge changes nothing.
            try await worker.work()
            #expect(try await Self.sales(client) == ["pi_1", "re_1"])
        }
    }

    @Test("The payments of a customer are taken once one of them is, whichever arrives first", arguments: 0..<6)
    func customer(_ order: Int) async throws {
        let bodies = [
            Self.session(1, customer: "cus_1"), Self.session(2, checkout: "basket-1", customer: "cus_1"),
            Self.refund(1),
        ]
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        let server = try Self.server(TurnedClock(Self.start + .days(1)))
        let worker = try #require(server.merchant.paymentWorker)
        try await server.application.test(.router) { client in
            try await Self.takeToken("basket-1", client)
            for index in orders[order] { try await StripeWebhookTests.deliver(bodies[index], to: client) }
            try await StripeWebhookTests.deliver(Self.session(3, customer: "cus_2"), to: client)
            try await worker.work()
            let (sales, states) = try await (Self.sales(client), Self.states(client))
            #expect(sales == ["pi_1", "pi_2", "re_1"], "\(states)")
            #expect(states["evt_3"] == "not-used unreferenced")
        }
    }

    @Test("With take: all, every payment is a sale; what was taken stays taken")
    func all() async throws {
        let first = try Self.server(TurnedClock(Self.start), take: .all)
        try await first.application.test(.router) { client in
            try await StripeWebhookTests.deliver(Self.session(1), to: client)
            #expect(try await Self.sales(client) == ["pi_1"])
        }
        let account = PaymentAccount(bundleId: ServerFixture.bundleId)
        let settings = StripeSource(
            entries: [.init(account: account, signingSecrets: [StripeWebhookTests.secret], api: nil)]
        )
        let second = try ServerFixture(store: first.store, stripe: settings)
        try await second.application.test(.router) { client in
            try await StripeWebhookTests.deliver(Self.refund(1), to: client)
            #expect(try await Self.sales(client) == ["pi_1", "re_1"])
        }
    }

    @Test("Twenty strangers open nothing; a share that jumps does, and the figures show both")
    func figures() async throws {
        let clock = TurnedClock(Self.start)
        let server = try Self.server(clock)
        let store = server.store
        try await server.application.test(.router) { client in
            // A month in which two of three payments are of strangers.
            for number in 1...30 {
                let moment = clock.now
                let body =
                    number % 3 == 0
                    ? StripeWebhookTests.session(
                        "evt_\(number)",
                        intent: "pi_\(number)",
                        seconds: Int(moment.milliseconds / 1_000)
                    ) : Self.session(number, at: moment)
                try await StripeWebhookTests.deliver(body, to: client)
                if number == 20 { clock.advance(by: .days(2)) }
            }
            try await store.write { ledger throws(LedgerError) in
                try UnreferencedPayments.review(of: [ServerFixture.bundleId], now: clock.now, in: ledger)
            }
            #expect(try await !Self.open(client).contains("payments-unreferenced"))
            let text = try await client.execute(uri: "/metrics", method: .get)
            let lines = String(buffer: text.body).split(separator: "\n")
            let labels = #"app="com.example.shop",environment="production""#
            for (reference, count, sum) in [("referenced", "10", "99.9"), ("unreferenced", "20", "199.8")] {
                let all = #"{\#(labels),reference="\#(reference)",currency="EUR"}"#
                #expect(lines.contains("external_purchase_payments\(all) \(count)"))
                #expect(lines.contains("external_purchase_payments_amount\(all) \(sum)"))
            }
            // The checkout page loses its parameter.
            clock.advance(by: .days(2))
            for number in 101...112 {
                try await StripeWebhookTests.deliver(Self.session(number, at: clock.now), to: client)
            }
            for _ in 0..<2 {
                try await store.write { ledger throws(LedgerError) in
                    try UnreferencedPayments.review(of: [ServerFixture.bundleId], now: clock.now, in: ledger)
                }
                #expect(try await Self.open(client).filter { $0 == "payments-unreferenced" }.count == 1)
            }
            // It is mended.
            clock.advance(by: .days(2))
            for number in 201...212 {
                let body = StripeWebhookTests.session(
                    "evt_\(number)",
                    intent: "pi_\(number)",
                    seconds: Int(clock.now.milliseconds / 1_000)
                )
                try await StripeWebhookTests.deliver(body, to: client)
            }
            try await store.write { ledger throws(LedgerError) in
                try UnreferencedPayments.review(of: [ServerFixture.bundleId], now: clock.now, in: ledger)
            }
            #expect(try await !Self.open(client).contains("payments-unreferenced"))
        }
        let system = try Self.server(clock, store: store).merchant
        let home = Application(router: ReportingServer(system: system, links: [:], dashboard: .kim()).router())
        try await home.test(.router) { client in
            let browser = DashboardBrowser(client)
            try await browser.signIn()
            let page = try await browser.page("/?environment=production")
            #expect(
                page.contains("Payments not from the app") && page.contains("of 54 payments in 30 days: EUR 319.68")
            )
            let sandbox = try await browser.page("/?environment=sandbox")
            #expect(!sandbox.contains("Payments not from the app"))
        }
    }

    @Test("Two events of one payment that wait are both set aside for good")
    func dismissalOfSeveral() async throws {
        let server = try Self.server(TurnedClock(Self.start + .days(1)))
        let worker = try #require(server.merchant.paymentWorker)
        let running = Task { try await worker.run() }
        try await server.application.test(.router) { client throws in
            let charge =
                #"{"id":"evt_3","object":"event","api_version":"2024-06-20","created":1795180000,"livemode":true,"#
                + #""type":"charge.refunded","data":{"object":{"id":"ch_1","object":"charge","amount":999,"#
                + #""amount_captured":999,"amount_refunded":300,"currency":"eur","payment_intent":"pi_1"}}}"#
            try await StripeWebhookTests.deliver(StripeWebhookTests.refund(amount: 300), to: client)
            try await StripeWebhookTests.deliver(charge, to: client)
            for event in ["evt_2", "evt_3"] {
                #expect(try await Self.dismiss(event, client).json["state"] as? String == "dismissed")
                try await Task.sleep(for: .milliseconds(300))
            }
            let states = try await Self.states(client)
            #expect(states.values.allSatisfy { $0.hasPrefix("dismissed") }, "\(states)")
        }
        running.cancel()
        _ = await running.result
    }

    // MARK: Set aside

    private static func dismiss(
        _ event: String,
        _ client: some TestClientProtocol,
        _ body: [String: Any] = ["reason": "a gift card", "by": "kim"]
    ) async throws -> TestResponse {
        try await client.send(.post, "/v1/events/\(event)/dismiss", body: body)
    }

    /// Delivers a session in a currency that there is not, which is held, and returns it.
    private static func deliverHeld(_ client: some TestClientProtocol) async throws -> String {
        let session = StripeWebhookTests.session().replacing(
            #""currency":"eur","created""#,
            with: #""currency":"xxx","created""#
        )
        let delivered = try await StripeWebhookTests.deliver(session, to: client)
        #expect(delivered.json["state"] as? String == "held")
        let open = try await Self.open(client)
        #expect(open == ["payment-event"])
        return session
    }

    @Test("A held event that is set aside counts nowhere until it is applied again")
    func dismissal() async throws {
        let server = try Self.server(TurnedClock(Self.start))
        try await server.application.test(.router) { client in
            let wrong = try await Self.deliverHeld(client)
            let set = try await Self.dismiss("evt_1", client)
            #expect(set.status == .ok && set.json["state"] as? String == "dismissed", "\(set.json)")
            #expect(set.json["detail"] as? String == "set aside by kim: a gift card")
            #expect(try await Self.open(client) == [])
            // Another event of its payment, and the same one again, bring nothing back.
            try await StripeWebhookTests.deliver(StripeWebhookTests.refund(), to: client)
            try await StripeWebhookTests.deliver(wrong, to: client)
            #expect(try await Self.states(client)["evt_1"]?.hasPrefix("dismissed") == true)
            #expect(try await Self.dismiss("evt_1", client).json["state"] as? String == "dismissed")
            // A colleague undoes it.
            let again = try await client.send(.post, "/v1/events/evt_1/apply", body: [:])
            #expect(again.json["state"] as? String == "held", "\(again.json)")
            #expect(try await Self.open(client).contains("payment-event"))
        }
    }

    @Test("The review item of a held event is closed when a later record opens the event and it is applied")
    func heldAndOpened() async throws {
        let server = try Self.server(TurnedClock(Self.start))
        let worker = try #require(server.merchant.paymentWorker)
        try await server.application.test(.router) { client in
            _ = try await Self.deliverHeld(client)
            // The shop's own sale is what the payment was.
            let own = try await client.send(.post, "/v1/sales", body: Self.own("order-1", payment: "pi_1"))
            #expect(own.status == .created, "\(own.json)")
            try await worker.work()
            let states = try await Self.states(client)
            #expect(states["evt_1"]?.hasPrefix("applied") == true, "\(states)")
            let open = try await Self.open(client)
            #expect(!open.contains("payment-event"), "\(open)")
        }
    }

    @Test("What is decided is not set aside; a dismissal needs a reason and a known event")
    func refusedDismissal() async throws {
        let server = try Self.server(TurnedClock(Self.start))
        try await server.application.test(.router) { client in
            try await StripeWebhookTests.deliver(StripeWebhookTests.session(), to: client)
            try await StripeWebhookTests.deliver(Self.session(2), to: client)
            for event in ["evt_1", "evt_2"] {
                #expect(try await Self.dismiss(event, client).status == .conflict)
            }
            #expect(try await Self.dismiss("evt_9", client).status == .notFound)
            for body in [
                [:], ["reason": ""], ["reason": 5], ["reason": NSNull()], ["reason": "x", "by": ""],
                ["reason": "x", "by": NSNull()], ["reason": "x", "event": "evt_1"],
                ["reason": String(repeating: "x", count: 501)],
            ] as [[String: Any]] {
                #expect(try await Self.dismiss("evt_1", client, body).status == .unprocessableContent, "\(body)")
            }
            #expect(try await Self.sales(client) == ["pi_1"])
        }
    }

    @Test("The page of an event sets it aside with a reason")
    func dismissalByForm() async throws {
        let server = try Self.server(TurnedClock(Self.start))
        let held = StripeWebhookTests.session().replacing(
            #""currency":"eur","created""#,
            with: #""currency":"xxx","created""#
        )
        let router = ReportingServer(system: server.merchant, links: [:], dashboard: .kim()).router()
        try await Application(router: router).test(.router) { client in
            try await StripeWebhookTests.deliver(held, to: client)
            let browser = DashboardBrowser(client)
            try await browser.signIn()
            #expect(try await browser.page("/events/evt_1").contains("Set aside"))
            let sent = try await browser.submit(
                "/events/evt_1/dismiss",
                [("reason", "a gift card")],
                from: "/events/evt_1"
            )
            #expect(sent.status == .seeOther, "\(sent.status)")
            let page = try await browser.page("/events/evt_1")
            #expect(page.contains("Set aside by kim: a gift card") && !page.contains("/events/evt_1/dismiss"))
        }
    }
}

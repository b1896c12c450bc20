import ExternalPurchaseCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Ledger
import Payments
import Synchronization
import Testing

@testable import Reporting
@testable import ReportingServer

@Suite("What events of Stripe leave out is fetched while the server runs")
struct StripeWorkerTests {
    /// Stripe's API by script, and the waits between requests, which end at once.
    private final class Script: StripeAPI {
        private struct State {
            var failures: [StripeAPIError]
            var waits: [Duration] = []
            var requests: [String] = []
        }

        private let answers: [PaymentRequest: [JSONValue]]
        private let state: Mutex<State>

        init(_ answers: [PaymentRequest: [JSONValue]], failures: [StripeAPIError] = []) {
            self.answers = answers
            state = Mutex(State(failures: failures))
        }

        var waits: [Duration] { state.withLock(\.waits) }
        var requests: [String] { state.withLock(\.requests) }

        /// The dependencies of the server: without jitter, and an hour that does not end.
        var dependencies: ReportingDependencies {
            var dependencies = ReportingDependencies.live
            dependencies.random = { 0 }
            dependencies.sleep = { duration in
                if duration >= .seconds(3_600) { try await Task.sleep(for: duration) }
                self.state.withLock { $0.waits.append(duration) }
            }
            return dependencies
        }

        func fetch(_ request: PaymentRequest) async throws(StripeAPIError) -> [JSONValue] {
            let failure = state.withLock { state in
                state.requests.append(request.path)
                return state.failures.isEmpty ? nil : state.failures.removeFirst()
            }
            if let failure { throw failure }
            return answers[request] ?? []
        }

        func events(
            from: Timestamp,
            through: Timestamp,
            before: String?
        ) async throws(StripeAPIError) -> (events: [JSONValue], hasMore: Bool) {
            ([], false)
        }
    }

    private static func settings(_ api: Script, products: [String: String] = [:]) -> StripeSource {
        let account = PaymentAccount(bundleId: ServerFixture.bundleId, products: products, take: .all)
        return StripeSource(entries: [.init(account: account, signingSecrets: [StripeWebhookTests.secret], api: api)])
    }

    private static func state(_ event: String, _ client: some TestClientProtocol) async throws -> String? {
        try await client.execute(uri: "/v1/events/\(event)", method: .get).json["state"] as? String
    }

    private static func wait(until isTrue: () async throws -> Bool) async throws {
        for _ in 0..<2_400 {
            if try await isTrue() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("it did not become true")
    }

    @Test("A request without an answer is sent again after 1, 2 and 4 seconds, and the event is applied then")
    func backoff() async throws {
        let body = StripeWebhookTests.session()
            .replacing(/"line_items":\{.*\}\}\]\}/.dotMatchesNewlines(), with: #""x":{}"#)
        let item = """
            {"id":"li_1","object":"item","quantity":1,"amount_total":999,"amount_subtotal":999,"amount_tax":173,
             "amount_discount":0,"currency":"eur","price":{"id":"price_1","object":"price","product":"prod_1",
             "lookup_key":"gems.100","tax_behavior":"inclusive"}}
            """
        let api = Script(
            [.sessionLineItems("cs_pi_1"): [try JSONReader().read(Array(item.utf8))]],
            failures: [.noAnswer("x"), .rateLimited, .noAnswer("x")]
        )
        let server = try ServerFixture(stripe: Self.settings(api), dependencies: api.dependencies)
        let worker = try #require(server.merchant.paymentWorker)
        let running = Task { try await worker.run() }
        try await server.application.test(.router) { client throws in
            let answer = try await StripeWebhookTests.deliver(body, to: client)
            #expect(answer.json["state"] as? String == "waiting", "\(answer.json)")
            try await Self.wait { try await Self.state("evt_1", client) == "applied" }
        }
        running.cancel()
        _ = await running.result
        #expect(api.waits == [.seconds(1), .seconds(2), .seconds(4)])
        #expect(api.requests.count == 4)
    }

    @Test("A held event whose first request fails at the start is looked at again, not at the next start only")
    func heldAtStart() async throws {
        let body = StripeWebhookTests.session()
            .replacing(/"line_items":\{.*\}\}\]\}/.dotMatchesNewlines(), with: #""x":{}"#)
        let first = try ServerFixture(stripe: StripeWebhookTests.settings())
        try await first.application.test(.router) { client throws in
            let answer = try await StripeWebhookTests.deliver(body, to: client)
            #expect(answer.json["state"] as? String == "held", "\(answer.json)")
        }
        let item = """
            {"id":"li_1","object":"item","quantity":1,"amount_total":999,"amount_subtotal":999,"amount_tax":173,
             "amount_discount":0,"currency":"eur","price":{"id":"price_1","object":"price","product":"prod_1",
             "lookup_key":"gems.100","tax_behavior":"inclusive"}}
            """
        let api = Script(
            [.sessionLineItems("cs_pi_1"): [try JSONReader().read(Array(item.utf8))]],
            failures: [.noAnswer("x")]
        )
        let second = try ServerFixture(
            store: first.store,
            stripe: Self.settings(api),
            dependencies: api.dependencies
        )
        let worker = try #require(second.merchant.paymentWorker)
        let running = Task { try await worker.run() }
        try await second.application.test(.router) { client throws in
            try await Self.wait { try await Self.state("evt_1", client) == "applied" }
        }
        running.cancel()
        _ = await running.result
    }

    @Test("A refund that only a fetched invoice payment connects with its invoice is applied when the invoice arrives")
    func linkedByInvoicePayment() async throws {
        let invoice = """
            {"id":"evt_i","object":"event","api_version":"2025-03-31.basil","created":1795176000,"livemode":true,
             "type":"invoice.paid","data":{"object":{"id":"in_1","object":"invoice","amount_due":999,"amount_paid":999,
             "amount_remaining":0,"billing_reason":"subscription_create","created":1795175940,"currency":"eur",
             "customer":"cus_Shop1","customer_address":{"country":"NL"},"livemode":true,"metadata":{},
             "starting_balance":0,"status":"paid","status_transitions":{"paid_at":1795176000},"subtotal":999,
             "total":999,"total_taxes":[],"automatic_tax":{"enabled":false},
             "parent":{"type":"subscription_details","subscription_details":{"metadata":{},"subscription":"sub_1"}},
             "lines":{"object":"list","has_more":false,"total_count":1,"url":"/v1/invoices/in_1/lines","data":[
             {"id":"il_1","object":"line_item","amount":999,"currency":"eur","discount_amounts":[],"livemode":true,
             "metadata":{},"parent":{"type":"subscription_item_details","subscription_item_details":
             {"proration":false,"subscription":"sub_1","subscription_item":"si_1"}},
             "period":{"end":1797768000,"start":1795176000},"quantity":1,
             "pricing":{"type":"price_details","unit_amount_decimal":"999",
             "price_details":{"price":"price_Month","product":"prod_Plan"}},
             "taxes":[{"amount":173,"tax_behavior":"inclusive","taxability_reason":"standard_rated"}]}]}}}}
            """
        let payment = """
            {"id":"inpay_1","object":"invoice_payment","amount_paid":999,"amount_requested":999,"created":1795176000,
             "currency":"eur","invoice":"in_1","is_default":true,"livemode":true,"status":"paid",
             "payment":{"payment_intent":"pi_1","type":"payment_intent"}}
            """
        let api = Script([
            .invoicePayments(paymentIntent: "pi_1"): [try JSONReader().read(Array(payment.utf8))]
        ])
        let server = try ServerFixture(
            stripe: Self.settings(api, products: ["price_Month": "plan.monthly"]),
            dependencies: api.dependencies
        )
        let worker = try #require(server.merchant.paymentWorker)
        let running = Task { try await worker.run() }
        try await server.application.test(.router) { client throws in
            try await StripeWebhookTests.deliver(StripeWebhookTests.refund("evt_r", amount: 300), to: client)
            try await Self.wait { !api.requests.isEmpty }
            try await Task.sleep(for: .milliseconds(300))
            #expect(try await Self.state("evt_r", client) == "waiting")
            let answer = try await StripeWebhookTests.deliver(invoice, to: client)
            #expect(answer.json["state"] as? String == "applied", "\(answer.json)")
            try await Self.wait { try await Self.state("evt_r", client) == "applied" }
            let sale = try await client.execute(uri: "/v1/sales/re_1", method: .get)
            #expect(sale.status == .ok, "\(sale.json)")
        }
        running.cancel()
        _ = await running.result
        #expect(api.waits.isEmpty)
        // Each later reading of the invoice has its refund, which only the fetched object connects with it.
        let found = try await server.merchant.store.read { ledger throws(LedgerError) in
            try ledger.paymentEvents(about: ["in_1"], of: .stripe).map(\.eventId)
        }
        #expect(found.contains("evt_r"))
    }
}

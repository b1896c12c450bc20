import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import LedgerSQLite
import Payments
import Testing

@testable import Reporting
@testable import ReportingServer

@Suite("Payment events in the dashboard")
struct DashboardEventTests {
    /// Answers every request with one line item of 9.99 EUR.
    private struct LineItems: StripeAPI {
        func fetch(_ request: PaymentRequest) async throws(StripeAPIError) -> [JSONValue] {
            let text = """
                {"id":"li_1","object":"item","quantity":1,"amount_total":999,"amount_subtotal":999,"amount_tax":173,
                "amount_discount":0,"currency":"eur","price":{"id":"price_1","object":"price","product":"prod_1",
                "lookup_key":"gems.100","tax_behavior":"inclusive"}}
                """
            guard let item = try? JSONReader().read(Array(text.utf8)) else { throw .unusable("no JSON") }
            return [item]
        }

        func events(
            from: Timestamp,
            through: Timestamp,
            before: String?
        ) async throws(StripeAPIError) -> (events: [JSONValue], hasMore: Bool) { ([], false) }
    }

    private static func settings(_ api: (any StripeAPI)? = nil) -> StripeSource {
        StripeSource(
            entries: StripeWebhookTests.settings().entries.map {
                .init(account: $0.account, signingSecrets: $0.signingSecrets, api: api)
            }
        )
    }

    /// A session as Stripe sends it: without its line items.
    private static func bareSession(_ id: String = "evt_1", intent: String = "pi_1") -> String {
        StripeWebhookTests.session(id, intent: intent).replacing(
            #/,\s+"line_items":.*/#.dotMatchesNewlines(),
            with: "}}}"
        )
    }

    private static func application(_ fixture: borrowing ServerFixture) -> some ApplicationProtocol {
        let server = ReportingServer(system: fixture.merchant, links: [:], dashboard: .kim())
        return Application(router: server.router())
    }

    @Test("A held event says why, is found by every id of its payment, and the review item leads to it")
    func held() async throws {
        let fixture = try ServerFixture(stripe: Self.settings())
        try await Self.application(fixture).test(.router) { client in
            try await StripeWebhookTests.deliver(Self.bareSession(), to: client)
            try await StripeWebhookTests.deliver(StripeWebhookTests.refund(), to: client)
            let browser = DashboardBrowser(client)
            try await browser.signIn()
            let list = try await browser.page("/events")
            for text in ["evt_1", "evt_2", "Checkout session completed, ", "cs_pi_1", "held", "apiKeyFile"] {
                #expect(list.contains(text), "\(text)")
            }
            let held = try await browser.page("/events?state=held&kind=&saleId=&from=&until=")
            #expect(held.contains("evt_1") && !held.contains("evt_2"))
            #expect(try await browser.page("/events?kind=refund.created").contains("evt_2"))
            #expect(try await browser.page("/events?state=applied").contains("No payment event matches"))
            #expect(try await browser.send(.get, "/events?state=lost").status == .unprocessableContent)

            let page = try await browser.page("/events/evt_1")
            for text in [
                "line-items".capitalizedFirst, "apiKeyFile", "Apply again", "The event gave no sale",
                "Connected events",
                "evt_2", "&quot;cs_pi_1&quot;", "NL", "live, reported to production",
            ] { #expect(page.contains(text), "\(text)") }
            // Personal data is not stored.
            #expect(!page.contains("anna@example.com") && !page.contains("Delft"))
            #expect(try await browser.send(.get, "/events/evt_9").status == .notFound)

            let review = try await browser.page("/review")
            #expect(review.contains("/events?state=held") && !review.contains("apiKeyFile"))
            let item = try await browser.page("/review/1")
            #expect(item.contains("/events?state=held") && item.contains("then apply it again on its page"))

            #expect(try await browser.send(.get, "/search?q=evt_2").headers[.location] == "/events/evt_2")
            #expect(try await browser.send(.get, "/search?q=ch_1").headers[.location] == "/events/evt_2")
            let payment = try await browser.page("/search?q=pi_1")
            #expect(payment.contains("/events/evt_1") && payment.contains("/events/evt_2"))
            #expect(try await browser.page("/search?q=pi_1%00").contains("No record has exactly this id"))
        }
    }

    @Test("Apply again reads the event with the present configuration; its sale is linked and its items close")
    func applyAgain() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "events-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try SQLiteLedgerStore(path: folder.appending(path: "ledger.sqlite").path)
        let before = try ServerFixture(store: store, stripe: Self.settings())
        try await Self.application(before).test(.router) { client in
            try await StripeWebhookTests.deliver(Self.bareSession(), to: client)
            let browser = DashboardBrowser(client)
            try await browser.signIn()
            // The configuration is the same: it stays held, with one review item.
            let again = try await browser.submit("/events/evt_1/apply", from: "/events/evt_1")
            #expect(again.headers[.location] == "/events/evt_1?done=applied")
            #expect(try await browser.page("/events/evt_1?done=applied").contains("apiKeyFile"))
            let review = try await client.execute(uri: "/v1/review", method: .get).json
            #expect((review["review"] as? [Any])?.count == 1)
        }
        let after = try ServerFixture(store: store, stripe: Self.settings(LineItems()))
        let system = after.merchant
        try await Self.application(after).test(.router) { client in
            let browser = DashboardBrowser(client)
            try await browser.signIn()
            let forged = try await DashboardPageTests.submit(
                client,
                "/events/evt_1/apply",
                [("csrf", "x")],
                headers: [.cookie: browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")]
            )
            #expect(forged.status == .forbidden)
            #expect(try await system.lists.paymentEvent("evt_1")?.result.state == .held)
            _ = try await browser.submit("/events/evt_1/apply", from: "/events/evt_1")
            #expect(try await system.lists.paymentEvent("evt_1")?.result.state == .waiting)
            try await system.paymentWorker?.work()
            let page = try await browser.page("/events/evt_1")
            #expect(page.contains("href=\"/sales/pi_1\"") && page.contains("9.99 EUR") && page.contains("applied"))
            #expect(!page.contains("Apply again"))
            #expect(try await browser.page("/search?q=pi_1").contains("/sales/pi_1"))
            #expect(try await browser.page("/events?saleId=pi_1").contains("/events/evt_1"))
            #expect(try await browser.page("/review").contains("Nothing waits for a person"))
            let unknown = try await browser.submit("/events/evt_9/apply", from: "/review")
            #expect(unknown.status == .notFound)
        }
    }

    @Test("A server without an account of Stripe has the pages and says so")
    func notConfigured() async throws {
        let fixture = try ServerFixture()
        try await Self.application(fixture).test(.router) { client in
            let browser = DashboardBrowser(client)
            try await browser.signIn()
            #expect(try await browser.page("/events").contains("No payment provider is configured"))
            #expect(try await browser.page("/search?q=evt_1").contains("No record has exactly this id"))
        }
    }

    @Test(
        "What an event says is text on every page",
        arguments: [
            "\"><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "'\"\u{301} onmouseover=a x=\"", "../..",
            "..",
        ]
    )
    func hostile(_ text: String) async throws {
        let quoted = String(decoding: JSONValue.string(text).encoded(), as: UTF8.self)
        let body = """
            {"id":\(quoted),"object":"event","api_version":"2025-03-31.basil","created":1795180000,"livemode":false,
             "type":\(quoted),"data":{"object":{"id":\(quoted),"object":\(quoted),"status":\(quoted),
             "payment_intent":\(quoted),"metadata":{"external_purchase_customer":\(quoted)}}}}
            """
        let fixture = try ServerFixture(stripe: Self.settings())
        try await Self.application(fixture).test(.router) { client in
            #expect(try await StripeWebhookTests.deliver(body, to: client).status == .ok)
            let browser = DashboardBrowser(client)
            try await browser.signIn()
            let page = PagePath.of("events", text)
            for path in ["/events", page, "/search?q=\(PagePath.escaped(text))", "/audit"] {
                let answer = try await browser.send(.get, path)
                if answer.status == .seeOther {
                    #expect(answer.headers[.location] == page)
                    continue
                }
                let html = String(buffer: answer.body)
                #expect(answer.status == .ok, "\(path)")
                DashboardPageTests.check(html, answer.headers, path)
                #expect(!html.contains("<script>alert") && !html.contains("<img"), "\(path)")
                #expect(
                    DashboardPageTests.attributeNames(of: html).isDisjoint(with: ["onmouseover", "onerror"]),
                    "\(path)"
                )
            }
        }
    }
}

import ExternalPurchaseCore
import Foundation
import NIOHTTP1
import StoreKitSimulator

extension DemoScenario {
    /// Runs the steps of a subscription whose sales come in as events of Stripe: its start, a renewal and a refund.
    mutating func subscribe(_ session: StoreKitSession) async throws {
        let country = demo.storefront.region ?? "nl"
        let stripe = DemoStripe(
            signingSecret: signingSecret,
            server: addresses.server,
            browser: browser,
            country: country.uppercased(),
            taxRate: GemShopWebsite.taxRates[country] ?? "21"
        )
        let checkout = try await comeBack(session)
        let start = Timestamp(Date()).milliseconds / 1_000
        try await begin(stripe, checkout: checkout, at: start)
        let renewal = try await turnClocks(
            by: DemoStripe.periodSeconds,
            "30 days pass: Apple's clock is turned, the server follows it"
        )
        try await renew(stripe, periodFrom: start + DemoStripe.periodSeconds, at: renewal)
        try await refundRenewal(stripe, at: renewal)
    }

    /// The person taps Buy again, which gives another token, and goes to Stripe's checkout.
    private mutating func comeBack(_ session: StoreKitSession) async throws -> String {
        let step = "The person taps Buy again, for the monthly club: another token"
        let (_, opened) = try await tapBuy(session, step: step)
        guard let url = opened else { throw StepFailure(step: step, reason: "no URL was opened") }
        let (path, location) = try await visit(url, step: step)
        guard let checkout = location.split(separator: "checkout=").last, location.contains("checkout=") else {
            throw StepFailure(step: step, reason: "the landing address leads to \(location)")
        }
        output.accepted(
            step,
            at: "GET \(addresses.server)\(path) → 303 \(Self.shortened(location))",
            rule: "the shop gives the checkout to Stripe as client_reference_id (docs/stripe.md)"
        )
        return String(checkout)
    }

    private mutating func begin(_ stripe: DemoStripe, checkout: String, at start: Int64) async throws {
        let session = "Stripe's checkout.session.completed arrives before its invoice: it waits"
        let completed = try await deliver(stripe.checkoutCompleted(checkout, at: start), by: stripe, session)
        guard completed.state == "waiting" else {
            throw StepFailure(step: session, reason: "the event is \(completed.state)")
        }
        output.accepted(
            session,
            at: webhook,
            rule: "signed with the endpoint's secret; stored before the answer (docs/stripe.md)",
            details: [try await state(of: completed)]
        )

        let paid = "invoice.paid brings €4.99 for 30 days: the start of a subscription"
        let invoice = try await deliver(stripe.invoicePaid(1, periodFrom: start, at: start), by: stripe, paid)
        try await expectSale(stripe.saleId(1), of: invoice, paid)
        output.accepted(
            paid,
            at: webhook,
            rule: "the events follow from the subscription's history (RR-32)",
            details: [
                try await state(of: invoice), try await state(of: completed), try await sale(stripe.saleId(1), paid),
            ]
        )
        try await acceptedReport(of: stripe.saleId(1), "Apple's side accepts the report of the start")
    }

    /// Turns the emulator's clock, which the merchant's server follows.
    ///
    /// - Returns: the emulator's time in UNIX seconds.
    private mutating func turnClocks(by seconds: Int64, _ step: String) async throws -> Int64 {
        let url = "\(addresses.emulator)/emulator/v1/clock/advance"
        let answer = try await browser.json(.POST, url, ["seconds": .integer(seconds)])
        guard answer.status == 200, let text = answer.json?["now"]?.stringValue, let now = Timestamp(rfc3339: text)
        else { throw StepFailure(step: step, reason: "answered \(answer.status): \(answer.text)") }
        output.accepted(
            step,
            at: "POST \(url) → 200",
            rule: "what falls due on the way happens in its order (NT-101)",
            details: ["now it is \(text)"]
        )
        return now.milliseconds / 1_000
    }

    private mutating func renew(_ stripe: DemoStripe, periodFrom start: Int64, at now: Int64) async throws {
        let step = "Stripe renews; it delivers invoice.paid twice, and there is one sale"
        let event = stripe.invoicePaid(2, periodFrom: start, at: now)
        let first = try await deliver(event, by: stripe, step)
        let second = try await deliver(event, by: stripe, step)
        guard first.isNew, !second.isNew else {
            throw StepFailure(step: step, reason: "new: \(first.isNew), then \(second.isNew)")
        }
        try await expectSale(stripe.saleId(2), of: first, step)
        output.accepted(
            step,
            at: webhook,
            rule: "an event is stored once, by its id (docs/stripe.md)",
            details: [
                try await state(of: first), "the second delivery changed nothing",
                try await sale(stripe.saleId(2), step),
            ]
        )
        try await acceptedReport(of: stripe.saleId(2), "Apple's side accepts the report of the renewal")
    }

    private mutating func refundRenewal(_ stripe: DemoStripe, at now: Int64) async throws {
        let step = "€2.00 are given back; refund.created arrives before the event that connects it"
        let refund = try await deliver(stripe.refundCreated(2, cents: 200, at: now), by: stripe, step)
        guard refund.state == "waiting" else {
            throw StepFailure(step: step, reason: "the refund's event is \(refund.state)")
        }
        let waiting = try await state(of: refund)
        let payment = try await deliver(stripe.invoicePaymentPaid(2, at: now), by: stripe, step)
        try await expectSale(stripe.refundId(2), of: refund, step)
        output.accepted(
            step,
            at: webhook,
            rule: "a refund goes on the token of its buy (RR-65)",
            details: [
                waiting, try await state(of: payment), try await state(of: refund),
                try await sale(stripe.refundId(2), step),
            ]
        )
        try await acceptedReport(of: stripe.refundId(2), "Apple's side accepts the report of that refund")
    }

    // MARK: Events

    private var webhook: String { "POST \(addresses.server)/v1/webhooks/stripe → 200" }

    private func deliver(
        _ event: DemoStripe.Event,
        by stripe: DemoStripe,
        _ step: String
    ) async throws -> DemoStripe.Delivery {
        let (delivery, page) = try await stripe.deliver(event)
        guard let delivery else {
            throw StepFailure(step: step, reason: "\(event.type) was answered \(page.status): \(page.text)")
        }
        return delivery
    }

    /// What became of an event, in words.
    private func state(of delivery: DemoStripe.Delivery) async throws -> String {
        let event = try await browser.get("\(addresses.server)/v1/events/\(delivery.eventId)").json
        let words = "\(event?["type"]?.stringValue ?? delivery.eventId): \(event?["state"]?.stringValue ?? "?")"
        return words + (event?["detail"]?.stringValue.map { ", \($0)" } ?? "")
    }

    /// Checks that an event is applied and that its sale exists.
    private func expectSale(_ saleId: String, of delivery: DemoStripe.Delivery, _ step: String) async throws {
        let event = try await browser.get("\(addresses.server)/v1/events/\(delivery.eventId)")
        let sales = (event.json?["sales"]?.arrayValue ?? []).compactMap(\.stringValue)
        guard event.json?["state"]?.stringValue == "applied", sales.contains(saleId) else {
            throw StepFailure(step: step, reason: "GET /v1/events/\(delivery.eventId) answers \(event.text)")
        }
    }

    /// A sale with its state, in words.
    private func sale(_ saleId: String, _ step: String) async throws -> String {
        let sale = try await browser.get("\(addresses.server)/v1/sales/\(saleId)")
        guard sale.status == 200, let state = sale.json?["state"]?.stringValue, state != "held" else {
            throw StepFailure(step: step, reason: "GET /v1/sales/\(saleId) answers \(sale.status): \(sale.text)")
        }
        return "sale \(saleId): \(state)"
    }
}

import ExternalPurchaseCore
import Foundation
import Payments

/// Stands in for Stripe: signs the events of one subscription and posts them to the merchant's webhook.
///
/// The events have the shapes of the API version 2025-03-31, as far as the server reads them.
struct DemoStripe: Sendable {
    /// The secret of the webhook endpoint.
    let signingSecret: String
    /// The address of the merchant's server.
    let server: String
    let browser: DemoBrowser
    /// The customer's country, ISO 3166-1 alpha-2 in upper case.
    let country: String
    /// The tax in per cent that the price contains.
    let taxRate: String
    /// The end of every id, so that a second run has other ids.
    let suffix = String(UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(8))

    static let periodSeconds: Int64 = 30 * 86_400
    /// The price of a period in cents, tax included.
    static let price: Int64 = 499
    static let priceId = "price_GemClub"
    static let productId = "gems.club"

    /// What the webhook answered to an event.
    struct Delivery: Sendable {
        let eventId: String
        let isNew: Bool
        /// The state of the event, such as `applied` or `waiting`.
        let state: String
    }

    /// An event with its type and the object that it is about.
    struct Event: Sendable {
        let id: String
        let type: String
        /// UNIX seconds.
        let created: Int64
        let object: String

        var body: String {
            """
            {"id":"\(id)","object":"event","api_version":"2025-03-31.basil","created":\(created),"livemode":false,\
            "pending_webhooks":1,"type":"\(type)","data":{"object":\(object)}}
            """
        }
    }

    /// Posts an event with a signature of this moment.
    ///
    /// - Returns: nil if the webhook did not accept it, with its page.
    func deliver(_ event: Event) async throws -> (delivery: Delivery?, page: DemoBrowser.Page) {
        let body = Array(event.body.utf8)
        let signature = StripeSignature.value(of: body, at: Timestamp(Date()), secret: signingSecret)
        let page = try await browser.post("\(server)/v1/webhooks/stripe", body, [(StripeSignature.header, signature)])
        guard page.status == 200, let answer = page.json, let state = answer["state"]?.stringValue,
            let isNew = answer["isNew"]?.boolValue
        else { return (nil, page) }
        return (Delivery(eventId: event.id, isNew: isNew, state: state), page)
    }

    // MARK: Events

    /// The customer has paid for a subscription in Stripe's checkout; the invoice is the sale.
    func checkoutCompleted(_ checkout: String, at seconds: Int64) -> Event {
        event(
            "checkout.session.completed",
            "cs",
            at: seconds,
            """
            {"id":"cs_\(suffix)","object":"checkout.session","mode":"subscription","status":"complete",\
            "payment_status":"paid","client_reference_id":"\(checkout)","subscription":"sub_\(suffix)",\
            "invoice":"in_\(suffix)_1","payment_intent":null,"created":\(seconds),"currency":"eur","livemode":false,\
            "amount_subtotal":\(Self.price),"amount_total":\(Self.price),"metadata":{},\
            "automatic_tax":{"enabled":true,"status":"complete"},"total_details":{"amount_tax":\(tax)},\
            "customer_details":{"address":{"country":"\(country)"}}}
            """
        )
    }

    /// The invoice of a period is paid.
    ///
    /// - Parameters:
    ///   - number: 1 for the first period.
    ///   - start: the start of the period.
    func invoicePaid(_ number: Int, periodFrom start: Int64, at seconds: Int64) -> Event {
        event(
            "invoice.paid",
            "in\(number)",
            at: seconds,
            """
            {"id":"in_\(suffix)_\(number)","object":"invoice","status":"paid","created":\(seconds),"currency":"eur",\
            "billing_reason":"\(number == 1 ? "subscription_create" : "subscription_cycle")","livemode":false,\
            "subtotal":\(Self.price),"total":\(Self.price),"amount_paid":\(Self.price),"metadata":{},\
            "automatic_tax":{"enabled":true,"status":"complete"},"customer_address":{"country":"\(country)"},\
            "status_transitions":{"paid_at":\(seconds)},"parent":{"type":"subscription_details",\
            "subscription_details":{"subscription":"sub_\(suffix)","metadata":{}}},"lines":{"object":"list",\
            "has_more":false,"data":[{"id":"\(saleId(number))","object":"line_item","amount":\(Self.price),\
            "currency":"eur","quantity":1,"discount_amounts":[],"metadata":{},\
            "period":{"start":\(start),"end":\(start + Self.periodSeconds)},\
            "parent":{"type":"subscription_item_details","subscription_item_details":{"proration":false,\
            "subscription":"sub_\(suffix)","subscription_item":"si_\(suffix)"}},\
            "pricing":{"type":"price_details","price_details":{"price":"\(Self.priceId)","product":"prod_GemClub"}},\
            "taxes":[{"amount":\(tax),"tax_behavior":"inclusive","type":"tax_rate_details"}]}]}}
            """
        )
    }

    /// Says which payment paid an invoice, which invoices of this version leave out.
    func invoicePaymentPaid(_ number: Int, at seconds: Int64) -> Event {
        event(
            "invoice_payment.paid",
            "inpay\(number)",
            at: seconds,
            """
            {"id":"inpay_\(suffix)_\(number)","object":"invoice_payment","invoice":"in_\(suffix)_\(number)",\
            "amount_paid":\(Self.price),"currency":"eur","status":"paid","created":\(seconds),"livemode":false,\
            "payment":{"type":"payment_intent","payment_intent":"pi_\(suffix)_\(number)"}}
            """
        )
    }

    /// A part of a payment is given back.
    func refundCreated(_ number: Int, cents: Int64, at seconds: Int64) -> Event {
        event(
            "refund.created",
            "re\(number)",
            at: seconds,
            """
            {"id":"\(refundId(number))","object":"refund","amount":\(cents),"currency":"eur","status":"succeeded",\
            "charge":"ch_\(suffix)_\(number)","payment_intent":"pi_\(suffix)_\(number)","created":\(seconds),\
            "metadata":{}}
            """
        )
    }

    /// The id of the sale that an invoice becomes: that of its line.
    func saleId(_ number: Int) -> String { "il_\(suffix)_\(number)" }

    func refundId(_ number: Int) -> String { "re_\(suffix)_\(number)" }

    /// The tax in the price, in whole cents.
    private var tax: Int64 {
        guard let rate = DecimalText.decimal(taxRate) else { return 0 }
        var (exact, rounded) = (Decimal(Self.price) * rate / (100 + rate), Decimal())
        NSDecimalRound(&rounded, &exact, 0, .plain)
        return Int64("\(rounded)") ?? 0
    }

    private func event(_ type: String, _ name: String, at seconds: Int64, _ object: String) -> Event {
        Event(id: "evt_\(suffix)_\(name)", type: type, created: seconds, object: object)
    }
}

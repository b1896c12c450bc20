package import ExternalPurchaseCore

/// A GET request to Stripe's API for what an event leaves out.
package enum StripeRequest: Hashable, Sendable {
    /// The line items of a Checkout session.
    case sessionLineItems(StripeObjectId)
    /// All lines of an invoice; an event has the first ten.
    case invoiceLines(StripeObjectId)
    /// The invoices that a payment intent paid.
    case invoicePayments(paymentIntent: StripeObjectId)
    /// A price, for its `lookup_key`.
    case price(StripeObjectId)

    /// Path and query; every list is read over all its pages (`has_more`, `starting_after`).
    package var path: String {
        switch self {
        case .sessionLineItems(let id): "/v1/checkout/sessions/\(id)/line_items?limit=100"
        case .invoiceLines(let id): "/v1/invoices/\(id)/lines?limit=100"
        case .invoicePayments(let id):
            "/v1/invoice_payments?payment%5Btype%5D=payment_intent&payment%5Bpayment_intent%5D=\(id)&limit=100"
        case .price(let id): "/v1/prices/\(id)"
        }
    }

    /// True if the answer is a list, false if it is one object.
    package var isList: Bool {
        if case .price = self { false } else { true }
    }

    /// The payment object that the answer concerns; nil for a price.
    package var objectId: StripeObjectId? {
        switch self {
        case .sessionLineItems(let id), .invoiceLines(let id), .invoicePayments(let id): id
        case .price: nil
        }
    }
}

/// Answers of Stripe's API.
package struct StripeFetched: Hashable, Sendable {
    /// The elements of the list over all pages, or the one object; empty where Stripe answered 404.
    package var answers: [StripeRequest: [JSONValue]]

    package init(_ answers: [StripeRequest: [JSONValue]] = [:]) {
        self.answers = answers
    }

    /// The ids of the payment objects that an answer brings together, by which groups of events become one.
    package func objectIds(of request: StripeRequest) -> Set<StripeObjectId> {
        guard case .invoicePayments(let intent) = request else { return Set([request.objectId].compactMap { $0 }) }
        return objects(request).reduce(into: [intent]) { $0.formUnion($1.objectIds) }
    }

    func objects(_ request: StripeRequest) -> [StripeObject] {
        answers[request]?.compactMap { StripeObject($0) } ?? []
    }
}

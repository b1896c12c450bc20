package import ExternalPurchaseCore

/// The GET requests to Stripe's API for what an event leaves out (`has_more`, `starting_after`).
extension PaymentRequest {
    /// The line items of a Checkout session.
    package static func sessionLineItems(_ id: StripeObjectId) -> PaymentRequest {
        PaymentRequest(
            path: "/v1/checkout/sessions/\(id)/line_items?limit=100",
            isList: true,
            objectId: id.rawValue
        )
    }

    /// All lines of an invoice; an event has the first ten.
    package static func invoiceLines(_ id: StripeObjectId) -> PaymentRequest {
        PaymentRequest(path: "/v1/invoices/\(id)/lines?limit=100", isList: true, objectId: id.rawValue)
    }

    /// The invoices that a payment intent paid.
    package static func invoicePayments(paymentIntent id: StripeObjectId) -> PaymentRequest {
        PaymentRequest(
            path: "/v1/invoice_payments?payment%5Btype%5D=payment_intent&payment%5Bpayment_intent%5D=\(id)&limit=100",
            isList: true,
            objectId: id.rawValue,
            connects: true
        )
    }

    /// A price, for its `lookup_key`.
    package static func price(_ id: StripeObjectId) -> PaymentRequest {
        PaymentRequest(path: "/v1/prices/\(id)", isList: false, objectId: nil)
    }
}

/// Answers of Stripe's API.
package struct StripeFetched: Hashable, Sendable {
    /// The elements of the list over all pages, or the one object; empty where Stripe answered 404.
    package var answers: [PaymentRequest: [JSONValue]]

    package init(_ answers: [PaymentRequest: [JSONValue]] = [:]) {
        self.answers = answers
    }

    /// The ids of the payment objects that an answer brings together, by which groups of events become one.
    package func objectIds(of request: PaymentRequest) -> Set<StripeObjectId> {
        let asked = Set([request.objectId.map { StripeObjectId($0) }].compactMap(\.self))
        return request.connects ? objects(request).reduce(into: asked) { $0.formUnion($1.objectIds) } : asked
    }

    func objects(_ request: PaymentRequest) -> [StripeObject] {
        answers[request]?.compactMap { StripeObject($0) } ?? []
    }
}

import ExternalPurchaseCore
package import Ledger

extension StripeEvent {
    /// The ids of the payment objects that the event names; events that share one belong together.
    ///
    /// The customer is none of them (``StripeObjectId/isOfPayment``).
    package var objectIds: Set<StripeObjectId> { StripeObject(object).map(\.objectIds) ?? [] }
}

extension StripeEvent {
    /// What may tell that the payment belongs to an external purchase: its checkout, and Stripe's id of its customer.
    package var references: [PaymentReference] {
        guard let kind, let object = StripeObject(object) else { return [] }
        var references: [PaymentReference] = []
        if kind == .session, let checkout = StripeMetadata.checkout(of: object) {
            references.append(.checkout(checkout))
        }
        if kind != .dispute, let customer = object.id("customer") { references.append(.customer(customer.rawValue)) }
        return references
    }
}

extension StripeObject {
    /// The ids of the payment objects that an object names at the places where Stripe documents them.
    var objectIds: Set<StripeObjectId> {
        var ids: [StripeObjectId?] = [
            id("id"), id("payment_intent"), id("charge"), id("latest_charge"), id("invoice"), id("subscription"),
        ]
        // Since 2025-03-31 an invoice names its subscription under `parent`.
        ids.append(object("parent")?.object("subscription_details")?.id("subscription"))
        ids += paymentIds(of: object("payment"))
        for payment in data(of: "payments") { ids += paymentIds(of: payment.object("payment")) }
        // Before 2022-11-15 an intent held its charges, and a charge its refunds.
        for charge in data(of: "charges") { ids.append(charge.id("id")) }
        for refund in data(of: "refunds") { ids.append(refund.id("id")) }
        return Set(ids.compactMap { $0 }.filter(\.isOfPayment))
    }

    private func paymentIds(of payment: StripeObject?) -> [StripeObjectId?] {
        [payment?.id("payment_intent"), payment?.id("charge")]
    }
}

import ExternalPurchaseCore
import Ledger

extension GroupInterpretation {
    /// Reads the payment intents: none is a sale by itself, because it names no product, tax or country.
    mutating func readIntents() {
        for (id, events) in objects(.intent) {
            let isOurs = intentMetadata([id]).isOurs
            if let outcome = sessionOutcome(ofIntent: id, isOurs: isOurs) {
                set(outcome, for: events)
            } else if !links.invoices(charge: nil, intent: id).isEmpty {
                let invoices = links.invoices(charge: nil, intent: id).sorted()
                let saleIds = invoices.flatMap { self.saleIds(invoice: $0, nil) }
                let reason = StripeReason(.madeByInvoice, "an invoice made the payment intent and is the sale")
                set(isOurs && !saleIds.isEmpty ? .used(saleIds) : .notUsed(reason), for: events)
            } else if isOurs {
                let reason = StripeReason(
                    .session,
                    "the payment intent names no product, tax or country; the event of its Checkout session does"
                )
                set(.waiting(reason, isAlert: false), for: events)
            } else {
                let reason = StripeReason(.notOurs, "the payment intent has no metadata external_purchase_…")
                set(.notUsed(reason), for: events)
            }
        }
    }

    /// Nil for a payment intent without a session.
    private func sessionOutcome(ofIntent intent: StripeObjectId, isOurs: Bool) -> StripeOutcome? {
        if let sale = sessionSales[intent] {
            return isOurs
                ? .used([sale.saleId])
                : .notUsed(StripeReason(.known, "the event of the Checkout session gives the sale"))
        }
        let isOfSession = objects(.session).flatMap(\.events).contains {
            StripeObject($0.object)?.id("payment_intent") == intent
        }
        guard isOfSession, links.invoices(charge: nil, intent: intent).allSatisfy({ invoiceSales[$0] == nil }) else {
            return nil
        }
        return .waiting(StripeReason(.session, "the Checkout session has no sale yet"), isAlert: false)
    }
}

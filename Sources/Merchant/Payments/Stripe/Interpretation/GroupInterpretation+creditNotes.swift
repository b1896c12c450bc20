import ExternalPurchaseCore
import Ledger

extension GroupInterpretation {
    /// Reads what credit notes give back after the payment: to the customer's balance, or outside of Stripe.
    ///
    /// A refund that a credit note links is told by its own events, and what a note takes off before the payment by the
    /// invoice.
    mutating func readCreditNotes() {
        for (id, events) in objects(.creditNote) {
            do throws(NoSale) {
                let sales = try readCreditNote(id, events)
                set(.used(sales.map(\.saleId)), for: events)
            } catch {
                set(error.outcome, for: events)
            }
        }
    }

    private mutating func readCreditNote(_ id: StripeObjectId, _ events: [StripeEvent]) throws(NoSale) -> [Sale] {
        guard let event = events.last, let note = StripeObject(event.object) else {
            throw .held(.member, "the credit note is no object")
        }
        let voids = events.filter { event in
            event.type == "credit_note.voided" || StripeObject(event.object)?["status"]?.stringValue == "void"
        }
        guard voids.isEmpty else {
            let saleIds = standingSaleIds(of: id.rawValue)
            for saleId in saleIds.isEmpty ? [SaleId(id.rawValue)] : saleIds {
                withdraw(saleId, .creditNoteVoided, by: voids)
            }
            throw .notUsed(.creditNoteVoided, "the credit note was voided")
        }
        let amount = try note.givenBackBesideRefunds()
        guard amount > 0 else {
            throw .notUsed(.known, "refunds, or the invoice before it was paid, tell what the credit note credits")
        }
        guard let invoice = note.id("invoice") else { throw .held(.member, "\(id) has no invoice") }
        let drafts = try givingBack(
            id.rawValue,
            amount: amount,
            StripeCurrency(of: note),
            of: purchases(ofInvoice: invoice),
            at: note.time("created") ?? event.created
        )
        var sales: [Sale] = []
        for draft in drafts { sales.append(try emit(draft)) }
        return sales
    }

    /// The sales of an invoice, or the sale of the session that made it.
    private func purchases(ofInvoice invoice: StripeObjectId) throws(NoSale) -> [Sale] {
        if let sales = invoiceSales[invoice] { return sales }
        let intents = sessions(invoice: invoice, nil).compactMap { $0.id("payment_intent") }
        let sales = (intents + links.intents(ofInvoice: invoice)).compactMap { paymentSales[$0] }
        guard let sale = sales.first else {
            throw .waiting(.purchase, "the paid invoice \(invoice) has not arrived, or gives no sale yet")
        }
        return [sale]
    }
}

extension StripeObject {
    /// What a credit note gives back beside its refunds, in Stripe's units.
    func givenBackBesideRefunds() throws(NoSale) -> Int64 {
        // Before 2024 a note was one of before or after the payment as a whole.
        var total = try integer("post_payment_amount") ?? 0
        if self["post_payment_amount"] == nil, try text("type") != "pre_payment" {
            total = try requiredInteger("amount")
        }
        guard (0..<1_000_000_000_000_000).contains(total) else {
            throw .held(.amount, "the amount of \(name) is not from 0 to 999999999999999: \(total)")
        }
        let outside = try integer("out_of_band_amount") ?? 0
        var refunded: Int64 = 0
        if self["refunds"] != nil {
            for refund in try objects("refunds") {
                refunded = try [refunded, refund.requiredInteger("amount_refunded")].sum(of: name)
            }
        } else if id("refund") != nil {
            guard id("customer_balance_transaction") == nil else {
                throw .held(.amount, "\(name) gives back by a refund and to the balance, and names no amount of either")
            }
            // An absurd amount wraps, and the check below refuses it.
            refunded = total &- outside
        }
        guard (0...total).contains(refunded) else {
            throw .held(.total, "the refunds of \(name) are \(refunded), it gives back \(total)")
        }
        return total - refunded
    }
}

import ExternalPurchaseCore
import Ledger

extension GroupInterpretation {
    /// Reads the paid invoices: each line of a subscription is a charge; other invoices are purchases.
    mutating func readInvoices() {
        for (id, events) in objects(.paidInvoice) {
            do throws(NoSale) {
                guard let event = events.first, let invoice = StripeObject(event.object), !invoice.isCredit else {
                    continue
                }
                if let posted = try posted(charge: nil, intent: nil, invoice: id) {
                    invoiceSales[id] = posted
                    set(.used(posted.map(\.saleId)), for: events)
                    continue
                }
                if let outcome = sessionOutcome(ofInvoice: id, events) {
                    set(outcome, for: events)
                    continue
                }
                var emitted: [Sale] = []
                for sale in try sales(of: invoice, id, at: event.created) {
                    emitted.append(try emit(sale, restating: restatement(of: sale)))
                }
                invoiceSales[id] = emitted
                set(.used(emitted.map(\.saleId)), for: events)
                noteMissingRate(of: emitted, for: events)
            } catch {
                set(error.outcome, for: events)
            }
        }
    }

    /// Whether the customer was charged in another currency than the ledger's sale has, of which nothing was given back.
    private func restatement(of draft: Sale) -> PaymentSale.Restatement? {
        guard let charged = draft.purchases.first?.currency,
            let told = standing[draft.saleId]?.purchases.first?.currency, charged != told,
            !standing.values.contains(where: { $0.refund?.refundOf == draft.saleId })
        else { return nil }
        return .presented
    }

    /// Reads the invoices that give credit, as for fewer seats or the way back to a free or smaller plan: their total is below zero
    /// and fills the customer's balance, from which a later invoice is paid in full.
    mutating func readCreditInvoices() {
        for (id, events) in objects(.paidInvoice) {
            guard let event = events.first, let invoice = StripeObject(event.object), invoice.givesCredit else {
                continue
            }
            do throws(NoSale) {
                let credited = try creditedInvoice(of: invoice, id)
                guard let purchases = invoiceSales[credited] else {
                    throw .waiting(.purchase, "the paid invoice \(credited) has not arrived, or gives no sale yet")
                }
                let drafts = try givingBack(
                    id.rawValue,
                    amount: invoice.credit,
                    StripeCurrency(of: invoice),
                    of: purchases,
                    at: invoice.object("status_transitions")?.time("paid_at") ?? event.created
                )
                var saleIds: [SaleId] = []
                for draft in drafts { saleIds.append(try emit(draft).saleId) }
                set(.used((invoiceSales[id] ?? []).map(\.saleId) + saleIds), for: events)
            } catch {
                set(error.outcome, for: events)
            }
        }
    }

    /// The invoice of which an invoice gives back a part: the one that its credits name, else the last one before it that
    /// charged the time that they are about.
    func creditedInvoice(of invoice: StripeObject, _ id: StripeObjectId) throws(NoSale) -> StripeObjectId {
        let lines = invoice.data(of: "lines").filter { ($0["amount"]?.int64Value ?? 0) < 0 }
        let named = Set(lines.compactMap(\.creditedInvoice))
        if named.count == 1, let only = named.first { return only }
        guard named.isEmpty, let subscription = invoice.invoiceSubscription else {
            throw .held(.amount, "\(id) gives credit of \(invoice.credit), and not for one earlier invoice")
        }
        let start = lines.compactMap { $0.object("period")?["start"]?.int64Value }.min() ?? .max
        let earlier = paidInvoices(of: subscription).filter { other in
            !other.isCredit && other.name != id.rawValue
                && other.data(of: "lines").contains { line in
                    let period = line.object("period")
                    return (period?["start"]?.int64Value ?? .max) <= start
                        && start < (period?["end"]?.int64Value ?? .min)
                }
        }
        guard let last = earlier.last.flatMap({ $0.id("id") }) else {
            throw .waiting(.purchase, "the paid invoice for which \(id) gives credit has not arrived")
        }
        return last
    }

    mutating func readInvoicePayments() {
        for (_, events) in objects(.invoicePayment) {
            let invoice = events.first.flatMap { StripeObject($0.object)?.id("invoice") }
            let saleIds = invoice.map { self.saleIds(paidInvoice: $0) } ?? []
            let reason = PaymentReason(.invoice, "the event of the paid invoice has not arrived, or gives no sale")
            set(saleIds.isEmpty ? .waiting(reason, isAlert: false) : .used(saleIds), for: events)
        }
    }

    /// The sales of an invoice, or the sale of the session that made it.
    private func saleIds(paidInvoice invoice: StripeObjectId) -> [SaleId] {
        let own = saleIds(invoice: invoice, nil)
        guard own.isEmpty else { return own }
        return paymentSessions(madeInvoice: invoice, links.intents(ofInvoice: invoice)).compactMap { session in
            session.id("payment_intent").flatMap { paymentSales[$0]?.saleId }
        }
    }

    /// The outcome of an invoice that a session of mode `payment` made: the session is the sale.
    private mutating func sessionOutcome(
        ofInvoice invoice: StripeObjectId,
        _ events: [StripeEvent]
    ) -> PaymentOutcome? {
        let intents = links.intents(ofInvoice: invoice)
        for session in paymentSessions(madeInvoice: invoice, intents) {
            guard let intent = session.id("payment_intent") else { continue }
            if standingInvoice(of: session, intent) == invoice { return nil }
            guard let sale = paymentSales[intent] else {
                return .waiting(
                    PaymentReason(.session, "the session that made the invoice is the sale"),
                    isAlert: false
                )
            }
            withdraw(SaleId(invoice.rawValue), .toldBySession, by: events)
            return .used([sale.saleId])
        }
        return nil
    }

    private func paymentSessions(madeInvoice invoice: StripeObjectId, _ intents: [StripeObjectId]) -> [StripeObject] {
        objects(.session).flatMap(\.events).compactMap { StripeObject($0.object) }.filter { session in
            session["mode"]?.stringValue == "payment"
                && (session.id("invoice") == invoice || session.id("payment_intent").map(intents.contains) ?? false)
        }
    }

    private mutating func sales(
        of invoice: StripeObject,
        _ id: StripeObjectId,
        at moment: Timestamp
    ) throws(NoSale) -> [Sale] {
        let subscription = invoice.invoiceSubscription
        let metadata = try metadata(of: invoice, id)
        let account = try seller(metadata)
        let own = try StripeCurrency(of: invoice)
        let lines = try lines(of: invoice, id, own)
        var amounts = try InvoiceAmounts(lines, of: invoice)
        let presented = try presentment(of: amounts, invoice: id, subscription)
        if let presented { amounts = try amounts.scaled(to: presented.amount, of: id.rawValue) }
        let currency = presented?.currency ?? own
        let pricing = Pricing(
            account: account,
            currency: currency,
            isTaxComputed: amounts.isTaxComputed,
            taxCountry: invoice.invoiceCountry ?? account.taxCountry ?? sessionCountry(invoice: id, subscription)
        )
        let paidAt = try invoice.object("status_transitions").flatMap { times throws(NoSale) in
            try times.time("paid_at")
        }
        let draft = InvoiceDraft(
            id: id,
            occurredAt: paidAt ?? moment,
            metadata: metadata,
            pricing: pricing,
            lines: zip(lines, amounts.lines).map { (line: $0, inclusive: $1.inclusive, tax: $1.tax) },
            billingReason: try invoice.text("billing_reason")
        )
        let sales = if let subscription { try charges(draft, subscription) } else { [try purchase(draft)] }
        if let first = sales.first {
            // The lines and the shipping are all that was paid.
            let paid = try (amounts.lines.map(\.inclusive) + [amounts.other]).sum(of: id.rawValue)
            var reported: [Int64] = []
            for purchase in sales.flatMap(\.purchases) { reported.append(currency.amount(purchase.inclusive) ?? 0) }
            unreported[first.saleId] = try paid &- reported.sum(of: id.rawValue)
        }
        return sales
    }

    /// What the customer was charged for an invoice in another currency; the invoice has the shop's own.
    ///
    /// - Throws: a reason to wait where the subscription's other payments were charged in another currency.
    private func presentment(
        of amounts: InvoiceAmounts,
        invoice: StripeObjectId,
        _ subscription: StripeObjectId?
    ) throws(NoSale) -> StripePresentment? {
        let paid = try (amounts.lines.map(\.inclusive) + [amounts.other]).sum(of: invoice.rawValue)
        if let presented = presentment(ofInvoice: invoice, paid) { return presented }
        guard paid > 0, let subscription, payments(ofInvoice: invoice).isEmpty else { return nil }
        let others = objects(.paidInvoice).filter { _, events in
            events.contains { StripeObject($0.object)?.invoiceSubscription == subscription }
        }
        let isPresented = others.contains { id, _ in
            payments(ofInvoice: id).contains { $0.object("presentment_details") != nil }
        }
        guard isPresented else { return nil }
        throw .waiting(
            .purchase,
            "the customer of \(subscription) is charged in another currency: charge.succeeded or payment_intent.succeeded has "
                + "what was charged for \(invoice)"
        )
    }

    /// The presentment of the payment of an invoice that one payment paid.
    func presentment(ofInvoice invoice: StripeObjectId, _ paid: Int64) -> StripePresentment? {
        for payment in payments(ofInvoice: invoice) {
            let members = ["amount_total", "amount_captured", "amount_received", "amount"]
            let amount = members.lazy.compactMap { payment[$0]?.int64Value }.first
            if amount == paid, let presented = try? StripePresentment(of: payment) { return presented }
        }
        return nil
    }

    /// The objects that say what was charged for an invoice: its session, payment intents and charges.
    private func payments(ofInvoice invoice: StripeObjectId) -> [StripeObject] {
        let charged = objects(.intent, .charge, .refundedCharge).filter { id, events in
            let intent = events.first.flatMap { StripeObject($0.object)?.id("payment_intent") } ?? id
            return links.invoices(charge: id, intent: intent).contains(invoice)
        }
        return sessions(invoice: invoice, nil) + charged.flatMap(\.events).compactMap { StripeObject($0.object) }
    }

    /// The lines; an event has the first ten.
    private mutating func lines(
        of invoice: StripeObject,
        _ id: StripeObjectId,
        _ currency: StripeCurrency
    ) throws(NoSale) -> [StripeInvoiceLine] {
        guard let list = try invoice.list("lines") else { throw .held(.lines, "\(id) has no lines") }
        var elements = list.elements
        if list.hasMore {
            let request = PaymentRequest.invoiceLines(id)
            guard let all = answer(request), all.count >= elements.count else {
                throw .waiting(
                    .invoiceLines,
                    "the event has the first \(elements.count) lines of the invoice; \(request.path) has all",
                    isAlert: !canFetch || fetched.answers[request] != nil
                )
            }
            elements = all
        }
        var lines: [StripeInvoiceLine] = []
        for element in elements { lines.append(try StripeInvoiceLine(element, currency: currency)) }
        guard Set(lines.map(\.id)).count == lines.count else { throw .held(.lines, "two lines of \(id) have one id") }
        guard !lines.isEmpty else { throw .held(.lines, "\(id) has no lines") }
        return lines
    }

    /// The country in the session that made the subscription, where neither invoice nor configuration has one.
    ///
    /// The configured country goes first, because the session's event may arrive after the sale was reported.
    private func sessionCountry(invoice: StripeObjectId, _ subscription: StripeObjectId?) -> String? {
        for session in sessions(invoice: invoice, subscription) {
            if let country = session.sessionCountry { return country }
        }
        return nil
    }
}

extension StripeObject {
    /// True for an invoice whose lines are prorations with more credit than charges.
    var isCredit: Bool {
        let lines = data(of: "lines")
        return credit > 0 && !lines.isEmpty && lines.allSatisfy(\.isProration)
    }

    /// True for an invoice whose prorations give more credit than all of its lines charge.
    var givesCredit: Bool {
        credit > 0 && data(of: "lines").allSatisfy { $0.isProration || ($0["amount"]?.int64Value ?? 0) >= 0 }
    }

    private var isProration: Bool {
        let parent = object("parent")
        let details = parent?.object("subscription_item_details") ?? parent?.object("invoice_item_details") ?? self
        return details["proration"]?.boolValue ?? false
    }

    /// What an invoice with a total below zero gives to the customer's balance; 0 for others.
    var credit: Int64 {
        let total = self["total"]?.int64Value ?? 0
        return total < 0 && total > -1_000_000_000_000_000 ? -total : 0
    }

    /// The invoice that a credit line takes back a part of.
    fileprivate var creditedInvoice: StripeObjectId? {
        let parent = object("parent")
        let details = parent?.object("subscription_item_details") ?? parent?.object("invoice_item_details") ?? self
        guard (self["amount"]?.int64Value ?? 0) < 0 else { return nil }
        return details.object("proration_details")?.object("credited_items")?.id("invoice")
    }
}

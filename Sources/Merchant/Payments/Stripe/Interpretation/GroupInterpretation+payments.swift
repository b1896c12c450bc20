import ExternalPurchaseCore
import Ledger

/// What a customer paid in one payment.
struct StripePayment {
    /// The invoice, else the payment intent, else the charge.
    let id: StripeObjectId
    let currency: StripeCurrency
    /// In Stripe's units, shipping and what the configuration leaves out included.
    let amount: Int64
    /// The event that tells it.
    let eventId: String

    /// The same for the ledger; nil where nothing was paid.
    var stated: PaymentEventResult.Payment? {
        guard amount > 0, let price = try? currency.price(amount, of: id.rawValue),
            let units = MilliUnits(rounding: price * 1_000)
        else { return nil }
        return PaymentEventResult.Payment(id: id.rawValue, currency: currency.code, amount: units)
    }
}

extension GroupInterpretation {
    /// What customers paid, each payment once: by the session of a single payment, else by the invoice, else by the payment intent
    /// or charge.
    func payments() -> [StripePayment] {
        var payments: [StripePayment] = []
        var seen: Set<StripeObjectId> = []
        for (intent, sessions) in paymentSessions() {
            guard let payment = paid(intent, sessions) else { continue }
            payments.append(payment)
            seen.insert(intent)
            seen.formUnion(links.invoices(charge: nil, intent: intent))
            seen.formUnion(sessions.compactMap { $0.session.id("invoice") })
        }
        for (id, events) in objects(.paidInvoice) where !seen.contains(id) {
            guard let event = events.first, let invoice = events.last.flatMap({ StripeObject($0.object) }),
                let total = invoice["total"]?.int64Value, let own = try? StripeCurrency(of: invoice)
            else { continue }
            let paid = max(0, total &- (invoice["pre_payment_credit_notes_amount"]?.int64Value ?? 0))
            let presented = presentment(ofInvoice: id, paid)
            payments.append(
                StripePayment(
                    id: id,
                    currency: presented?.currency ?? own,
                    amount: presented?.amount ?? paid,
                    eventId: event.id
                )
            )
        }
        for (id, events) in objects(.intent) where links.invoices(charge: nil, intent: id).isEmpty {
            guard !seen.contains(id), let payment = paid(id, by: events, "amount_received") else { continue }
            payments.append(payment)
            seen.insert(id)
        }
        for (id, events) in objects(.charge) {
            let captured = events.filter { StripeObject($0.object)?["captured"]?.boolValue != false }
            guard let charge = captured.last.flatMap({ StripeObject($0.object) }) else { continue }
            let intent = charge.id("payment_intent")
            guard links.invoices(charge: id, intent: intent).isEmpty, !seen.contains(intent ?? id),
                let payment = paid(intent ?? id, by: captured, "amount_captured")
            else { continue }
            payments.append(payment)
            seen.insert(intent ?? id)
        }
        return payments
    }

    /// The sessions of single payments, by their payment intents.
    private func paymentSessions() -> [(intent: StripeObjectId, [(session: StripeObject, event: StripeEvent)])] {
        var sessions: [StripeObjectId: [(session: StripeObject, event: StripeEvent)]] = [:]
        for event in objects(.session).flatMap(\.events) {
            guard let session = StripeObject(event.object), session["mode"]?.stringValue == "payment",
                let intent = session.id("payment_intent")
            else { continue }
            sessions[intent, default: []].append((session, event))
        }
        return sessions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// What a session's customer paid; a payment that is captured later leaves its session unpaid.
    private func paid(
        _ intent: StripeObjectId,
        _ sessions: [(session: StripeObject, event: StripeEvent)]
    ) -> StripePayment? {
        let paid = sessions.first { $0.session["payment_status"]?.stringValue == "paid" }
        let captures = objects(.intent).first { $0.id == intent }?.events ?? []
        let captured = captures.last.flatMap { StripeObject($0.object)?["amount_received"]?.int64Value }
        guard let (session, event) = paid ?? sessions.last, let total = session["amount_total"]?.int64Value,
            let own = try? StripeCurrency(of: session), let amount = paid == nil ? captured : total
        else { return nil }
        let teller = paid == nil ? captures.last?.id ?? event.id : event.id
        guard let presented = try? StripePresentment(of: session) else {
            return StripePayment(id: intent, currency: own, amount: amount, eventId: teller)
        }
        guard let part = try? presented.part(amount, of: total, name: intent.rawValue) else { return nil }
        return StripePayment(id: intent, currency: presented.currency, amount: part, eventId: teller)
    }

    private func paid(_ id: StripeObjectId, by events: [StripeEvent], _ member: String) -> StripePayment? {
        guard let event = events.last, let object = StripeObject(event.object),
            let amount = object[member]?.int64Value ?? object["amount"]?.int64Value,
            let own = try? StripeCurrency(of: object)
        else { return nil }
        guard let presented = try? StripePresentment(of: object) else {
            return StripePayment(id: id, currency: own, amount: amount, eventId: event.id)
        }
        let whole = object["amount"]?.int64Value ?? amount
        guard let part = try? presented.part(amount, of: whole, name: id.rawValue) else { return nil }
        return StripePayment(id: id, currency: presented.currency, amount: part, eventId: event.id)
    }
}

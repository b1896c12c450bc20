import ExternalPurchaseCore
import Ledger

extension GroupInterpretation {
    /// Reads the sessions of mode `payment`: each is a purchase under the id of its payment intent.
    mutating func readPaymentSessions() {
        for (id, events) in objects(.session) {
            do throws(NoSale) {
                guard try isPayment(events) else { continue }
                try readPaymentSession(id, events)
            } catch {
                set(error.outcome, for: events)
            }
        }
    }

    /// Reads the sessions of mode `subscription`: their invoice is the sale, to which they add.
    mutating func readSubscriptionSessions() {
        for (_, events) in objects(.session) {
            guard let object = events.first.flatMap({ StripeObject($0.object) }), let mode = try? object.text("mode"),
                mode == "subscription"
            else { continue }
            let sessions = events.compactMap { StripeObject($0.object) }
            let saleIds = sessions.flatMap { self.saleIds(invoice: $0.id("invoice"), $0.id("subscription")) }
            if saleIds.isEmpty {
                set(.waiting(StripeReason(.invoice, "the session's invoice is the sale"), isAlert: false), for: events)
            } else {
                set(.used(Set(saleIds).sorted()), for: events)
                for event in events {
                    if let session = StripeObject(event.object) { noteReference(of: session, for: [event]) }
                }
            }
        }
    }

    /// Notes that a session's reference cannot be a checkout, where nothing else names one.
    private mutating func noteReference(of session: StripeObject, for events: [StripeEvent]) {
        guard let reference = session["client_reference_id"]?.stringValue, !reference.isEmpty,
            let metadata = try? sessionMetadata(session), metadata.checkoutId == nil
        else { return }
        note(
            "client_reference_id is no checkout: a checkoutId has at most \(StripeMetadata.longestCheckout) characters, "
                + "and no control characters",
            for: events
        )
    }

    /// False for a session of mode `subscription`, which is read after its invoice.
    private func isPayment(_ events: [StripeEvent]) throws(NoSale) -> Bool {
        guard let object = events.first.flatMap({ StripeObject($0.object) }) else { return false }
        switch try object.text("mode") {
        case "payment": return true
        case "subscription": return false
        case nil: throw .held(.member, "the session has no mode")
        case let mode?: throw .notUsed(.mode, "a session of mode \(mode.quoted) sells nothing")
        }
    }

    private mutating func readPaymentSession(_ id: StripeObjectId, _ events: [StripeEvent]) throws(NoSale) {
        let paid = events.filter(\.isPaidSession)
        let failed = events.filter { $0.type == "checkout.session.async_payment_failed" }
        let reason = StripeReason(.paymentFailed, "the payment of the session failed")
        set(.notUsed(reason), for: failed)
        let others = events.filter { event in !failed.contains(event) && !paid.contains(event) }
        guard let event = paid.first, let session = StripeObject(event.object) else {
            if !failed.isEmpty { return set(.notUsed(reason), for: others) }
            let isFree = others.contains {
                StripeObject($0.object)?["payment_status"]?.stringValue == "no_payment_required"
            }
            if isFree { throw .notUsed(.nothingPaid, "nothing was paid") }
            throw .waiting(.unpaid, "the payment method of the session has not paid yet")
        }
        set(.notUsed(StripeReason(.known, "the event of the payment gives the sale")), for: others)
        do throws(NoSale) {
            guard let intent = session.id("payment_intent") else {
                if session["amount_total"]?.int64Value == 0 { throw NoSale.notUsed(.nothingPaid, "nothing was paid") }
                throw NoSale.held(.member, "the paid session names no payment intent")
            }
            if let invoice = standingInvoice(of: session, intent) {
                // The invoice came first and became the sale; ``readInvoices()`` reads it with this session.
                set(.used([SaleId(invoice.rawValue)]), for: paid)
                return
            }
            let sale = try emit(try sale(of: session, id, intent, at: event.created))
            paymentSales[intent] = sale
            set(.used([sale.saleId]), for: paid)
            noteReference(of: session, for: paid)
        } catch {
            set(error.outcome, for: paid)
        }
    }

    /// The invoice that this session made, if the ledger holds it as a purchase of its own.
    func standingInvoice(of session: StripeObject, _ intent: StripeObjectId) -> StripeObjectId? {
        guard standing[SaleId(intent.rawValue)] == nil else { return nil }
        let invoices = links.invoices(charge: nil, intent: intent).sorted()
        return invoices.first { standing[SaleId($0.rawValue)] != nil }
    }

    private mutating func sale(
        of session: StripeObject,
        _ id: StripeObjectId,
        _ intent: StripeObjectId,
        at moment: Timestamp
    ) throws(NoSale) -> Sale {
        let metadata = try sessionMetadata(session).completed(by: intentMetadata([intent]))
        let account = try seller(metadata)
        let elements = try lineItems(of: session, id)
        let currency = try StripeCurrency(of: session)
        for element in elements where element["currency"] != nil {
            guard try StripeCurrency(of: element) == currency else {
                throw .held(
                    .currency,
                    "the line \(element.name) is not in \(currency.code), the currency of its session"
                )
            }
        }
        let details = session.object("total_details")
        let totalTax = try details.flatMap { details throws(NoSale) in try details.integer("amount_tax") }
        let isTaxListed = elements.contains { !($0["taxes"]?.arrayValue ?? []).isEmpty }
        let pricing = Pricing(
            account: account,
            currency: currency,
            isTaxComputed: session.isTaxComputed || isTaxListed || totalTax.map { $0 > 0 } ?? false,
            taxCountry: session.sessionCountry ?? account.taxCountry
        )
        let amounts = try amounts(of: elements, total: session.requiredInteger("amount_total"), tax: totalTax)
        var lines: [Purchase] = []
        for (element, amount) in zip(elements, amounts) {
            let name = element.name
            let line = try pricing.purchase(
                try productId(of: StripePrice(of: element), account: account, name: name),
                quantity: element.integer("quantity") ?? 1,
                inclusive: amount.inclusive,
                tax: amount.tax,
                name: name
            )
            lines.append(line)
        }
        return Sale(
            saleId: SaleId(intent.rawValue),
            bundleId: account.bundleId,
            occurredAt: moment,
            customerId: metadata.customerId,
            checkoutId: metadata.checkoutId,
            externalPurchaseId: metadata.externalPurchaseId,
            kind: try .lines(lines, of: id.rawValue)
        )
    }

    /// The line items, which an event has only if it was expanded.
    private mutating func lineItems(
        of session: StripeObject,
        _ id: StripeObjectId
    ) throws(NoSale) -> [StripeObject] {
        if let list = try session.list("line_items"), !list.hasMore, !list.elements.isEmpty { return list.elements }
        let request = StripeRequest.sessionLineItems(id)
        guard let elements = answer(request), !elements.isEmpty else {
            throw .waiting(
                .lineItems,
                "the event leaves out the session's line items; \(request.path) has them",
                isAlert: !canFetch || fetched.answers[request] != nil
            )
        }
        return elements
    }

    /// The amounts of the lines; a single line takes the total, which is what the customer paid.
    private func amounts(
        of elements: [StripeObject],
        total: Int64,
        tax: Int64?
    ) throws(NoSale) -> [(inclusive: Int64, tax: Int64)] {
        if elements.count == 1, let only = elements.first {
            if let tax { return [(total, tax)] }
            return [(total, try only.integer("amount_tax") ?? 0)]
        }
        var amounts: [(inclusive: Int64, tax: Int64)] = []
        for element in elements {
            amounts.append(
                (try element.requiredInteger("amount_total"), try element.integer("amount_tax") ?? 0)
            )
        }
        let sum = try amounts.map(\.inclusive).sum(of: "the lines")
        guard sum == total else {
            throw .held(.total, "the lines add up to \(sum), the session's amount_total is \(total)")
        }
        let taxes = try amounts.map(\.tax).sum(of: "the lines")
        guard tax == nil || tax == taxes else {
            throw .held(.total, "the taxes of the lines add up to \(taxes), the session's amount_tax is \(tax ?? 0)")
        }
        return amounts
    }
}

extension GroupInterpretation {
    /// The sales of an invoice, or of all invoices of a subscription.
    func saleIds(invoice: StripeObjectId?, _ subscription: StripeObjectId?) -> [SaleId] {
        let ofInvoice = invoice.flatMap { invoiceSales[$0] } ?? []
        let ofSubscription = invoiceSales.values.joined().filter {
            subscription != nil && $0.subscriptionId?.rawValue == subscription?.rawValue
        }
        return Set((ofInvoice + ofSubscription).map(\.saleId)).sorted()
    }

    func sessionMetadata(_ session: StripeObject) throws(NoSale) -> StripeMetadata {
        try StripeMetadata(
            session.object("metadata"),
            clientReference: session["client_reference_id"]?.stringValue
        )
    }

    /// The metadata of payment intents; unusable metadata adds nothing.
    func intentMetadata(_ intents: [StripeObjectId]) -> StripeMetadata {
        var metadata = StripeMetadata.none
        for (id, events) in objects(.intent) where intents.contains(id) {
            for event in events {
                let object = StripeObject(event.object)?.object("metadata")
                if let read = try? StripeMetadata(object) { metadata = metadata.completed(by: read) }
            }
        }
        return metadata
    }
}

extension StripeEvent {
    /// True for an event of a session after which its money has arrived.
    fileprivate var isPaidSession: Bool {
        switch type {
        case "checkout.session.async_payment_succeeded": true
        case "checkout.session.completed": StripeObject(object)?["payment_status"]?.stringValue == "paid"
        default: false
        }
    }
}

extension Sale.Kind {
    /// A purchase of one line, or an order of several.
    static func lines(_ lines: [Purchase], of name: String) throws(NoSale) -> Sale.Kind {
        guard lines.count <= 100 else { throw .held(.lines, "\(name) has more than 100 lines") }
        guard let first = lines.first else { throw .held(.lines, "\(name) has no lines") }
        return lines.count == 1 ? .purchase(first) : .order(lines)
    }
}

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
                set(.waiting(PaymentReason(.invoice, "the session's invoice is the sale"), isAlert: false), for: events)
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
        let reason = PaymentReason(.paymentFailed, "the payment of the session failed")
        set(.notUsed(reason), for: failed)
        let others = events.filter { event in !failed.contains(event) && !paid.contains(event) }
        guard let event = paid.first, let session = StripeObject(event.object) else {
            if !failed.isEmpty { return set(.notUsed(reason), for: others) }
            if try readCapture(id, others) { return }
            let isFree = others.contains {
                StripeObject($0.object)?["payment_status"]?.stringValue == "no_payment_required"
            }
            if isFree { throw .notUsed(.nothingPaid, "nothing was paid") }
            let intents = others.compactMap { StripeObject($0.object)?.id("payment_intent") }
            if intents.contains(where: releases.isWhole) {
                throw .notUsed(.released, "nothing of the session's payment was captured")
            }
            throw .waiting(.unpaid, "the payment method of the session has not paid yet")
        }
        set(.notUsed(PaymentReason(.known, "the event of the payment gives the sale")), for: others)
        do throws(NoSale) {
            guard let intent = session.id("payment_intent") else {
                if session["amount_total"]?.int64Value == 0 { throw NoSale.notUsed(.nothingPaid, "nothing was paid") }
                throw NoSale.held(.member, "the paid session names no payment intent")
            }
            if let posted = try posted(charge: nil, intent: intent) {
                set(.used(posted.map(\.saleId)), for: paid)
                return
            }
            if let invoice = standingInvoice(of: session, intent) {
                // The invoice came first and became the sale; ``readInvoices()`` reads it with this session.
                set(.used([SaleId(invoice.rawValue)]), for: paid)
                return
            }
            try emit(session, id, intent, at: event.created, captured: nil, by: paid)
        } catch {
            set(error.outcome, for: paid)
        }
    }

    private mutating func emit(
        _ session: StripeObject,
        _ id: StripeObjectId,
        _ intent: StripeObjectId,
        at moment: Timestamp,
        captured: Int64?,
        by events: [StripeEvent]
    ) throws(NoSale) {
        let (draft, other) = try sale(of: session, id, intent, at: moment, captured: captured)
        let sale = try emit(draft, restating: captured == nil ? nil : captureRestatement(of: draft))
        paymentSales[intent] = sale
        unreported[sale.saleId] = other
        set(.used([sale.saleId]), for: events)
        noteReference(of: session, for: events)
        noteMissingRate(of: [sale], for: events)
    }

    /// Reads a session whose payment was authorised and captured later: it stays `unpaid`, and its intent has what was
    /// captured.
    ///
    /// - Returns: false while nothing is captured.
    private mutating func readCapture(_ id: StripeObjectId, _ events: [StripeEvent]) throws(NoSale) -> Bool {
        guard let session = events.first.flatMap({ StripeObject($0.object) }),
            let intent = session.id("payment_intent"),
            let captures = objects(.intent).first(where: { $0.id == intent })?.events, let capture = captures.first,
            let object = captures.last.flatMap({ StripeObject($0.object) }), object.isCapturedLater
        else { return false }
        let captured = try object.requiredInteger("amount_received")
        try emit(session, id, intent, at: capture.created, captured: captured, by: events)
        return true
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
        at moment: Timestamp,
        captured: Int64?
    ) throws(NoSale) -> (sale: Sale, other: Int64) {
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
        let presented = try StripePresentment(of: session)
        let pricing = Pricing(
            account: account,
            currency: presented?.currency ?? currency,
            isTaxComputed: session.isTaxComputed || isTaxListed || totalTax.map { $0 > 0 } ?? false,
            taxCountry: session.sessionCountry ?? account.taxCountry
        )
        let total = try session.requiredInteger("amount_total")
        let paid = captured ?? total
        let given = try presented.map { presented throws(NoSale) in
            try presented.part(paid, of: total, name: id.rawValue)
        }
        let amounts = try amounts(of: elements, session, total: total, tax: totalTax)
            .scaled(to: given ?? paid, of: id.rawValue)
        var lines: [Purchase] = []
        var other = amounts.other
        for (element, amount) in zip(elements, amounts.lines) {
            let name = element.name
            guard let productId = try productId(of: StripePrice(of: element), account: account, name: name) else {
                other = try [other, amount.inclusive].sum(of: id.rawValue)
                continue
            }
            let line = try pricing.purchase(
                productId,
                quantity: element.integer("quantity") ?? 1,
                inclusive: amount.inclusive,
                tax: amount.tax,
                country: element.rateCountry,
                name: name
            )
            lines.append(line)
        }
        if lines.isEmpty { throw .notUsed(.unreported, "the configuration leaves out what \(id) sold") }
        let sale = Sale(
            saleId: SaleId(intent.rawValue),
            bundleId: account.bundleId,
            occurredAt: moment,
            customerId: metadata.customerId,
            checkoutId: metadata.checkoutId,
            externalPurchaseId: metadata.externalPurchaseId,
            kind: try .lines(lines, of: id.rawValue, metadata.charged)
        )
        return (sale, other)
    }

    /// The line items, which an event has only if it was expanded.
    private mutating func lineItems(
        of session: StripeObject,
        _ id: StripeObjectId
    ) throws(NoSale) -> [StripeObject] {
        if let list = try session.list("line_items"), !list.hasMore, !list.elements.isEmpty { return list.elements }
        let request = PaymentRequest.sessionLineItems(id)
        guard let elements = answer(request), !elements.isEmpty else {
            throw .waiting(
                .lineItems,
                "the event leaves out the session's line items; \(request.path) has them",
                isAlert: !canFetch || fetched.answers[request] != nil
            )
        }
        return elements
    }

    /// The amounts of the lines, and the shipping; a single line takes what is left of the total, which is what the
    /// customer paid.
    private func amounts(
        of elements: [StripeObject],
        _ session: StripeObject,
        total: Int64,
        tax: Int64?
    ) throws(NoSale) -> SharedAmounts {
        let cost = session.object("shipping_cost")
        let shippingNet = try session.object("total_details")?.integer("amount_shipping")
        let shipping = try cost?.integer("amount_total") ?? shippingNet ?? 0
        let shippingTax = try cost?.integer("amount_tax") ?? 0
        if elements.count == 1, let only = elements.first {
            let (rest, overflow) = total.subtractingReportingOverflow(shipping)
            guard !overflow, rest >= 0 else {
                throw .held(.total, "the shipping of \(shipping) is more than the session's amount_total of \(total)")
            }
            if let tax, shipping == 0 || cost?["amount_tax"] != nil {
                return SharedAmounts(lines: [(rest, tax &- shippingTax)], other: shipping)
            }
            return SharedAmounts(lines: [(rest, try only.integer("amount_tax") ?? 0)], other: shipping)
        }
        var amounts: [(inclusive: Int64, tax: Int64)] = []
        for element in elements {
            amounts.append(
                (try element.requiredInteger("amount_total"), try element.integer("amount_tax") ?? 0)
            )
        }
        let sum = try (amounts.map(\.inclusive) + [shipping]).sum(of: "the lines")
        guard sum == total else {
            let what = shipping == 0 ? "the lines" : "the lines and the shipping"
            throw .held(.total, "\(what) add up to \(sum), the session's amount_total is \(total)")
        }
        let taxes = try (amounts.map(\.tax) + [shippingTax]).sum(of: "the lines")
        guard tax == nil || tax == taxes || shipping > 0 && cost?["amount_tax"] == nil else {
            throw .held(.total, "the taxes of the lines add up to \(taxes), the session's amount_tax is \(tax ?? 0)")
        }
        return SharedAmounts(lines: amounts, other: shipping)
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

extension StripeObject {
    /// True for a payment intent that is captured by a request of its own, whatever method paid it or by this one alone.
    fileprivate var isCapturedLater: Bool {
        let methods = self["payment_method_options"]?.objectValue?.members.compactMap { StripeObject($0.value) } ?? []
        return ([self] + methods).contains { $0["capture_method"]?.stringValue == "manual" }
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
    /// A purchase of one line, a charge of a subscription that the shop runs by itself, or an order of several lines.
    static func lines(
        _ lines: [Purchase],
        of name: String,
        _ charged: StripeMetadata.Charged? = nil
    ) throws(NoSale) -> Sale.Kind {
        guard lines.count <= 100 else { throw .held(.lines, "\(name) has more than 100 lines") }
        guard let first = lines.first else { throw .held(.lines, "\(name) has no lines") }
        guard let charged else { return lines.count == 1 ? .purchase(first) : .order(lines) }
        guard lines.count == 1 else {
            throw .held(.lines, "\(name) has several lines, of which its metadata makes one charge of a subscription")
        }
        return .subscription(
            SubscriptionCharge(subscriptionId: charged.subscriptionId, period: charged.period, purchase: first)
        )
    }
}

package import ExternalPurchaseCore
package import Ledger

/// What the ledger knows of the references of payments, and when it is asked.
package struct StripeReferences: Sendable {
    /// The checkouts that a token named, and the customers with a payment of an external purchase.
    let known: Set<PaymentReference>
    /// The ids of the events that gave a sale; their payments stay taken.
    let told: Set<String>
    let now: Timestamp
    /// When the last one of the events arrived.
    let receivedAt: Timestamp
    /// The time for which a payment waits for the token of its checkout.
    let wait: Duration

    fileprivate var isInTime: Bool { now < receivedAt + wait }

    package init(
        known: Set<PaymentReference> = [],
        told: Set<String> = [],
        now: Timestamp = Timestamp(milliseconds: 0),
        receivedAt: Timestamp = Timestamp(milliseconds: 0),
        wait: Duration = .zero
    ) {
        self.known = known
        self.told = told
        self.now = now
        self.receivedAt = receivedAt
        self.wait = wait
    }
}

extension StripeReading {
    /// Decides whether the payments of a group belong to an external purchase, and leaves nothing of them if not.
    mutating func take(
        _ group: [StripeEvent],
        of accounts: [StripeAccount],
        _ links: StripeLinks,
        canFetch: Bool,
        isPosted: Bool,
        _ references: StripeReferences
    ) {
        // A refund alone does not say what it belongs to.
        guard group.contains(where: { $0.kind?.tellsReference ?? false }) else { return }
        let named = group.flatMap(\.references)
        let isTaken =
            isPosted || accounts.contains { $0.take == .all } || group.contains { references.told.contains($0.id) }
            || named.contains(where: references.known.contains)
            || group.contains { StripeMetadata.isNamed(in: $0.object) }
        var reference = PaymentEventResult.Reference.referenced
        if !isTaken {
            let checkouts = named.compactMap { if case .checkout(let id) = $0 { id } else { nil } }
            // An invoice may have made an intent that names nothing, and since 2025-03-31 other objects say so.
            let isPartOfMore = !group.contains { $0.kind?.isComplete ?? false }
            let waits = isPartOfMore ? group.contains { $0.kind?.givesBack ?? false } : !checkouts.isEmpty
            // What an API key can tell is waited for, however long the API does not answer.
            let isAsking = isPartOfMore && canFetch && !requests.isEmpty
            reference = waits && (references.isInTime || isAsking) ? .waiting : .unreferenced
            if !isPartOfMore || reference == .unreferenced {
                leaveOut(group, checkouts.first, isWaiting: reference == .waiting)
            }
        }
        let tellers = StripePayments(group, links).tellers
        for event in group {
            payments[event.id] = StripePaymentState(reference: reference, payment: tellers[event.id])
        }
    }

    private mutating func leaveOut(_ group: [StripeEvent], _ checkout: CheckoutId?, isWaiting: Bool) {
        let name = checkout.map { "no token named the checkout \($0.rawValue.quoted)" }
        let outcome: StripeOutcome =
            isWaiting
            ? .waiting(StripeReason(.token, name ?? ""), isAlert: false)
            : .notUsed(
                StripeReason(
                    .unreferenced,
                    (name.map { "\($0); " } ?? "")
                        + "the payment has no metadata external_purchase_…, and its customer has no payment of an external "
                        + "purchase"
                )
            )
        for event in group {
            // What is not used for a reason of its own keeps it.
            if case .notUsed(let reason) = outcomes[event.id], !reason.code.namesAnotherEvent { continue }
            outcomes[event.id] = outcome
            notes[event.id] = nil
        }
        (sales, withdrawals, requests, statements) = ([], [], [], [])
    }
}

extension StripeReason.Code {
    /// True if another event of the group has the sale.
    fileprivate var namesAnotherEvent: Bool { [.known, .madeByInvoice, .notOurs].contains(self) }
}

extension StripeEventKind {
    /// True for events that have the references of a payment, if it has any.
    fileprivate var tellsReference: Bool {
        switch self {
        case .session, .intent, .charge, .paidInvoice, .failedInvoice, .subscription, .endedSubscription: true
        case .invoicePayment, .refund, .refundedCharge, .dispute, .creditNote: false
        }
    }
}

extension StripeEventKind {
    /// True for events that name what was sold, or its subscription.
    fileprivate var isComplete: Bool {
        switch self {
        case .session, .paidInvoice, .failedInvoice, .subscription, .endedSubscription: true
        case .intent, .charge, .invoicePayment, .refund, .refundedCharge, .dispute, .creditNote: false
        }
    }
}

/// What customers paid in a group of events, each payment once: by the invoice, else the session, else the intent or charge.
struct StripePayments {
    /// The payments by the id of the event that tells each.
    private(set) var tellers: [String: PaymentEventResult.Payment] = [:]
    private var seen: Set<StripeObjectId> = []

    init(_ group: [StripeEvent], _ links: StripeLinks) {
        for event in group where event.kind == .session {
            guard let session = StripeObject(event.object), session["payment_status"]?.stringValue == "paid",
                session["mode"]?.stringValue == "payment", let intent = session.id("payment_intent")
            else { continue }
            let presented = session.object("presentment_details")
            if tell(
                intent,
                presented?["presentment_amount"] ?? session["amount_total"],
                presented?["presentment_currency"] ?? session["currency"],
                event
            ) {
                seen.formUnion(links.invoices(charge: nil, intent: intent))
                if let invoice = session.id("invoice") { seen.insert(invoice) }
            }
        }
        for event in group where event.kind == .paidInvoice {
            guard let invoice = StripeObject(event.object), let id = event.objectId else { continue }
            let credited = invoice["pre_payment_credit_notes_amount"]?.int64Value ?? 0
            let total = invoice["total"]?.int64Value.map { JSONValue.integer($0 &- credited) }
            _ = tell(id, total, invoice["currency"], event)
        }
        for event in group where event.kind == .intent || event.kind == .charge {
            guard let object = StripeObject(event.object), let id = event.objectId else { continue }
            let intent = event.kind == .intent ? id : object.id("payment_intent")
            let charge = event.kind == .charge ? id : nil
            guard links.invoices(charge: charge, intent: intent).isEmpty, object["captured"]?.boolValue != false
            else { continue }
            let presented = object.object("presentment_details")
            _ = tell(
                intent ?? id,
                presented?["presentment_amount"]
                    ?? object[event.kind == .intent ? "amount_received" : "amount_captured"],
                presented?["presentment_currency"] ?? object["currency"],
                event
            )
        }
    }

    /// Notes a payment that no event before has told; what cannot be read is left to the interpretation.
    private mutating func tell(
        _ id: StripeObjectId,
        _ amount: JSONValue?,
        _ currency: JSONValue?,
        _ event: StripeEvent
    ) -> Bool {
        guard let amount = amount?.int64Value, amount > 0, let code = currency?.stringValue,
            let currency = try? StripeCurrency(code: code.uppercased(), name: id.rawValue),
            let price = try? currency.price(amount, of: id.rawValue), let units = MilliUnits(rounding: price * 1_000),
            seen.insert(id).inserted
        else { return false }
        tellers[event.id] = PaymentEventResult.Payment(id: id.rawValue, currency: currency.code, amount: units)
        return true
    }
}

import ExternalPurchaseCore

/// Which charge belongs to which payment intent, and which of them paid which invoice.
struct StripeLinks: Sendable {
    private(set) var intentOfCharge: [StripeObjectId: StripeObjectId] = [:]
    private var invoicesOfIntent: [StripeObjectId: Set<StripeObjectId>] = [:]
    private var invoicesOfCharge: [StripeObjectId: Set<StripeObjectId>] = [:]
    /// What each payment of an invoice paid of it, in Stripe's units, by the id of the `invoice_payment`.
    private var paidParts: [StripeObjectId: (invoice: StripeObjectId, intent: StripeObjectId, amount: Int64)] = [:]

    init(_ events: [StripeEvent], fetched: StripeFetched) {
        for event in events {
            guard let object = StripeObject(event.object), let kind = event.kind else { continue }
            read(object, kind)
        }
        for request in fetched.answers.keys {
            guard request.connects else { continue }
            for payment in fetched.objects(request) { read(payment, .invoicePayment) }
        }
    }

    /// The invoices that a payment paid.
    func invoices(charge: StripeObjectId?, intent: StripeObjectId?) -> Set<StripeObjectId> {
        let ofIntent = intent.flatMap { invoicesOfIntent[$0] } ?? []
        let ofCharge = charge.flatMap { invoicesOfCharge[$0] } ?? []
        return ofIntent.union(ofCharge)
    }

    /// What a payment intent paid of an invoice, in Stripe's units; 0 where no `invoice_payment` says it.
    func paid(_ invoice: StripeObjectId, by intent: StripeObjectId) -> Int64 {
        paidParts.values.reduce(0) { $1.invoice == invoice && $1.intent == intent ? $0 &+ $1.amount : $0 }
    }

    /// The payment intents that paid an invoice.
    func intents(ofInvoice invoice: StripeObjectId) -> [StripeObjectId] {
        invoicesOfIntent.filter { $0.value.contains(invoice) }.keys.sorted()
    }

    /// The charges that an invoice or its payment names.
    func charges(ofInvoice invoice: StripeObjectId) -> [StripeObjectId] {
        invoicesOfCharge.filter { $0.value.contains(invoice) }.keys.sorted()
    }

    private mutating func read(_ object: StripeObject, _ kind: StripeEventKind) {
        switch kind {
        case .session:
            link(intent: object.id("payment_intent"), to: object.id("invoice"))
        case .intent:
            let id = object.id("id")
            link(intent: id, to: object.id("invoice"))
            link(charge: object.id("latest_charge"), to: id)
            for charge in object.data(of: "charges") { link(charge: charge.id("id"), to: id) }
        case .paidInvoice, .failedInvoice:
            let payments = object.invoicePayments
            for intent in payments.intents { link(intent: intent, to: object.id("id")) }
            for charge in payments.charges { link(charge: charge, toInvoice: object.id("id")) }
            // Before 2025-03-31 an invoice had one payment intent and one charge.
            link(charge: object.id("charge"), to: object.id("payment_intent"))
        case .invoicePayment:
            let payment = object.object("payment")
            if let id = object.id("id"), let invoice = object.id("invoice"), let intent = payment?.id("payment_intent"),
                let amount = object["amount_paid"]?.int64Value
            {
                paidParts[id] = (invoice, intent, amount)
            }
            link(intent: payment?.id("payment_intent"), to: object.id("invoice"))
            link(charge: payment?.id("charge"), toInvoice: object.id("invoice"))
        case .charge, .refundedCharge:
            link(charge: object.id("id"), to: object.id("payment_intent"))
            link(charge: object.id("id"), toInvoice: object.id("invoice"))
        case .refund, .dispute:
            link(charge: object.id("charge"), to: object.id("payment_intent"))
        case .subscription, .endedSubscription, .creditNote: break
        }
    }

    private mutating func link(charge: StripeObjectId?, to intent: StripeObjectId?) {
        guard let charge, let intent else { return }
        intentOfCharge[charge] = intent
    }

    private mutating func link(intent: StripeObjectId?, to invoice: StripeObjectId?) {
        guard let intent, let invoice else { return }
        invoicesOfIntent[intent, default: []].insert(invoice)
    }

    private mutating func link(charge: StripeObjectId?, toInvoice invoice: StripeObjectId?) {
        guard let charge, let invoice else { return }
        invoicesOfCharge[charge, default: []].insert(invoice)
    }
}

/// The types of events that an endpoint must deliver.
package enum StripeEventTypes {
    /// The types without which sales, refunds or disputes are missing; of several in one entry any one is enough.
    ///
    /// A shop without payment intents needs those of charges too.
    package static let needed: [[String]] = [
        ["checkout.session.completed"], ["checkout.session.async_payment_succeeded"], ["payment_intent.succeeded"],
        ["invoice.paid", "invoice.payment_succeeded"], ["invoice_payment.paid"], ["invoice.payment_failed"],
        ["customer.subscription.deleted"], ["refund.created"], ["refund.updated", "charge.refund.updated"],
        ["refund.failed"], ["charge.refunded"], ["credit_note.created"], ["credit_note.updated"],
        ["credit_note.voided"], ["charge.dispute.created"], ["charge.dispute.funds_withdrawn"],
        ["charge.dispute.closed"], ["charge.dispute.funds_reinstated"],
    ]
}

/// The types of events that give sales, or that link their objects.
enum StripeEventKind: Hashable, Sendable {
    case session
    case intent
    /// A charge, which a shop may make without a payment intent.
    case charge
    case paidInvoice
    case failedInvoice
    case invoicePayment
    /// A subscription whose metadata may say whose sales its invoices are.
    case subscription
    case endedSubscription
    case refund
    case refundedCharge
    case dispute
    case creditNote

    /// Nil for a type that is not used.
    init?(type: String) {
        switch type {
        case "checkout.session.completed", "checkout.session.async_payment_succeeded",
            "checkout.session.async_payment_failed":
            self = .session
        case "payment_intent.succeeded": self = .intent
        case "charge.succeeded", "charge.captured": self = .charge
        case "invoice.paid", "invoice.payment_succeeded": self = .paidInvoice
        case "invoice.payment_failed": self = .failedInvoice
        case "invoice_payment.paid": self = .invoicePayment
        case "customer.subscription.created", "customer.subscription.updated": self = .subscription
        case "customer.subscription.deleted": self = .endedSubscription
        case "refund.created", "refund.updated", "refund.failed", "charge.refund.updated": self = .refund
        case "charge.refunded": self = .refundedCharge
        case "charge.dispute.created", "charge.dispute.funds_withdrawn", "charge.dispute.closed",
            "charge.dispute.funds_reinstated":
            self = .dispute
        case "credit_note.created", "credit_note.updated", "credit_note.voided": self = .creditNote
        default: return nil
        }
    }
}

extension StripeEventKind {
    /// True for what a customer pays, with the time of the payment's own object.
    var isPayment: Bool {
        switch self {
        case .session, .intent, .charge, .paidInvoice, .failedInvoice, .refundedCharge: true
        case .invoicePayment, .subscription, .endedSubscription, .refund, .dispute, .creditNote: false
        }
    }

    var givesBack: Bool {
        switch self {
        case .refund, .refundedCharge, .dispute, .creditNote: true
        default: false
        }
    }
}

extension StripeEvent {
    /// True for a payment whose object was created before every entry of its account begins.
    func isOlder(than accounts: [PaymentAccount]) -> Bool {
        guard kind?.isPayment ?? false, let created = try? StripeObject(object)?.time("created") else { return false }
        let starts = accounts.filter { $0.account == account }.map(\.from)
        return !starts.isEmpty && starts.allSatisfy { start in start.map { created < $0 } ?? false }
    }

    var kind: StripeEventKind? { StripeEventKind(type: type) }

    /// The object's id; nil if it has none that can be used.
    var objectId: StripeObjectId? { StripeObject(object)?.id("id") }
}

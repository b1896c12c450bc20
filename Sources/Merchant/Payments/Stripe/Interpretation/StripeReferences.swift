import ExternalPurchaseCore
import Ledger

extension PaymentReading {
    /// Decides whether the payments of a group belong to an external purchase, and leaves nothing of them if not.
    mutating func take(
        _ group: [StripeEvent],
        of accounts: [PaymentAccount],
        paid: [StripePayment],
        canFetch: Bool,
        isPosted: Bool,
        _ references: PaymentReferences
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
        let tellers = Dictionary(paid.map { ($0.eventId, $0.stated) }) { first, _ in first }
        for event in group {
            payments[event.id] = PaymentState(reference: reference, payment: tellers[event.id] ?? nil)
        }
    }

    private mutating func leaveOut(_ group: [StripeEvent], _ checkout: CheckoutId?, isWaiting: Bool) {
        let name = checkout.map { "no token named the checkout \($0.rawValue.quoted)" }
        let outcome: PaymentOutcome =
            isWaiting
            ? .waiting(PaymentReason(.token, name ?? ""), isAlert: false)
            : .notUsed(
                PaymentReason(
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

extension PaymentReason.Code {
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

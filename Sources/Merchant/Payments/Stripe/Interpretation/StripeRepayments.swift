import ExternalPurchaseCore

/// What the customers of a group got back, by the newest state of each object.
struct StripeRepayments {
    /// What one object gave back, or a charge in sum.
    private struct Part {
        var charge: StripeObjectId?
        var intent: StripeObjectId?
        var amount: Int64
        var isRounded = false
    }

    private var refunds: [(refund: StripeRefund, part: Part)] = []
    /// The newest sum that `charge.refunded` told of each charge.
    private var totals: [StripeObjectId: (part: Part, at: Timestamp)] = [:]
    private var disputes: [(dispute: StripeDispute, part: Part, isWhole: Bool)] = []
    private var notes: [StripeObjectId: [Int64]] = [:]
    /// True if an object cannot be read; its events are held.
    private var isIncomplete = false

    init(_ group: GroupInterpretation) {
        for (id, events) in group.objects(.refund) {
            guard let object = events.first.flatMap({ StripeObject($0.object) }),
                let refund = try? StripeRefund(id: id, events: events)
            else {
                isIncomplete = true
                continue
            }
            let charge = object.id("charge")
            let intent = object.id("payment_intent") ?? charge.flatMap { group.links.intentOfCharge[$0] }
            let isRounded = object["presentment_details"] != nil
            refunds.append((refund, Part(charge: charge, intent: intent, amount: refund.amount, isRounded: isRounded)))
        }
        for (id, events) in group.objects(.refundedCharge) {
            for event in events {
                guard let object = StripeObject(event.object) else { continue }
                do throws(NoSale) {
                    let released = try group.releases.released(in: object, event, group.links)
                    let refunded = try object.refunded(without: released).amount
                    if let known = totals[id], (known.at, known.part.amount) > (event.created, refunded) { continue }
                    let intent = object.id("payment_intent") ?? group.links.intentOfCharge[id]
                    let isRounded = object["presentment_details"] != nil
                    totals[id] = (
                        Part(charge: id, intent: intent, amount: refunded, isRounded: isRounded), event.created
                    )
                } catch {
                    if case .held = error.outcome { isIncomplete = true }
                }
            }
        }
        for (id, events) in group.objects(.dispute) {
            guard let object = events.first.flatMap({ StripeObject($0.object) }),
                let dispute = try? StripeDispute(id: id, events: events)
            else {
                isIncomplete = true
                continue
            }
            let charge = object.id("charge")
            let intent = object.id("payment_intent") ?? charge.flatMap { group.links.intentOfCharge[$0] }
            let isBack = !dispute.reinstatements.isEmpty && dispute.returned == 0
            let taken = dispute.withdrawals.isEmpty || isBack ? 0 : dispute.amount - dispute.returned
            disputes.append((dispute, Part(charge: charge, intent: intent, amount: taken), taken == dispute.amount))
        }
        for (_, events) in group.objects(.creditNote) {
            guard let note = events.last.flatMap({ StripeObject($0.object) }), let invoice = note.id("invoice"),
                let amount = try? note.givenBackBesideRefunds()
            else {
                isIncomplete = true
                continue
            }
            let isVoid = events.contains { event in
                event.type == "credit_note.voided" || StripeObject(event.object)?["status"]?.stringValue == "void"
            }
            if !isVoid { notes[invoice, default: []].append(amount) }
        }
        for (id, events) in group.objects(.paidInvoice) {
            guard let invoice = events.last.flatMap({ StripeObject($0.object) }), invoice.givesCredit,
                let credited = try? group.creditedInvoice(of: invoice, id)
            else { continue }
            notes[credited, default: []].append(invoice.credit)
        }
    }

    /// What was given back of one payment, in Stripe's units, and how many roundings it has.
    ///
    /// - Parameter price: what the customer gave, of which no more than all is given back.
    /// - Returns: nil where it is not known.
    func givenBack(
        of id: StripeObjectId,
        _ invoices: Set<StripeObjectId>,
        _ intents: Set<StripeObjectId>,
        _ charges: Set<StripeObjectId>,
        price: Int64,
        currency: StripeCurrency
    ) -> (amount: Int64, roundings: Int64)? {
        guard !isIncomplete else { return nil }
        func isOwn(_ part: Part) -> Bool {
            part.intent.map(intents.contains) ?? false || part.charge.map(charges.contains) ?? false
        }
        var amounts: [Int64] = []
        var roundings: Int64 = 0
        var open = refunds.filter { isOwn($0.part) }
        for (charge, total) in totals where isOwn(total.part) {
            var sum = total.part.amount
            var named: [Int64] = []
            open.removeAll { refund, part in
                guard part.charge ?? charge == charge, refund.created <= total.at else { return false }
                // The sum contains it; one that failed or is pending later on has given nothing back.
                switch refund.state {
                case .succeeded: named.append(refund.amount)
                case .pending: sum -= refund.amount
                case .failed: if refund.changedAt >= total.at { sum -= refund.amount }
                }
                return true
            }
            let told = named.reduce(0, &+)
            // In the customer's currency the refunds say exactly what the sum says with a rounding.
            let isSame = total.part.isRounded && abs(sum &- told) <= Int64(named.count) * currency.coin
            amounts.append(isSame ? told : max(0, sum))
            if total.part.isRounded { roundings += 1 }
        }
        for (refund, part) in open where refund.state == .succeeded {
            guard refund.currency == currency else { return nil }
            amounts.append(refund.amount)
            if part.isRounded { roundings += 1 }
        }
        for (dispute, part, isWhole) in disputes where isOwn(part) && part.amount > 0 {
            guard dispute.currency == currency || isWhole else { return nil }
            amounts.append(dispute.currency == currency ? part.amount : price)
        }
        for invoice in invoices.sorted() { amounts += notes[invoice] ?? [] }
        guard let sum = try? amounts.sum(of: id.rawValue) else { return nil }
        return (min(sum, price), roundings)
    }
}

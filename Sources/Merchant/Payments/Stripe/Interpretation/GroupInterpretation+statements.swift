import ExternalPurchaseCore
import Ledger

/// A payment of a group with its sales, and the ids of the objects through which its money moved.
private struct Unit {
    let id: StripeObjectId
    let sales: [Sale]
    let currency: StripeCurrency
    /// In Stripe's units.
    let given: Int64
    let invoice: StripeObjectId?
    let intents: Set<StripeObjectId>
    let charges: Set<StripeObjectId>
}

extension GroupInterpretation {
    /// Compares what the sales of each payment say with what its objects say that the customer gave and got back.
    ///
    /// New sales that say something else are not given: their events are held, with both figures.
    ///
    /// - Returns: the statements that can be made.
    mutating func compareStatements() -> [PaymentStatement] {
        holdOtherCurrencies()
        let money = StripeRepayments(self)
        return units().compactMap { unit in
            guard
                let back = money.givenBack(
                    of: unit.id,
                    unit.invoice,
                    unit.intents,
                    unit.charges,
                    price: unit.given,
                    currency: unit.currency
                )
            else { return nil }
            let other = unit.sales.reduce(0) { $0 &+ (unreported[$1.saleId] ?? 0) }
            let prices = unit.sales.flatMap(\.purchases).map { unit.currency.amount($0.inclusive) ?? 0 }
            let told = prices.reduce(0, &+)
            guard told >= 0, other >= 0,
                let reported = other == 0
                    ? back.amount : try? unit.currency.shared(back.amount, by: [told, other], of: unit.id.rawValue)[0]
            else { return nil }
            compare(unit, told: told &+ other, back: reported, parts: back.roundings)
            func units(_ amount: Int64) -> Decimal? { try? unit.currency.price(amount, of: unit.id.rawValue) }
            guard let given = units(unit.given), let givenBack = units(back.amount), let beside = units(other),
                let reportedBack = units(reported)
            else { return nil }
            return PaymentStatement(
                id: unit.id.rawValue,
                currency: unit.currency.code,
                saleIds: unit.sales.map(\.saleId),
                given: given,
                givenBack: givenBack,
                beside: beside,
                reportedBack: reportedBack
            )
        }
    }

    /// Holds what says that a customer was charged in another currency than the ledger's sale of an invoice has.
    private mutating func holdOtherCurrencies() {
        for event in events where event.kind == .intent || event.kind == .charge {
            guard let object = StripeObject(event.object), let presented = try? StripePresentment(of: object),
                let id = event.objectId, case .notUsed = outcome(of: event)
            else { continue }
            let intent = object.id("payment_intent") ?? id
            for invoice in links.invoices(charge: id, intent: intent) {
                guard let told = invoiceSales[invoice]?.first?.purchases.first?.currency,
                    told != presented.currency.code
                else { continue }
                let paid = (try? presented.currency.price(presented.amount, of: id.rawValue)).map { "\($0)" } ?? ""
                let detail =
                    "the customer was charged \(presented.currency.code) \(paid) for \(invoice), and its sale is in "
                    + "\(told), told before this was known"
                set(.held(StripeReason(.currency, detail)), for: [event])
            }
        }
    }

    // MARK: Payments

    private func units() -> [Unit] {
        var units: [Unit] = []
        for (id, events) in objects(.paidInvoice) {
            guard let sales = invoiceSales[id], let object = events.last.flatMap({ StripeObject($0.object) }),
                let total = object["total"]?.int64Value, let own = try? StripeCurrency(of: object)
            else { continue }
            let intents = Set(links.intents(ofInvoice: id))
            // The intent of several invoices is shared by what it paid of each.
            guard intents.allSatisfy({ links.invoices(charge: nil, intent: $0).count == 1 }) else { continue }
            let paid = max(0, total &- (object["pre_payment_credit_notes_amount"]?.int64Value ?? 0))
            let presented = presentment(ofInvoice: id, paid)
            add(id, sales, presented?.currency ?? own, presented?.amount ?? paid, invoice: id, intents, to: &units)
        }
        for (id, sale) in paymentSales.sorted(by: { $0.key < $1.key }) {
            guard let (given, currency) = paid(id) else { continue }
            add(id, [sale], currency, given, invoice: nil, [id], to: &units)
        }
        return units
    }

    private func add(
        _ id: StripeObjectId,
        _ sales: [Sale],
        _ currency: StripeCurrency,
        _ given: Int64,
        invoice: StripeObjectId?,
        _ intents: Set<StripeObjectId>,
        to units: inout [Unit]
    ) {
        guard !sales.isEmpty, given >= 0, sales.flatMap(\.purchases).allSatisfy({ $0.currency == currency.code })
        else { return }
        var charges = Set(links.intentOfCharge.filter { intents.contains($0.value) }.keys)
        if invoice == nil { charges.insert(id) }
        if let invoice { charges.formUnion(links.charges(ofInvoice: invoice)) }
        units.append(
            Unit(
                id: id,
                sales: sales,
                currency: currency,
                given: given,
                invoice: invoice,
                intents: intents,
                charges: charges
            )
        )
    }

    /// What a customer gave for a payment intent or charge, by its session, else by its own object.
    private func paid(_ id: StripeObjectId) -> (amount: Int64, currency: StripeCurrency)? {
        let sessions = objects(.session).flatMap(\.events).compactMap { StripeObject($0.object) }
            .filter { $0.id("payment_intent") == id && $0["mode"]?.stringValue == "payment" }
        let intents = objects(.intent).filter { $0.id == id }.flatMap(\.events)
        let charges = objects(.charge).flatMap(\.events).filter {
            $0.objectId == id || StripeObject($0.object)?.id("payment_intent") == id
        }
        func object(_ events: [StripeEvent]) -> StripeObject? { events.last.flatMap { StripeObject($0.object) } }
        let session = sessions.last { $0["payment_status"]?.stringValue == "paid" }
        let captured = object(intents)?["amount_received"]?.int64Value
        if let source = session ?? sessions.last {
            guard let total = source["amount_total"]?.int64Value, let own = try? StripeCurrency(of: source) else {
                return nil
            }
            // A payment that was captured later leaves its session unpaid.
            guard let amount = session == nil ? captured : total else { return nil }
            if let presented = try? StripePresentment(of: source) {
                return (try? presented.part(amount, of: total, name: id.rawValue)).map { ($0, presented.currency) }
            }
            return (amount, own)
        }
        guard let source = object(intents) ?? object(charges), let own = try? StripeCurrency(of: source),
            let amount = captured ?? source["amount_captured"]?.int64Value ?? source["amount"]?.int64Value
        else { return nil }
        guard let presented = try? StripePresentment(of: source) else { return (amount, own) }
        let whole = source["amount"]?.int64Value ?? amount
        return (try? presented.part(amount, of: whole, name: id.rawValue)).map { ($0, presented.currency) }
    }

    // MARK: Comparison

    private mutating func compare(_ unit: Unit, told: Int64, back: Int64, parts: Int64) {
        let isNew = unit.sales.allSatisfy { standing[$0.saleId] == nil } && !isPosted
        if isNew, told != unit.given {
            return hold(
                unit,
                unit.sales.map(\.saleId),
                "the customer paid \(text(unit.given, unit)) for \(unit.id), and its sales are \(text(told, unit))"
            )
        }
        let known = repayments(of: unit)
        let sum = known.values.reduce(0, &+)
        let new = known.keys.filter { standing[$0] == nil }.sorted()
        // In another currency each part is rounded by itself.
        let rounding = unit.currency.coin * parts
        let isMore = sum > back &+ rounding
        let isLess = sum < back &- rounding && !hasOpenRepayment(of: unit)
        guard !new.isEmpty, isMore || isLess else { return }
        hold(
            unit,
            new,
            "the customer got back \(text(back, unit)) of \(unit.id), and its refunds and chargebacks would be "
                + text(sum, unit)
        )
    }

    private func text(_ amount: Int64, _ unit: Unit) -> String {
        let price = try? unit.currency.price(amount, of: unit.id.rawValue)
        return "\(unit.currency.code) \(price.map { "\($0)" } ?? "\(amount)")"
    }

    /// What the given and the stored refunds and chargebacks of a payment give back, without those that were won back.
    private func repayments(of unit: Unit) -> [SaleId: Int64] {
        let ids = Set(unit.sales.map(\.saleId))
        let known = counted()
        let reversed = Set(known.values.compactMap(\.reversedChargeback))
        return known.compactMapValues { sale in
            guard let refund = sale.refund, ids.contains(refund.refundOf), !reversed.contains(sale.saleId) else {
                return nil
            }
            return unit.currency.amount(refund.statedAmount ?? refund.inclusive)
        }
    }

    /// True while an event of the payment waits or is held, which says why less is given back.
    private func hasOpenRepayment(of unit: Unit) -> Bool {
        events.contains { event in
            guard event.kind?.givesBack ?? false else { return false }
            switch outcome(of: event) {
            case .waiting, .held: return true
            case .used, .notUsed, nil: return false
            }
        }
    }

    /// Takes back what the reading gives of a payment, and holds the events that tell it.
    private mutating func hold(_ unit: Unit, _ saleIds: [SaleId], _ detail: String) {
        var removed = Set(saleIds)
        // What gives back or returns goes with what it refers to.
        while true {
            let more = counted().values.filter { sale in
                standing[sale.saleId] == nil && sale.takenBack.map(removed.contains) ?? false
            }
            guard !removed.isSuperset(of: more.map(\.saleId)) else { break }
            removed.formUnion(more.map(\.saleId))
        }
        remove(removed, StripeReason(.statement, detail))
    }
}

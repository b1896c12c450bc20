import ExternalPurchaseCore
import Ledger

/// Payments of a group with their sales, and the ids of the objects through which their money moved.
///
/// Invoices that one payment intent paid are one unit: what went back of the intent may be of any of them.
private struct Unit {
    var id: StripeObjectId
    var sales: [Sale]
    let currency: StripeCurrency
    /// In Stripe's units.
    var given: Int64
    var invoices: Set<StripeObjectId>
    var intents: Set<StripeObjectId>
    var charges: Set<StripeObjectId>
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
                    unit.invoices,
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
                set(.held(PaymentReason(.currency, detail)), for: [event])
            }
        }
    }

    // MARK: Payments

    private func units() -> [Unit] {
        var units: [Unit] = []
        let paid = Dictionary(payments().map { ($0.id, $0) }) { first, _ in first }
        for (id, sales) in invoiceSales.sorted(by: { $0.key < $1.key }) {
            guard let payment = paid[id] else { continue }
            add(payment, sales, invoice: id, Set(links.intents(ofInvoice: id)), to: &units)
        }
        for (id, sale) in paymentSales.sorted(by: { $0.key < $1.key }) {
            guard let payment = paid[id] else { continue }
            add(payment, [sale], invoice: nil, [id], to: &units)
        }
        return units
    }

    private func add(
        _ payment: StripePayment,
        _ sales: [Sale],
        invoice: StripeObjectId?,
        _ intents: Set<StripeObjectId>,
        to units: inout [Unit]
    ) {
        guard !sales.isEmpty, sales.flatMap(\.purchases).allSatisfy({ $0.currency == payment.currency.code }) else {
            return
        }
        var charges = Set(links.intentOfCharge.filter { intents.contains($0.value) }.keys)
        if invoice == nil { charges.insert(payment.id) }
        if let invoice { charges.formUnion(links.charges(ofInvoice: invoice)) }
        let shared = units.firstIndex { unit in
            !unit.intents.isDisjoint(with: intents) && unit.currency == payment.currency
        }
        guard let shared else {
            units.append(
                Unit(
                    id: payment.id,
                    sales: sales,
                    currency: payment.currency,
                    given: payment.amount,
                    invoices: Set([invoice].compactMap(\.self)),
                    intents: intents,
                    charges: charges
                )
            )
            return
        }
        units[shared].id = intents.min() ?? payment.id
        units[shared].sales += sales
        units[shared].given &+= payment.amount
        if let invoice { units[shared].invoices.insert(invoice) }
        units[shared].intents.formUnion(intents)
        units[shared].charges.formUnion(charges)
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
        remove(removed, PaymentReason(.statement, detail))
    }
}

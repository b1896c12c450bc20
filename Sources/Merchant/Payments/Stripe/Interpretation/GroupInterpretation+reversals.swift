import ExternalPurchaseCore
import Ledger

extension GroupInterpretation {
    /// The sales that a charge paid for.
    ///
    /// - Throws: a reason to wait while it is not known; the customer's bank, or Stripe, may be faster than the events.
    mutating func purchases(charge: StripeObjectId?, intent: StripeObjectId?) throws(NoSale) -> [Sale] {
        let intent = intent ?? charge.flatMap { links.intentOfCharge[$0] }
        if let posted = try posted(charge: charge, intent: intent) { return posted }
        if let payment = intent ?? charge, let sale = paymentSales[payment] { return [sale] }
        let invoices = links.invoices(charge: charge, intent: intent)
        if invoices.count > 1 { return try purchases(of: invoices, paidBy: intent) }
        if let invoice = invoices.first {
            if let sales = invoiceSales[invoice] { return sales }
            throw .waiting(.purchase, "the paid invoice \(invoice) has not arrived, or gives no sale yet")
        }
        let isOfSession =
            intent != nil
            && objects(.session).flatMap(\.events).contains {
                StripeObject($0.object)?.id("payment_intent") == intent
            }
        if let intent, !isOfSession { _ = answer(.invoicePayments(paymentIntent: intent)) }
        throw .waiting(
            .purchase,
            "it is not known yet what the payment was for: checkout.session.completed tells, or invoice.paid and, since the "
                + "API version 2025-03-31, invoice_payment.paid"
        )
    }

    /// The sales of several invoices that one payment intent paid, each of them wholly.
    private func purchases(
        of invoices: Set<StripeObjectId>,
        paidBy intent: StripeObjectId?
    ) throws(NoSale) -> [Sale] {
        var sales: [Sale] = []
        for invoice in invoices.sorted() {
            guard let own = invoiceSales[invoice],
                let events = objects(.paidInvoice).first(where: { $0.id == invoice })?.events
            else { throw .waiting(.purchase, "the paid invoice \(invoice) has not arrived, or gives no sale yet") }
            let total = events.last.flatMap { StripeObject($0.object)?["total"]?.int64Value }
            guard let intent, let total, links.paid(invoice, by: intent) == total else {
                throw .held(
                    .severalInvoices,
                    "the payment paid a part of \(invoice) and of other invoices: which one is concerned is not known"
                )
            }
            sales += own
        }
        return sales
    }

    /// Money that goes back: a refund or a chargeback of the sales of one payment.
    ///
    /// A part of a payment for several charged sales is shared by what is left of each. What the ledger holds of it stays, unless
    /// it is restated.
    func givingBack(
        _ saleId: String,
        amount: Int64,
        _ currency: StripeCurrency,
        of purchases: [Sale],
        at moment: Timestamp,
        isChargeback: Bool = false,
        isRestated: Bool = false
    ) throws(NoSale) -> [Sale] {
        let charged = purchases.filter { $0.purchases.contains(where: \.isCharged) }
        guard let first = charged.first, let billed = first.purchases.first?.currency else {
            throw .held(.amount, "nothing was charged for what \(saleId) gives back")
        }
        // A bank may count a dispute in another currency: all of the charge is then all of what it paid for.
        let isWhole = isChargeback && billed != currency.code
        let currency = try isWhole ? StripeCurrency(code: billed, name: saleId) : currency
        let prices = try charged.map { sale throws(NoSale) in
            try sale.purchases.map { line throws(NoSale) in try currency.amount(of: line) }.sum(of: saleId)
        }
        // What shipping takes of it is not reported.
        let sum = try prices.sum(of: saleId)
        let other = charged.reduce(0) { $0 &+ (unreported[$1.saleId] ?? 0) }
        var amount =
            try isWhole
            ? sum
            : other == 0
                ? amount : reported(amount, of: charged, [sum, other], currency, beside: saleId)
        if isChargeback, isRestated || standingSaleIds(of: saleId).isEmpty {
            // A bank may take more than is left of the payment: the customer never got back more than everything.
            let left = charged.reduce(sum) { left, sale in
                left &- (currency.amount(givenBack(of: sale.saleId, beside: saleId)) ?? 0)
            }
            guard left > 0 else {
                throw .notUsed(.known, "everything that was paid had been given back before \(saleId) took it again")
            }
            amount = min(amount, left)
        }
        guard amount > 0 else {
            throw .notUsed(.unreported, "\(saleId) gives back less than a unit of what is reported")
        }
        let known = standingSaleIds(of: saleId).compactMap { standing[$0] }
        var parts = [(first, amount)]
        if charged.count > 1 {
            if !isRestated, !known.isEmpty { return known }
            parts = Array(zip(charged, try shares(of: amount, among: charged, prices, currency, name: saleId)))
            parts.removeAll { $0.1 == 0 }
        }
        var sales: [Sale] = []
        for (place, (purchase, amount)) in parts.enumerated() {
            let refund = Refund(
                refundOf: purchase.saleId,
                inclusive: try currency.price(amount, of: saleId),
                isChargeback: isChargeback
            )
            let told = known.first { $0.refund?.refundOf == purchase.saleId }?.saleId
            sales.append(
                Sale(
                    saleId: told ?? SaleId(parts.count == 1 ? saleId : "\(saleId)/\(place + 1)"),
                    bundleId: purchase.bundleId,
                    // Nothing goes back before it was paid; the event of an earlier capture may be lost.
                    occurredAt: max(moment, purchase.occurredAt),
                    kind: .refund(refund)
                )
            )
        }
        return sales
    }

    /// The part of an amount that is given back of what is reported: of all that was given back so far, less what is told of it, so that
    /// no rounding adds up.
    private func reported(
        _ amount: Int64,
        of charged: [Sale],
        _ weights: [Int64],
        _ currency: StripeCurrency,
        beside name: String
    ) throws(NoSale) -> Int64 {
        let own = try currency.shared(amount, by: weights, of: name)[0]
        let ids = Set(charged.map(\.saleId))
        let known = counted()
        let reversed = Set(known.values.compactMap(\.reversedChargeback))
        var (whole, told): (Int64, Int64) = (amount, 0)
        var names: Set<String> = []
        for sale in known.values {
            guard let refund = sale.refund, ids.contains(refund.refundOf), !reversed.contains(sale.saleId) else {
                continue
            }
            let saleId = sale.saleId.rawValue
            guard saleId != name, !saleId.hasPrefix("\(name)/") else { continue }
            // The parts of one refund have its name and a number.
            let stem = saleId.split(separator: "/").dropLast().joined(separator: "/")
            guard let title = [saleId, stem].first(where: { wholeAmounts[$0] != nil }),
                let part = currency.amount(refund.statedAmount ?? refund.inclusive)
            else { return own }
            told &+= part
            if names.insert(title).inserted { whole &+= wholeAmounts[title] ?? 0 }
        }
        let all = try weights.sum(of: name)
        return try max(0, currency.shared(min(whole, all), by: weights, of: name)[0] - told)
    }

    /// Notes what each object that gives money back gives back as a whole; differences are noted when they are read.
    mutating func noteWholeAmounts() {
        for (id, events) in objects(.refund) {
            if let refund = try? StripeRefund(id: id, events: events) { wholeAmounts[id.rawValue] = refund.amount }
        }
        for (id, events) in objects(.dispute) {
            guard let dispute = try? StripeDispute(id: id, events: events) else { continue }
            wholeAmounts[id.rawValue] = dispute.amount - dispute.returned
        }
        for (id, events) in objects(.creditNote) {
            guard let note = events.last.flatMap({ StripeObject($0.object) }) else { continue }
            if let amount = try? note.givenBackBesideRefunds() { wholeAmounts[id.rawValue] = amount }
        }
        for (id, events) in objects(.paidInvoice) {
            guard let invoice = events.first.flatMap({ StripeObject($0.object) }), invoice.givesCredit else { continue }
            wholeAmounts[id.rawValue] = invoice.credit
        }
    }

    /// Shares what is given back by what is left of each sale, or by their prices where less is left.
    private func shares(
        of amount: Int64,
        among charged: [Sale],
        _ prices: [Int64],
        _ currency: StripeCurrency,
        name: String
    ) throws(NoSale) -> [Int64] {
        if try prices.sum(of: name) == amount { return prices }
        let left = zip(charged, prices).map { sale, price in
            max(0, price - (currency.amount(givenBack(of: sale.saleId, beside: name)) ?? 0))
        }
        return try currency.shared(amount, by: left.sum(of: name) >= amount ? left : prices, of: name)
    }
}

extension StripeCurrency {
    /// The price of a line in Stripe's units.
    fileprivate func amount(of purchase: Purchase) throws(NoSale) -> Int64 {
        guard purchase.currency == code, let amount = amount(purchase.inclusive) else {
            throw .held(.currency, "the sale is in \(purchase.currency), what was given back is in \(code)")
        }
        return amount
    }
}

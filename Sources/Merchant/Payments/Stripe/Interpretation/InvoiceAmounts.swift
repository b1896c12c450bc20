import ExternalPurchaseCore

/// The amounts of an invoice's lines, tax included.
struct InvoiceAmounts: Sendable {
    /// In the order of the lines.
    let lines: [(inclusive: Int64, tax: Int64)]
    /// What is paid beside the lines: shipping, which is not reported.
    let other: Int64
    /// True if a tax of 0 is one that Stripe computed.
    let isTaxComputed: Bool

    /// Adds the taxes to the lines and compares their sum with the invoice's total.
    ///
    /// The total is what was sold; what a credit balance pays of it does not change the price.
    init(_ lines: [StripeInvoiceLine], of invoice: StripeObject) throws(NoSale) {
        let name = invoice.name
        let total = try invoice.integer("total")
        let nets = lines.map(\.net)
        var taxes = lines.map(\.tax)
        let ofInvoice = try Self.tax(of: invoice, total: total, net: nets.sum(of: name))
        if taxes.allSatisfy({ $0.total == 0 }), ofInvoice.total != 0 {
            let inclusive = try ofInvoice.inclusive.shared(by: nets, of: "the tax of \(name)")
            let exclusive = try ofInvoice.exclusive.shared(by: nets, of: "the tax of \(name)")
            taxes = zip(inclusive, exclusive).map {
                StripeTaxEntries(inclusive: $0, exclusive: $1, isComputed: true)
            }
        }
        isTaxComputed = invoice.isTaxComputed || ofInvoice.isComputed || taxes.contains(where: \.isComputed)
        var amounts: [(inclusive: Int64, tax: Int64)] = []
        for (net, tax) in zip(nets, taxes) {
            amounts.append((try [net, tax.exclusive].sum(of: name), tax.total))
        }
        let shipping = try invoice.object("shipping_cost").map { cost throws(NoSale) in
            try cost.integer("amount_total") ?? 0
        }
        let sum = try (amounts.map(\.inclusive) + [shipping ?? 0]).sum(of: name)
        guard total == nil || total == sum else {
            throw .held(.total, "the lines of \(name) add up to \(sum), its total is \(total ?? 0)")
        }
        // What credit notes took off before the payment was never paid.
        let credited = try invoice.integer("pre_payment_credit_notes_amount") ?? 0
        let shared = try SharedAmounts(lines: amounts, other: shipping ?? 0)
            .scaled(to: credited == 0 ? sum : sum &- credited, of: name)
        (self.lines, other) = (shared.lines, shared.other)
    }

    private init(_ shared: SharedAmounts, isTaxComputed: Bool) {
        (lines, other) = (shared.lines, shared.other)
        self.isTaxComputed = isTaxComputed
    }

    /// The amounts in the currency in which the customer was charged.
    func scaled(to given: Int64, of name: String) throws(NoSale) -> InvoiceAmounts {
        let shared = try SharedAmounts(lines: lines, other: other).scaled(to: given, of: name)
        return InvoiceAmounts(shared, isTaxComputed: isTaxComputed)
    }

    /// The tax of the complete invoice: listed with its rates, or the bare sum `tax` of versions before 2025-03-31.
    private static func tax(of invoice: StripeObject, total: Int64?, net: Int64) throws(NoSale) -> StripeTaxEntries {
        let listed = try StripeTaxEntries(invoice: invoice)
        guard listed.total == 0, let tax = try invoice.integer("tax"), tax != 0 else { return listed }
        let isOnTop = total.map { $0 == net &+ tax } ?? false
        return StripeTaxEntries(inclusive: isOnTop ? 0 : tax, exclusive: isOnTop ? tax : 0, isComputed: true)
    }
}

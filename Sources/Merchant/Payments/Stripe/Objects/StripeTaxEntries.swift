import ExternalPurchaseCore

/// The tax of an invoice or of one of its lines, as the API versions write it.
struct StripeTaxEntries: Hashable, Sendable {
    /// The sum of what is contained in the price, and of what comes on top of it.
    private(set) var inclusive: Int64 = 0
    private(set) var exclusive: Int64 = 0
    /// True if the object lists a tax, be it 0: Stripe applied a rate.
    private(set) var isComputed = false

    /// Reads the taxes of an invoice line: `taxes`, or before 2025-03-31 `tax_amounts` and `tax_rates`.
    init(line: StripeObject) throws(NoSale) {
        try read(line, new: "taxes", old: "tax_amounts")
        if try !line.objects("tax_rates").isEmpty { isComputed = true }
    }

    /// Reads the taxes of an invoice: `total_taxes`, or before 2025-03-31 `total_tax_amounts`.
    init(invoice: StripeObject) throws(NoSale) {
        try read(invoice, new: "total_taxes", old: "total_tax_amounts")
    }

    var total: Int64 { inclusive &+ exclusive }

    private mutating func read(_ object: StripeObject, new: String, old: String) throws(NoSale) {
        var (inside, above): ([Int64], [Int64]) = ([], [])
        let isNew = object[new] != nil
        for entry in try object.objects(isNew ? new : old) {
            let amount = try entry.requiredInteger("amount")
            let isInside: Bool
            if isNew {
                isInside = try entry.text("tax_behavior") == "inclusive"
            } else {
                isInside = try entry.flag("inclusive")
            }
            if isInside { inside.append(amount) } else { above.append(amount) }
            isComputed = true
        }
        inclusive = try inside.sum(of: object.name)
        exclusive = try above.sum(of: object.name)
        _ = try [inclusive, exclusive].sum(of: object.name)
    }

    init(inclusive: Int64 = 0, exclusive: Int64 = 0, isComputed: Bool) {
        self.inclusive = inclusive
        self.exclusive = exclusive
        self.isComputed = isComputed
    }
}

extension StripeObject {
    /// The country of a line's tax rate, ISO 3166-1 alpha-3; nil where no rate names one.
    ///
    /// Line items of a session have `taxes[].rate`, invoice lines `tax_rates`, and `tax_amounts[].tax_rate` if expanded.
    var rateCountry: String? {
        func rates(_ list: String, _ member: String) -> [StripeObject] {
            (self[list]?.arrayValue ?? []).compactMap { StripeObject($0)?.object(member) }
        }
        let listed = (self["tax_rates"]?.arrayValue ?? []).compactMap { StripeObject($0) }
        let countries = (listed + rates("taxes", "rate") + rates("tax_amounts", "tax_rate")).compactMap { rate in
            StripeAddress.country(of: [rate]) ?? nil
        }
        return countries.first
    }
}

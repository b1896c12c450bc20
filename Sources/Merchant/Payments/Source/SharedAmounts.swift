import ExternalPurchaseCore

/// The amounts of a payment's lines and of what is paid beside them, in Stripe's units.
struct SharedAmounts: Sendable {
    /// Tax included.
    var lines: [(inclusive: Int64, tax: Int64)]
    /// Shipping, which is not reported.
    var other: Int64

    /// Shares what was paid in place of the sum, in proportion.
    ///
    /// - Parameters:
    ///   - given: in Stripe's units of whatever currency was paid in.
    ///   - givenTax: the tax in it; nil for the same proportion as before.
    func scaled(to given: Int64, tax givenTax: Int64? = nil, of name: String) throws(NoSale) -> SharedAmounts {
        let weights = lines.map(\.inclusive) + [other]
        let sum = try weights.sum(of: name)
        if given == sum { return self }
        let shares = try given.shared(by: weights, of: name)
        let taxes = lines.map(\.tax)
        let tax = try taxes.sum(of: name)
        let paidTax = if let givenTax { givenTax } else { try given.fraction(tax, of: sum, name: name) }
        let taxShares = try paidTax.shared(by: taxes, of: name)
        return SharedAmounts(lines: Array(zip(shares, taxShares)), other: shares.last ?? 0)
    }
}

extension Int64 {
    /// Shares an amount by weights, in whole units: the largest remainders first, the earlier part first among equal ones.
    func shared(by weights: [Int64], of name: String) throws(NoSale) -> [Int64] {
        if self == 0 { return weights.map { _ in 0 } }
        let sum = try weights.sum(of: name)
        guard self > 0, sum > 0, weights.allSatisfy({ $0 >= 0 }) else {
            throw .held(.total, "\(name) has no lines to which \(self) belongs")
        }
        let parts = weights.map { weight in
            let product = magnitude.multipliedFullWidth(by: weight.magnitude)
            return sum.magnitude.dividingFullWidth(product)
        }
        var shares = parts.map { Int64($0.quotient) }
        let rest = Int(self - shares.reduce(0, +))
        let order = parts.indices.sorted { (parts[$1].remainder, $0) < (parts[$0].remainder, $1) }
        for index in order.prefix(rest) { shares[index] += 1 }
        return shares
    }

    /// The part of an amount that another one is of a whole, rounded half up; 0 for a whole of 0.
    func fraction(_ part: Int64, of whole: Int64, name: String) throws(NoSale) -> Int64 {
        if part == 0 || whole == 0 || self == 0 { return 0 }
        guard self > 0, part > 0, part <= whole else {
            throw .held(.total, "\(part) is no part of \(whole), the amount of \(name)")
        }
        let (quotient, remainder) = whole.magnitude.dividingFullWidth(magnitude.multipliedFullWidth(by: part.magnitude))
        return Int64(quotient) + (remainder >= whole.magnitude - remainder ? 1 : 0)
    }
}

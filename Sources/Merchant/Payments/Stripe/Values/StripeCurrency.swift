import ExternalPurchaseCore

/// A currency with the unit in which Stripe counts it, https://docs.stripe.com/currencies.
///
/// Stripe's lists differ from ISO 4217: ISK and UGX are in hundredths although they have no smaller coin, MGA has no
/// decimals. HUF and TWD are without decimals for payouts only, never for charges.
struct StripeCurrency: Hashable, Sendable {
    let currency: Currency
    /// The decimal places of Stripe's unit.
    let places: Int

    static let withoutDecimals: Set<String> = [
        "BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF",
    ]
    static let withThreeDecimals: Set<String> = ["BHD", "JOD", "KWD", "OMR", "TND"]

    var code: String { currency.code }

    /// Reads a code in lower-case letters.
    init(of object: StripeObject, _ member: String = "currency", name: String? = nil) throws(NoSale) {
        guard let text = try object.text(member) else {
            throw .held(.currency, "\(name ?? object.name) has no \(member)")
        }
        try self.init(code: text.uppercased(), name: name ?? object.name)
    }

    init(code: String, name: String) throws(NoSale) {
        guard let currency = Currency.code(code) else {
            throw .held(.currency, "the currency of \(name) is not one of ISO 4217: \(code.lowercased().quoted)")
        }
        self.currency = currency
        let code = currency.code
        places = Self.withoutDecimals.contains(code) ? 0 : Self.withThreeDecimals.contains(code) ? 3 : 2
    }

    /// The exclusive limit of prices in units of the currency.
    private static let limit = Decimal(sign: .plus, exponent: 12, significand: 1)

    /// A price in units of the currency.
    func price(_ amount: Int64, of name: String) throws(NoSale) -> Decimal {
        guard amount >= 0 else { throw .held(.amount, "the amount of \(name) is negative: \(amount)") }
        let value = units(amount, places: places)
        guard value < Self.limit else { throw .held(.amount, "the amount of \(name) is too large: \(amount)") }
        guard amount % coin == 0 else {
            throw .held(.amount, "the amount of \(name) has more digits than \(code) has: \(amount)")
        }
        return value
    }

    /// A tax in units of the currency; fractions of its smallest coin are rounded half up (RR-42).
    func tax(_ amount: Int64, of price: Decimal, name: String) throws(NoSale) -> Decimal {
        guard amount >= 0 else { throw .held(.amount, "the tax of \(name) is negative: \(amount)") }
        let coins = amount / coin + (amount % coin * 2 >= coin ? 1 : 0)
        let value = coin == 1 ? units(amount, places: places) : units(coins, places: currency.exponent)
        guard value <= price else { throw .held(.amount, "the tax of \(name) is more than its amount: \(amount)") }
        return value
    }

    /// How many of Stripe's units are the smallest coin: 100 for ISK and UGX, else 1.
    var coin: Int64 { places == 2 && currency.exponent == 0 ? 100 : 1 }

    /// Shares an amount by weights in whole coins, the largest remainder first.
    func shared(_ amount: Int64, by weights: [Int64], of name: String) throws(NoSale) -> [Int64] {
        guard amount % coin == 0 else { return try amount.shared(by: weights, of: name) }
        return try (amount / coin).shared(by: weights, of: name).map { $0 * coin }
    }

    /// The part of an amount in whole coins that another one is of a whole, rounded half up.
    func fraction(of amount: Int64, _ part: Int64, of whole: Int64, name: String) throws(NoSale) -> Int64 {
        guard amount % coin == 0 else { return try amount.fraction(part, of: whole, name: name) }
        return try (amount / coin).fraction(part, of: whole, name: name) * coin
    }

    /// An amount of units of the currency in Stripe's units; nil outside 64 bits or with a fraction.
    func amount(_ units: Decimal) -> Int64? {
        Int64((units * Decimal(sign: .plus, exponent: places, significand: 1)).description)
    }

    private func units(_ amount: Int64, places: Int) -> Decimal {
        Decimal(amount) * Decimal(sign: .plus, exponent: -places, significand: 1)
    }
}

extension Sequence<Int64> {
    /// The sum; an amount of Stripe beyond 64 bits holds the event.
    func sum(of name: String) throws(NoSale) -> Int64 {
        var sum: Int64 = 0
        for amount in self {
            let (next, overflow) = sum.addingReportingOverflow(amount)
            if overflow { throw .held(.amount, "the amounts of \(name) add up to more than 64 bits") }
            sum = next
        }
        return sum
    }
}

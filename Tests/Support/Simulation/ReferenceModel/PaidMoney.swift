/// An amount that a customer paid or got back, in milli-units of the reporting currency (RR-40 to RR-46).
///
/// It is implemented from the specification with 128-bit integers, independently of the product's code.
struct PaidMoney: Hashable, Sendable {
    var inclusive: Int64
    var tax: Int64

    var exclusive: Int64 { inclusive - tax }

    /// Computes the amounts of a sale; returns nil while its tax or a needed rate is missing.
    init?(_ payment: Action.Payment, in market: Market) {
        guard let factor = Factor(payment, in: market), let stated = payment.tax else { return nil }
        inclusive = factor.convert(payment.price)
        switch stated {
        case .amount(let minor): tax = factor.convert(minor)
        case .rate(let hundredths):
            tax = Self.round(
                Int128(payment.price) * factor.numerator * Int128(hundredths),
                over: factor.denominator * Int128(10_000 + hundredths)
            )
        }
    }

    init(inclusive: Int64, tax: Int64) {
        self.inclusive = inclusive
        self.tax = tax
    }

    /// Milli-units per minor unit.
    private struct Factor {
        let numerator: Int128
        let denominator: Int128

        init?(_ payment: Action.Payment, in market: Market) {
            var minorPerUnit: Int128 = 1
            for _ in 0..<market.digits { minorPerUnit *= 10 }
            if market.foreignCurrency == nil {
                numerator = 1_000
                denominator = minorPerUnit
            } else {
                guard let rate = payment.rate else { return nil }
                numerator = 1_000 * Int128(rate)
                denominator = minorPerUnit * 1_000_000
            }
        }

        func convert(_ minor: Int64) -> Int64 { PaidMoney.round(Int128(minor) * numerator, over: denominator) }
    }

    /// Returns the quotient rounded half up; the numerator must not be negative.
    private static func round(_ numerator: Int128, over denominator: Int128) -> Int64 {
        Int64((2 * numerator + denominator) / (2 * denominator))
    }

    /// One refund, in minor units.
    struct GivenBack {
        var minor: Int64
        var tax: Int64?
    }

    /// The amounts of successive refunds of a sale.
    ///
    /// - Parameter earlier: the earlier refunds with their reported amounts.
    static func returns(
        _ returns: [GivenBack],
        after earlier: [(given: GivenBack, money: PaidMoney)],
        of payment: Action.Payment,
        in market: Market
    ) -> [PaidMoney]? {
        guard let buy = PaidMoney(payment, in: market), let factor = Factor(payment, in: market) else { return nil }
        var left = buy
        var returned: Int64 = 0
        func take(_ given: GivenBack, _ money: PaidMoney) {
            returned += given.minor
            left = PaidMoney(inclusive: left.inclusive - money.inclusive, tax: left.tax - money.tax)
        }
        for (given, money) in earlier { take(given, money) }
        return returns.map { given in
            // A correction may have left less tax than was already refunded; a refund's tax is never negative (E15).
            var money = PaidMoney(inclusive: left.inclusive, tax: min(max(0, left.tax), left.inclusive))
            if returned + given.minor < payment.price {
                let inclusive = min(factor.convert(given.minor), left.inclusive)
                let share =
                    given.tax.map(factor.convert)
                    ?? round(Int128(buy.tax) * Int128(given.minor), over: Int128(payment.price))
                // Neither the tax nor the rest exceeds what is left.
                let least = max(0, inclusive - left.exclusive)
                money = PaidMoney(inclusive: inclusive, tax: min(max(share, least), min(left.tax, inclusive)))
            }
            take(given, money)
            return money
        }
    }
}

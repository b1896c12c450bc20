// swift-format-ignore-file: NeverForceUnwrap

import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Reporting

@Suite("Money of a line (RR-40 to RR-46)")
struct LineMoneyTests {
    struct Case: Sendable {
        let currency: String
        let inclusive: String
        let tax: Purchase.Tax
        var rate: String?
        /// Inclusive, tax, exclusive.
        let expected: [Int64]

        var purchase: Purchase {
            Purchase(
                productId: "p",
                quantity: 1,
                currency: currency,
                inclusive: Decimal(string: inclusive)!,
                tax: tax,
                taxCountry: "ISL",
                exchangeRate: rate.map {
                    QuotedRate(
                        rate: ExchangeRate($0)!,
                        source: "Bloomberg",
                        asOf: Timestamp(milliseconds: 1_795_176_000_000)
                    )
                }
            )
        }
    }

    static func units(_ text: String) -> Purchase.Tax { .amount(Decimal(string: text)!) }

    @Test("Prices and rates of any number of digits give what decimal arithmetic gives (RR-42, RR-44)")
    func decimals() throws {
        var random = SplitMix64(seed: 44)
        for _ in 0..<3_000 {
            let price = Decimal(
                sign: .plus,
                exponent: -Int.random(in: 0...6, using: &random),
                significand: Decimal(
                    Int64.random(in: 0...(1 << Int64.random(in: 1...52, using: &random)), using: &random)
                )
            )
            let rate = Decimal(
                sign: .plus,
                exponent: -Int.random(in: 0...6, using: &random),
                significand: Decimal(Int64.random(in: 0...30_000_000, using: &random))
            )
            let purchase = Purchase(
                productId: "p",
                quantity: 1,
                currency: "EUR",
                inclusive: price,
                tax: .rate(rate),
                taxCountry: "NLD"
            )
            let money = try #require(LineMoney(purchase))
            #expect(Self.halfUp(price * 1_000) == money.taxInclusive.value, "\(price)")
            #expect(Self.halfUp(price * 1_000 * rate / (100 + rate)) == money.tax.value, "\(price) at \(rate) %")
        }
    }

    /// Rounds by the text of the number, as a person would.
    private static func halfUp(_ exact: Decimal) -> Int64? {
        let parts = exact.description.split(separator: ".")
        let isUp = parts.count > 1 && (parts[1].first.map { $0 >= "5" } ?? false)
        return Int64(parts[0]).map { isUp ? $0 + 1 : $0 }
    }

    @Test(
        "Units become milli-units, rounded half up once per figure",
        arguments: [
            // RR-40: the exponent of the currency does not matter once money is in units.
            Case(currency: "JPY", inclusive: "1500", tax: units("0"), expected: [1_500_000, 0, 1_500_000]),
            Case(currency: "EUR", inclusive: "9.99", tax: units("1.73"), expected: [9_990, 1_730, 8_260]),
            Case(currency: "KWD", inclusive: "2.750", tax: units("0"), rate: "1", expected: [2_750, 0, 2_750]),
            // RR-41, RR-42: four digits after the point are rounded half up; in binary 1.0005 lies below the half.
            Case(currency: "CLF", inclusive: "1.0005", tax: units("0.0004"), rate: "1", expected: [1_001, 0, 1_001]),
            // RR-43.
            Case(
                currency: "ISK",
                inclusive: "1490",
                tax: units("288"),
                rate: "0.0069",
                expected: [10_281, 1_987, 8_294]
            ),
            Case(
                currency: "UAH",
                inclusive: "199.99",
                tax: units("33.33"),
                rate: "0.0205",
                expected: [4_100, 683, 3_417]
            ),
            // RR-44: the tax comes from the converted amount before its rounding.
            Case(currency: "EUR", inclusive: "9.99", tax: .rate(21), expected: [9_990, 1_734, 8_256]),
            Case(currency: "ISK", inclusive: "1490", tax: .rate(24), rate: "0.0069", expected: [10_281, 1_990, 8_291]),
            Case(currency: "EUR", inclusive: "9.99", tax: .rate(0), expected: [9_990, 0, 9_990]),
            Case(currency: "EUR", inclusive: "0", tax: .rate(21), expected: [0, 0, 0]),
        ]
    )
    func purchases(_ example: Case) throws {
        let money = try #require(LineMoney(example.purchase))
        #expect([money.taxInclusive.value, money.tax.value, money.taxExclusive.value] == example.expected)
    }

    @Test("Without tax or a needed rate there is no money, never a guess (RR-45, RR-47)")
    func missing() {
        let rateless = Case(currency: "ISK", inclusive: "1490", tax: .rate(24), expected: [])
        #expect(LineMoney(rateless.purchase) == nil)
        let taxless = Purchase(productId: "p", quantity: 1, currency: "EUR", inclusive: 1, tax: nil, taxCountry: "AUT")
        #expect(LineMoney(taxless) == nil)
    }

    @Test("The refund that uses up the purchase takes the remainder (RR-46)")
    func remainder() throws {
        let sale = Case(currency: "UAH", inclusive: "199.99", tax: Self.units("33.33"), rate: "0.0205", expected: [])
        let refunds = ["66.67", "66.66", "66.66"].map {
            Refund(refundOf: "s", inclusive: Decimal(string: $0)!)
        }
        let lines = try #require(LineMoney.refunds(refunds, of: sale.purchase))
        #expect(lines.map(\.taxInclusive.value) == [1_367, 1_367, 1_366])
        #expect(lines.map(\.tax.value) == [228, 228, 227])
        #expect(lines.reduce(0) { $0 + $1.taxExclusive.value } == 3_417)
    }

    @Test("Many small refunds never give back more than was reported", arguments: [1, 7, 49])
    func smallRefunds(_ piece: Int) throws {
        let sale = Case(currency: "ISK", inclusive: "98", tax: .rate(24), rate: "0.0069", expected: [])
        let refunds = Array(repeating: Refund(refundOf: "s", inclusive: Decimal(piece)), count: 98 / piece)
        let lines = try #require(LineMoney.refunds(refunds, of: sale.purchase))
        let buy = try #require(LineMoney(sale.purchase))
        #expect(lines.allSatisfy { $0.taxInclusive.value >= 0 && $0.tax.value >= 0 && $0.taxExclusive.value >= 0 })
        #expect(lines.reduce(0) { $0 + $1.taxInclusive.value } == buy.taxInclusive.value)
        #expect(lines.reduce(0) { $0 + $1.tax.value } == buy.tax.value)
    }

    @Test("A stated tax of a refund is taken as it is (RR-46)")
    func statedTax() throws {
        let sale = Case(currency: "EUR", inclusive: "12", tax: Self.units("2"), expected: [])
        let refunds = [Refund(refundOf: "s", inclusive: 6, tax: Decimal(string: "0.5")!)]
        #expect(LineMoney.refunds(refunds, of: sale.purchase)?.map(\.tax.value) == [500])
    }

    @Test(
        "Refunds use up a price computed back from the smallest to the largest one that converts to the same (RR-46)",
        arguments: [
            ("UAH", "200", "0.0205", "199.98", "200.02"), ("ISK", "1490", "0.0067", "1490", "1490"),
            ("AMD", "4990", "0.0025", "4989.8", "4990.19"), ("KWD", "3.000", "3.125", "3", "3"),
            ("UGX", "100000", "0.000035", "99986", "100014"), ("UAH", "200", "0.02", "199.98", "200.02"),
            ("UAH", "242.84", "0.02047", "242.82", "242.86"),
        ]
    )
    func refundable(_ currency: String, _ inclusive: String, _ rate: String, _ least: String, _ most: String) throws {
        func purchase(_ inclusive: Decimal, from source: String) throws -> Purchase {
            let asOf = Timestamp(milliseconds: 1_795_176_000_000)
            return Purchase(
                productId: "p",
                quantity: 1,
                currency: currency,
                inclusive: inclusive,
                tax: .rate(20),
                taxCountry: "ISL",
                exchangeRate: QuotedRate(rate: try #require(ExchangeRate(rate)), source: source, asOf: asOf)
            )
        }
        let price = try #require(Decimal(string: inclusive))
        let computed = try purchase(price, from: QuotedRate.importedReport)
        #expect(computed.mostRefundable == Decimal(string: most))
        let digits = try #require(Currency.code(currency)).exponent
        let beyond = computed.mostRefundable + Decimal(sign: .plus, exponent: -digits, significand: 1)
        let accepted = LineMoney(computed)?.taxInclusive
        #expect(LineMoney(try purchase(computed.mostRefundable, from: "x"))?.taxInclusive == accepted)
        #expect(LineMoney(try purchase(beyond, from: "x"))?.taxInclusive != accepted)
        #expect(computed.leastWhollyRefunded == Decimal(string: least))
        let below = computed.leastWhollyRefunded - Decimal(sign: .plus, exponent: -digits, significand: 1)
        #expect(LineMoney(try purchase(computed.leastWhollyRefunded, from: "x"))?.taxInclusive == accepted)
        #expect(LineMoney(try purchase(below, from: "x"))?.taxInclusive != accepted)
        let said = try purchase(price, from: QuotedRate.acceptedReport)
        #expect(said.mostRefundable == price && said.leastWhollyRefunded == price)
    }

    @Test(
        "A foreign currency is reported in euro in the EEA, else in dollars (RR-51)",
        arguments: [("ISK", "ISL", "EUR"), ("UAH", "UKR", "USD"), ("KWD", "LIE", "EUR"), ("SEK", "UKR", "SEK")]
    )
    func reportingCurrency(_ currency: String, _ country: String, _ expected: String) {
        let purchase = Purchase(
            productId: "p",
            quantity: 1,
            currency: currency,
            inclusive: 1,
            tax: .rate(0),
            taxCountry: country
        )
        #expect(purchase.reportingCurrency(foreign: .automatic) == expected)
        #expect(purchase.reportingCurrency(foreign: .usDollar) == (currency == "SEK" ? "SEK" : "USD"))
    }

    @Test("The EEA has 30 members, Liechtenstein included and Switzerland not")
    func europeanEconomicArea() {
        #expect(EuropeanEconomicArea.alpha3Codes.count == 30)
        #expect(EuropeanEconomicArea.alpha3Codes.isSuperset(of: ["LIE", "NOR", "ISL", "NLD"]))
        #expect(!EuropeanEconomicArea.alpha3Codes.contains("CHE"))
    }

    @Test("44 currencies are reported as they are (RR-50)")
    func reportable() {
        #expect(Currency.all.count { $0.reportable } == 44)
    }
}

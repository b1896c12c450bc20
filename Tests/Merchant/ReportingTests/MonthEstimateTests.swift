import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Reporting

@Suite("The estimate of a month goes by the dates of its items, as an invoice does")
struct MonthEstimateTests {
    /// 27 % of the amount without tax, whatever the flow, in Apple's fiscal months: November ends on 28 November 2026.
    private static let programme = "nl-dating"

    private static func buy(_ id: String, _ inclusive: String, at moment: String = "2026-11-20T11:00:00Z") -> String {
        """
        {"saleId":"\(id)","bundleId":"com.example.shop","type":"purchase","occurredAt":"\(moment)",
        "externalPurchaseId":"\(Merchant.token().externalPurchaseId)","productId":"gems.100","quantity":1,
        "amount":{"currency":"EUR","inclusive":"\(inclusive)","taxRate":"21","taxCountry":"NLD"}}
        """
    }

    private static func refund(_ id: String, of buy: String, _ inclusive: String, at moment: String) -> String {
        """
        {"saleId":"\(id)","bundleId":"com.example.shop","type":"refund","occurredAt":"\(moment)","refundOf":"\(buy)",
        "amount":{"inclusive":"\(inclusive)"}}
        """
    }

    private func money(_ month: String, of merchant: Merchant) async throws -> Reconciliation.Money? {
        let exports = try await merchant.system.exports.make(MonthChoice(month, programme: Self.programme))
        return exports.exports.first?.reconciliation.sales.money.first
    }

    private func account(_ month: String, of merchant: Merchant) async throws -> InvoiceBook.Account.Line? {
        try await merchant.system.invoices.account(MonthChoice(month, programme: Self.programme)).lines.first
    }

    private func enter(_ amount: Decimal, _ month: String, into merchant: Merchant) async throws {
        _ = try await merchant.system.invoices.enter(
            InvoiceCommand(
                MonthChoice(month, programme: Self.programme),
                invoiceId: "invoice of \(month)",
                issuedOn: try #require(CalendarDate("2027-01-05")),
                currency: try #require(Currency.code("EUR")),
                amount: amount,
                by: "kim"
            )
        )
    }

    @Test("A refund in the next month makes neither month differ from its right invoice (OB-71, OB-80)")
    func laterRefund() async throws {
        let merchant = Merchant(programmes: [Self.programme])
        try await merchant.take(Merchant.token())
        try await merchant.sell(Self.buy("s", "121.00"))
        await merchant.system.sender.runUntilIdle()
        let before = try #require(try await money("2026-11", of: merchant))
        #expect(before.estimate == 27)
        merchant.clock.advance(by: .days(21))
        try await merchant.sell(Self.refund("r", of: "s", "60.50", at: "2026-12-10T12:00:00Z"))
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.item("r")?.netAmountTaxExclusive == 50_000)

        // Apple bills 27 % of 100 for November, and takes back 27 % of 50 with December.
        let november = try #require(try await money("2026-11", of: merchant))
        let december = try #require(try await money("2026-12", of: merchant))
        #expect(november.estimate == 27)
        #expect(december.estimate == Decimal(string: "-13.5"))
        for (month, amount) in [("2026-11", "27.00"), ("2026-12", "-13.50")] {
            try await enter(try #require(Decimal(string: amount)), month, into: merchant)
            #expect(try await account(month, of: merchant)?.difference == 0)
        }

        // What was bought less what was refunded, and what Apple has, differ by what is named.
        #expect(november.net == 100 && november.reportedNet == 50)
        #expect([november.notReported, november.refundsOfOthers, november.refundedElsewhere] == [0, 0, 50])
        #expect(december.net == -50 && december.reportedNet == 0)
        #expect([december.notReported, december.refundsOfOthers, december.refundedElsewhere] == [0, 50, 0])
    }

    @Test("A refund of the same month, and what no report has, are parts of the net (OB-80)")
    func parts() async throws {
        let merchant = Merchant(programmes: [Self.programme])
        try await merchant.take(Merchant.token())
        try await merchant.sell(Self.buy("s", "121.00"))
        try await merchant.sell(Self.refund("r", of: "s", "24.20", at: "2026-11-20T11:30:00Z"))
        await merchant.system.sender.runUntilIdle()
        try await merchant.sell(Merchant.purchase("lost", on: nil))
        let sum = try #require(try await money("2026-11", of: merchant))
        // 9.99 with 21 % tax is 8.256 without it.
        #expect(sum.bought == Decimal(string: "108.256") && sum.refunded == 20)
        #expect(sum.net == Decimal(string: "88.256") && sum.reportedNet == 80)
        #expect(sum.notReported == Decimal(string: "8.256"))
        #expect(sum.refundsOfOthers == 0 && sum.refundedElsewhere == 0)
        #expect(sum.estimate == Decimal(string: "23.83"))
    }

    @Test(
        "Where nothing tells the flow, buy and refund have no estimate, and no invoice differs from it (OB-71, OB-80)"
    )
    func unknown() async throws {
        let merchant = Merchant(programmes: ["eu-2026-10"])
        try await merchant.take(Merchant.token())
        try await merchant.sell(Self.buy("s", "121.00"))
        try await merchant.sell(Self.refund("r", of: "s", "24.20", at: "2026-11-20T11:30:00Z"))
        let choice = MonthChoice("2026-11", programme: "eu-2026-10")
        let exports = try await merchant.system.exports.make(choice).exports
        let sum = try #require(exports.first?.reconciliation.sales.money.first)
        #expect(sum.estimate == nil && sum.unknownEstimates == 2)
        let csv = try await merchant.system.exports.text(.csv, choice)
        #expect(csv.hasPrefix("saleId,") && !csv.contains(",0.00,"))
        _ = try await merchant.system.invoices.enter(
            InvoiceCommand(
                choice,
                invoiceId: "i",
                issuedOn: try #require(CalendarDate("2026-12-15")),
                currency: try #require(Currency.code("EUR")),
                amount: 5,
                by: "kim"
            )
        )
        let line = try #require(try await merchant.system.invoices.account(choice).lines.first)
        #expect(line.estimate == nil && line.difference == nil && line.billed?.commission == 5)
    }

    @Test(
        "Amounts have the decimal places of their currency, and thousandths stay",
        arguments: [
            ("1526.4", "EUR", "1526.40"), ("0", "EUR", "0.00"), ("-3.2", "EUR", "-3.20"), ("8.256", "EUR", "8.256"),
            ("1500", "JPY", "1500"), ("1500.0", "JPY", "1500"), ("1500.5", "JPY", "1500.5"), ("2.75", "KWD", "2.750"),
            ("10", "CLF", "10.0000"), ("1.5", "XYZ", "1.50"), ("100", "EUR", "100.00"),
        ]
    )
    func decimals(_ amount: String, _ currency: String, _ text: String) throws {
        let decimal = try #require(Decimal(string: amount))
        #expect(Currency.text(of: decimal, in: currency) == text)
        if let thousandths = MilliUnits(rounding: decimal * 1_000), currency != "CLF" {
            #expect(thousandths.unitsText(in: currency) == text)
        }
    }
}

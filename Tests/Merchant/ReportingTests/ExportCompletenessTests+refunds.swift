import ExternalPurchaseCore
import Ledger
import Testing

@testable import Reporting

extension ExportCompletenessTests {
    /// A purchase that its refunds use up.
    struct Refunded: Sendable, CustomTestStringConvertible {
        /// The members of the purchase's amount.
        let amount: String
        /// By moment.
        let refunds: [String]

        var testDescription: String { "\(amount): \(refunds)" }

        init(_ amount: String, _ refunds: [String]) {
            (self.amount, self.refunds) = (amount, refunds)
        }
    }

    static let refunded = [
        Refunded(#""currency":"EUR","inclusive":"100.00","taxRate":"21","taxCountry":"NLD""#, ["30.00", "70.00"]),
        Refunded(
            #""currency":"EUR","inclusive":"100.00","taxRate":"21","taxCountry":"NLD""#,
            ["30.00", "31.00", "39.00"]
        ),
        Refunded(#""currency":"EUR","inclusive":"9.99","taxRate":"19","taxCountry":"DEU""#, ["3.33", "3.34", "3.32"]),
        Refunded(
            #""currency":"SEK","inclusive":"99.95","taxRate":"25","taxCountry":"SWE""#,
            ["33.31", "33.31", "33.33"]
        ),
        Refunded(#""currency":"JPY","inclusive":"1000","taxRate":"10","taxCountry":"JPN""#, ["333", "334", "333"]),
        Refunded(#""currency":"EUR","inclusive":"10.00","tax":"1.74","taxCountry":"NLD""#, ["3.33", "3.33"]),
        Refunded(
            #""currency":"UAH","inclusive":"199.99","tax":"33.33","taxCountry":"UKR","exchangeRate":"#
                + #"{"rate":"0.0205","source":"B","asOf":"2026-11-20T11:00:00Z"}"#,
            ["66.67", "66.66", "66.66"]
        ),
        Refunded(
            #""currency":"ISK","inclusive":"1490","taxRate":"24","taxCountry":"ISL","exchangeRate":"#
                + #"{"rate":"0.0069","source":"B","asOf":"2026-11-20T11:00:00Z"}"#,
            ["497", "496", "497"]
        ),
    ]

    @Test(
        "Whatever order refunds and purchase arrive in, a row has the figures that Apple accepted (RR-46)",
        arguments: refunded,
        [true, false]
    )
    func roundedRefunds(_ story: Refunded, isReportedBetween: Bool) async throws {
        let token = Merchant.token()
        let buy = """
            {"saleId":"s","bundleId":"com.example.shop","type":"purchase","occurredAt":"2026-11-20T11:00:00Z",
            "externalPurchaseId":"\(token.externalPurchaseId)","productId":"gems.100","quantity":1,
            "amount":{\(story.amount)}}
            """
        let refunds = story.refunds.enumerated().map { place, amount in
            ReturnOrderTests.refund("r\(place)", amount, at: 10 + 10 * place)
        }
        for order in ReturnOrderTests.orders(of: [.told(buy)] + refunds) {
            let merchant = Merchant(programmes: ["eu-custom-link"])
            try await merchant.take(token)
            for event in order {
                guard case .told(let body) = event else { continue }
                _ = try await merchant.sell(body)
                if isReportedBetween { await merchant.system.sender.runUntilIdle() }
            }
            await merchant.system.sender.runUntilIdle()
            let books = try await merchant.appleBooks()
            #expect(books.live.count == story.refunds.count + 1)
            for row in try await merchant.system.exports.rows(MonthChoice("2026-11")) {
                let sale = try #require(row.sale)
                let item = try #require(books.items[sale.lineItemId.rawValue])
                #expect(row.state == .reported)
                #expect(sale.amounts.map { Int($0.taxExclusive.value) } == item.exclusive, "\(sale.saleId) of \(order)")
                #expect(sale.amounts.map { Int($0.tax.value) } == item.tax, "\(sale.saleId) of \(order)")
                #expect(sale.amounts.map { Int($0.netTaxExclusive.value) } == books.net(of: "s"), "\(order)")
            }
            let exports = try await merchant.system.exports.make(MonthChoice("2026-11")).exports
            #expect(exports.flatMap(\.reconciliation.differences) == [], "\(order)")
        }
    }
}

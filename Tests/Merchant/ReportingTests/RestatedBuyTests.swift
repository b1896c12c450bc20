import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Reporting

/// A buy that is restated after refunds of it were accepted (RR-46, RR-83).
@Suite("A restated buy takes the amounts of its refunds along")
struct RestatedBuyTests {
    private static let rate = #""exchangeRate":{"rate":"0.0205","source":"bank","asOf":"2026-11-20T00:00:00Z"}"#

    private static func buy(_ price: String, _ tax: String, _ currency: String = "EUR", id: String = "s") -> String {
        let more = currency == "EUR" ? "" : ",\(rate)"
        return """
            {"saleId":"\(id)","bundleId":"com.example.shop","type":"purchase","occurredAt":"2026-11-20T11:00:00Z",
            "externalPurchaseId":"\(Merchant.token().externalPurchaseId)","productId":"gems","quantity":1,
            "amount":{"currency":"\(currency)","inclusive":"\(price)",\(tax),"taxCountry":"NLD"\(more)}}
            """
    }

    private func merchant(_ events: [String]) async throws -> Merchant {
        let merchant = Merchant(programmes: ["eu-custom-link"])
        try await merchant.take(Merchant.token())
        for event in events {
            try await merchant.sell(event)
            await merchant.system.sender.runUntilIdle()
        }
        return merchant
    }

    private func expectAgreement(_ merchant: Merchant) async throws {
        for export in try await merchant.system.exports.make(MonthChoice("2026-11")).exports {
            #expect(export.reconciliation.differences == [])
        }
    }

    @Test(
        "A wholly refunded buy nets 0 whatever it is restated to, in one correction of one report",
        arguments: [(20, 10), (10, 20), (0, 25), (25, 0)],
        [["12.00"], ["5.00", "7.00"], ["3.33", "3.33", "5.34"]]
    )
    func whole(_ rates: (Int, Int), _ refunds: [String]) async throws {
        let merchant = try await merchant(
            [Self.buy("12.00", #""taxRate":"\#(rates.0)""#)]
                + refunds.enumerated().map { Merchant.refund("r\($0.offset)", of: "s", $0.element) }
        )
        let reports = merchant.apple.puts.count
        #expect(try await merchant.correct("s", "restate", #"{"taxRate":"\#(rates.1)"}"#) == [])
        #expect(merchant.apple.puts.count == reports + 1)
        let books = try await merchant.appleBooks()
        #expect(books.net(of: "s") == 0)
        #expect(books.items.values.allSatisfy { $0.net == 0 })
        try await expectAgreement(merchant)
    }

    @Test("A refund that is restored has its share of the buy as it is now")
    func restoredRefund() async throws {
        let tax = #""amount":{"inclusive":"12.00","tax":"2.00"}"#
        let refund = Merchant.refund("r", of: "s", "12.00").replacing(#""amount":{"inclusive":"12.00"}"#, with: tax)
        let merchant = try await merchant([Self.buy("12.00", #""taxRate":"20""#), refund])
        #expect(try await merchant.correct("r", "retract") == [])
        #expect(try await merchant.correct("s", "restate", #"{"taxRate":"10"}"#) == [])
        #expect(try await merchant.correct("r", "undo") == [])
        #expect(try await merchant.appleBooks().net(of: "s") == 0)
        try await expectAgreement(merchant)
    }

    @Test("A corrected refund that uses up its buy has the rest of the tax, which a stated one may miss by one cent")
    func correctedRefund() async throws {
        let merchant = try await merchant([
            Self.buy("12.00", #""taxRate":"10""#), Merchant.refund("r", of: "s", "11.00"),
        ])
        #expect(try await merchant.correct("r", "restate", #"{"inclusive":"12.00","tax":"1.09"}"#) == [])
        #expect(try await merchant.appleBooks().net(of: "s") == 0)
        try await expectAgreement(merchant)
    }

    @Test("A buy that would be less than its refunds is refused, and the refusal names them")
    func belowRefunds() async throws {
        let merchant = try await merchant([
            Self.buy("12.00", #""taxRate":"20""#), Merchant.refund("r", of: "s", "11.00"),
        ])
        // Without tax it would leave more than the refund took.
        let body = """
            {"bundleId":"com.example.shop","saleId":"s","action":"restate","fields":{"inclusive":"10.00","taxRate":"0"},
            "requestedBy":"maria","reason":"the till was wrong"}
            """
        let run = try await merchant.system.planCorrection(body: try JSONReader().read(body))
        #expect(!run.isAllowed)
        let refusal = run.plan.objectValue?["refusals"]?.arrayValue?.first?.objectValue
        #expect(refusal?["code"]?.stringValue == "refund-above-buy")
        #expect(refusal?["reason"]?.stringValue?.contains("by 1.00 EUR: restate or retract r first") == true)
    }

    @Test("An order's line takes its shares along, and the other line keeps its own")
    func order() async throws {
        let merchant = try await merchant([OrderTests.two, Merchant.refund("r", of: "o", "9.99")])
        let other = try #require(merchant.apple.item("o/2"))
        #expect(try await merchant.correct("o/1", "restate", #"{"taxRate":"9"}"#) == [])
        let books = try await merchant.appleBooks()
        #expect(books.net(of: "o/1") == 0 && books.net(of: "o/2") == 0)
        #expect(merchant.apple.item("o/2") == other)
        try await expectAgreement(merchant)
    }

    @Test("After any restatement Apple's net is the buy less each refund's share of it", arguments: 1...60)
    func anyRestatement(_ seed: Int) async throws {
        var random = SplitMix64(seed: UInt64(seed))
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        func text(_ cents: Int) -> String { "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)" }
        let isForeign = number(0...2) == 0
        let price = number(1_000...9_999)
        var (left, refunds) = (price, [Int]())
        for _ in 0..<number(1...4) where left > 200 {
            refunds.append(number(0...3) == 0 ? left : number(100...left))
            left -= refunds.last ?? 0
        }
        var taxRate = number(0...25)
        var events = [Self.buy(text(price), #""taxRate":"\#(taxRate)""#, isForeign ? "UAH" : "EUR")]
        if number(0...1) == 0 {
            // One that was won back counts no more.
            events += [
                Merchant.refund("c", of: "s", text(number(1...price))).replacing(#""refund","#, with: #""chargeback","#)
                    .replacing("11:30:00", with: "11:10:00"),
                #"{"saleId":"v","bundleId":"com.example.shop","type":"chargebackReversal","reversalOf":"c","#
                    + #""occurredAt":"2026-11-20T11:20:00Z"}"#,
            ]
        }
        for (place, refund) in refunds.enumerated() {
            events.append(
                Merchant.refund("r\(place)", of: "s", text(refund))
                    .replacing(#""refund","#, with: number(0...2) == 0 ? #""chargeback","# : #""refund","#)
            )
        }
        let merchant = try await merchant(events)
        var (billed, factor) = (price, isForeign ? Decimal(string: "0.0205") ?? 0 : 1)
        for _ in 0..<2 {
            let wanted = number(0...1) == 0 ? billed : max(1, price - left + number(-200...4_000))
            var fields = wanted == billed ? "" : #""inclusive":"\#(text(wanted))","#
            let newRate = number(0...25)
            fields += #""taxRate":"\#(newRate)""#
            let isNewRate = isForeign && number(0...1) == 0
            if isNewRate { fields += "," + Self.rate.replacing("0.0205", with: "0.0217") }
            if wanted == billed, newRate == taxRate { continue }
            let reports = merchant.apple.puts.count
            let refused = try await merchant.correct("s", "restate", "{\(fields)}")
            guard wanted >= price - left else {
                #expect(refused == ["refund-above-buy"])
                continue
            }
            #expect(refused == [], "\(fields)")
            (billed, taxRate) = (wanted, newRate)
            if isNewRate { factor = Decimal(string: "0.0217") ?? 0 }
            let books = try await merchant.appleBooks()
            let buy = try #require(books.live["s"])
            #expect(abs(Decimal(billed) * 10 * factor - Decimal(buy.inclusive)) <= Decimal(string: "0.5") ?? 0)
            // A thousandth of rounding each; the last of a wholly refunded buy has what the others left.
            let (isWhole, most) = (billed == price - left, Decimal(refunds.count))
            for (place, refund) in refunds.enumerated() {
                let item = try #require(books.live["r\(place)"])
                let share = Decimal(refund) / Decimal(billed)
                #expect(abs(share * Decimal(buy.tax) - Decimal(item.tax)) <= most, "r\(place)")
                #expect(abs(share * Decimal(buy.inclusive) - Decimal(item.inclusive)) <= most + 1, "r\(place)")
            }
            #expect(books.live.count == refunds.count + 1)
            let net = books.net(of: "s")
            #expect(isWhole ? net == 0 : net >= 0)
            // An item outside the correction keeps the net of its own report (RR-21).
            let restated = try AppleBooks(Array(merchant.apple.puts.dropFirst(reports))).items
            #expect(restated["s"] != nil)
            for (id, item) in restated { #expect(item.net == net, "\(id)") }
            try await expectAgreement(merchant)
        }
    }
}

import ExternalPurchaseCore
import ReportValidation
import Testing

@testable import Reporting

@Suite("A buy's currencies, rate and country take its refunds along (RR-83)")
struct RefundAgreementTests {
    private static func rate(_ text: String) throws -> ExchangeRate { try #require(ExchangeRate(text)) }

    /// ISK 1490, of it 288 tax, reported in euro, with two refunds.
    private static func iceland(refundsOn token: ExternalPurchaseId = Shop.plain) throws -> Shop {
        let rate = try rate("0.0069")
        func foreign(_ item: LineItem) -> LineItem {
            var item = item
            item.amounts.pricingCurrency = "ISK"
            item.amounts.exchangeRate = rate
            item.taxCountry = "ISL"
            return item
        }
        var shop = Shop()
        try #expect(shop.send([foreign(buy("f", 8_294, tax: 1_987))]) == [])
        try #expect(shop.send([foreign(refund("g", of: "f", 1_000, tax: 240, net: 7_294))], on: token) == [])
        try #expect(shop.send([foreign(refund("h", of: "f", 2_000, tax: 480, net: 5_294))], on: token) == [])
        return shop
    }

    private static func newRate() throws -> CorrectedFields {
        // ISK 1490 and 288 at 0.0070: 10430 and 2016.
        let rate = try rate("0.0070")
        return CorrectedFields {
            $0.exchangeRate = rate
            $0.taxExclusive = MilliUnits(8_414)
            $0.tax = MilliUnits(2_016)
        }
    }

    @Test("A new rate brings the refunds, whose amounts become their share of the buy (RR-46)")
    func rateOnOneToken() throws {
        var shop = try Self.iceland()
        let plan = shop.plan(.restate("f", try Self.newRate()))
        #expect(plan.refusals == [])
        // 1240 and 2480 of 10281, in 10430 and 2016: 1257.97, 243.15; 2515.94, 486.31.
        #expect(plan.outline == ["0a: restate f 5369, restate g 5369, restate h 5369"])
        let items = plan.steps.flatMap(\.items).map(\.item.amounts)
        #expect(items.map(\.taxExclusive.value) == [8_414, 1_015, 2_030])
        #expect(items.map(\.tax.value) == [2_016, 243, 486])
        #expect(items.map(\.exchangeRate?.text) == ["0.0070", "0.0070", "0.0070"])
        #expect(plan.warningCodes == ["refund-amounts-derived g", "refund-amounts-derived h"])
        try #expect(shop.send(plan) == [[]])
        let back = shop.plan(plan.inverse)
        #expect(back.refusals == [])
        try #expect(shop.send(back) == [[]])
        #expect(shop["g"]?.amountTaxExclusive == 1_000)
        #expect(shop["h"]?.taxAmount == 480)
    }

    @Test("Refunds on another token are retracted first and stand again last (RR-83)")
    func rateOverTwoTokens() throws {
        var shop = try Self.iceland(refundsOn: Shop.otherPlain)
        let plan = shop.plan(.restate("f", try Self.newRate()))
        #expect(plan.refusals == [])
        #expect(
            plan.outline == [
                "0c: retract g 8294, retract h 8294", "0a: restate f 8414", "0c: undo g 5369, undo h 5369",
            ]
        )
        #expect(plan.steps.first?.items.map(\.cause) == [.suspended(for: "f"), .suspended(for: "f")])
        try #expect(shop.send(plan) == [[], [], []])
    }

    @Test("A new country alone keeps the amounts: the buy comes first, its refunds after it")
    func countryOverTwoTokens() throws {
        var shop = try Self.iceland(refundsOn: Shop.otherPlain)
        let plan = shop.plan(.restate("f", CorrectedFields { $0.taxCountry = "NOR" }))
        #expect(plan.outline == ["0a: restate f 5294", "0c: restate g 5294, restate h 5294"])
        try #expect(shop.send(plan) == [[], []])
    }

    @Test("Amounts that are stated count, the others share what is left")
    func statedAmounts() throws {
        var shop = try Self.iceland()
        let stated = CorrectedFields {
            $0.taxExclusive = MilliUnits(3_000)
            $0.tax = MilliUnits(700)
        }
        let plan = shop.plan(.restate("f", try Self.newRate()), .restate("h", stated))
        #expect(plan.outline == ["0a: restate f 4399, restate g 4399, restate h 4399"])
        #expect(plan.warningCodes == ["refund-amounts-derived g"])
        try #expect(shop.send(plan) == [[]])
    }

    @Test("Refunds that used up the buy use it up again, the last taking the remainder (RR-46)")
    func remainder() throws {
        var shop = Shop()
        try shop.send([buy("o", 3_000)])
        try shop.send(
            [refund("a", of: "o", 1_000, net: 2_000), refund("b", of: "o", 1_000, net: 2_000)].map {
                var item = $0
                item.amounts.netTaxExclusive = MilliUnits(1_000)
                return item
            }
        )
        try shop.send([refund("c", of: "o", 1_000, net: 0)])
        let fields = CorrectedFields {
            $0.taxCountry = "DEU"
            $0.taxExclusive = MilliUnits(2_500)
            $0.tax = MilliUnits(500)
        }
        let plan = shop.plan(.restate("o", fields))
        let items = plan.steps.flatMap(\.items).map(\.item.amounts)
        #expect(items.map(\.taxExclusive.value) == [2_500, 833, 833, 834])
        #expect(items.map(\.tax.value) == [500, 167, 167, 166])
        #expect(items.allSatisfy { $0.netTaxExclusive.value == 0 })
        try #expect(shop.send(plan) == [[]])
    }

    @Test("Without other currencies, rate or country the refunds keep what they gave back (RR-83)")
    func amountsOnly() throws {
        var shop = try Self.iceland()
        func amount(_ exclusive: Int64) -> CorrectedFields {
            CorrectedFields { $0.taxExclusive = MilliUnits(exclusive) }
        }
        // Their nets alone would change, which they keep (RR-21).
        let larger = shop.plan(.restate("f", amount(9_000)))
        #expect(larger.refusals == [])
        #expect(larger.outline == ["0a: restate f 6000"])
        #expect(larger.warnings == [])
        let smaller = shop.plan(.restate("f", amount(2_999)))
        #expect(smaller.refusalCodes == ["refund-above-buy f"])
        #expect(smaller.refusals.first?.reason.contains("restate or retract g, h first") == true)

        // Left behind in another country, they come into agreement with the amounts that they have.
        let alone = shop.plan(.restate("f", CorrectedFields { $0.taxCountry = "NOR" }, refunds: .leftBehind))
        try #expect(shop.send(alone) == [[]])
        #expect(shop.plan(.restate("f", amount(2_999))).refusalCodes == ["refund-above-buy f"])
        let agreed = shop.plan(.restate("f", amount(9_000)))
        #expect(agreed.outline == ["0a: restate f 6000, restate g 6000, restate h 6000"])
        #expect(agreed.warnings == [])
        try #expect(shop.send(agreed) == [[]])
        for (id, exclusive, tax) in [("g", Int64(1_000), Int64(240)), ("h", 2_000, 480)] {
            let item = shop[LineItemId(id)]
            #expect(item?.amountTaxExclusive == exclusive && item?.taxAmount == tax && item?.taxCountry == "NOR")
        }
    }

    @Test("A buy restated alone passes, and the plan and the pre-flight warn (refund-left-behind)")
    func leftBehind() throws {
        var shop = try Self.iceland()
        let plan = shop.plan(.restate("f", CorrectedFields { $0.taxCountry = "NOR" }, refunds: .leftBehind))
        #expect(plan.outline == ["0a: restate f 5294"])
        #expect(plan.refusals == [])
        #expect(plan.warningCodes == ["refund-left-behind g", "refund-left-behind h"])

        let report = try #require(plan.reports.first).report(shop.identifier())
        let received = try ReceivedReport.read(report.body)
        let slice = shop.accepted.slice(for: HistoryNeeds(of: received), token: shop.tokens[Shop.plain])
        let warnings = CorrectionWarning.refundsLeftBehind(by: received, history: slice)
        #expect(warnings.map(\.lineItemId) == ["g", "h"])
        try #expect(shop.send(plan) == [[]])

        // A refund of such a pair is restated and retracted in agreement with its buy: it would draw E23 otherwise.
        let restated = shop.plan(.restate("g", CorrectedFields { $0.tax = MilliUnits(250) }))
        #expect(restated.refusals == [])
        #expect(restated.steps.first?.items.first?.item.taxCountry == "NOR")
        let retracted = shop.plan(.retract("f"))
        #expect(retracted.refusals == [])
        try #expect(shop.send(retracted) == [[]])
    }

    @Test("A refund left behind in another currency is not guessed into the buy's (RR-45)")
    func amountsNeeded() throws {
        var shop = try Self.iceland()
        let plan = shop.plan(.restate("f", try Self.newRate(), refunds: .leftBehind))
        try #expect(shop.send(plan) == [[]])
        let back = shop.plan(plan.inverse)
        #expect(back.outline == ["0a: restate f 5294"])
        #expect(back.refusals == [])
        #expect(back.warnings == [])
        let guessed = shop.plan(.restate("g", CorrectedFields { $0.taxCountry = "ISL" }))
        #expect(guessed.refusalCodes == ["amounts-needed g"])
        let stated = shop.plan(.restate("g", CorrectedFields { $0.taxExclusive = MilliUnits(1_015) }))
        #expect(stated.refusals == [])
        #expect(stated.steps.first?.items.first?.item.amounts.exchangeRate?.text == "0.0070")
        let retracted = shop.plan(.retract("h"))
        #expect(retracted.refusals == [])
        #expect(retracted.warningCodes == ["refund-left-behind h"])
    }
}

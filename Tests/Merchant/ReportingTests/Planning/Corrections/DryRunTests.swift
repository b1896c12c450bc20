import ExternalPurchaseCore
import Testing

@testable import ReportValidation
@testable import Reporting

@Suite("The dry run (RR-84)")
struct DryRunTests {
    private static func shop() throws -> Shop {
        var shop = Shop()
        try shop.send([buy("o", 10_000, tax: 2_000)])
        try shop.send([refund("a", of: "o", 3_000, tax: 600, net: 7_000)], on: Shop.otherPlain)
        return shop
    }

    @Test("Each item shows old value, new value and net")
    func text() throws {
        let shop = try Self.shop()
        let plan = shop.plan(
            .restate(
                "o",
                CorrectedFields {
                    $0.taxExclusive = MilliUnits(9_990)
                    $0.taxCountry = "DEU"
                }
            ),
            .restate("a", CorrectedFields { $0.taxExclusive = MilliUnits(3_000) })
        )
        #expect(
            plan.text == """
                report 1 of 2 on token 4d3f0000-0000-4000-8000-00000000000a
                  restate o
                    amountTaxExclusive: 10.00 EUR → 9.99 EUR
                    amountTaxInclusive: 12.00 EUR → 11.99 EUR
                    taxCountry: AUT → DEU
                    net: 10.00 EUR → 6.99 EUR
                  Apple would accept it
                report 2 of 2 on token 4d3f0000-0000-4000-8000-00000000000c
                  restate a
                    taxCountry: AUT → DEU
                    net: 7.00 EUR → 6.99 EUR
                  Apple would accept it
                warning several-reports: the correction takes 2 reports: each is sent when the one before it was accepted

                """
        )
    }

    @Test("A refused plan shows the rules it would break")
    func refusedText() throws {
        var shop = try Self.shop()
        try shop.send(shop.plan(.retract("o")))
        #expect(
            shop.plan(.undo("a")).text == """
                report on token 4d3f0000-0000-4000-8000-00000000000c
                  undo the retraction of a
                    erroneouslySubmitted: true → false
                    net: 10.00 EUR → 0.00 EUR
                  Apple would refuse it:
                    E25 erroneouslySubmitted of a: The line item references an erroneously submitted line item, but the \
                line item itself is not erroneously submitted.
                refused reference-retracted: a cannot stand while o, which it references, is retracted: undo that too

                """
        )
    }

    @Test("The JSON holds the same")
    func json() throws {
        let shop = try Self.shop()
        let plan = shop.plan(.moveToken("a", to: Shop.plain))
        #expect(
            String(decoding: plan.json.encoded(), as: UTF8.self)
                == #"{"allowed":true,"refusals":[],"warnings":[{"code":"several-reports","reason":"the correction takes 2 "#
                + #"reports: each is sent when the one before it was accepted"}],"reports":[{"externalPurchaseId":"#
                + #""4d3f0000-0000-4000-8000-00000000000c","accepted":true,"errors":[],"items":[{"lineItemId":"a","#
                + #""action":"retract","changes":[{"field":"netAmountTaxExclusive","old":7000,"new":10000},"#
                + #"{"field":"erroneouslySubmitted","old":false,"new":true}],"net":{"old":7000,"new":10000}}]},"#
                + #"{"externalPurchaseId":"4d3f0000-0000-4000-8000-00000000000a","accepted":true,"errors":[],"items":["#
                + #"{"lineItemId":"a.2","action":"report","replaces":"a","changes":[{"field":"lineItemId","old":"a","#
                + #""new":"a.2"}],"net":{"old":7000,"new":7000}}]}]}"#
        )
        let refused = shop.plan(.retract("nobody"))
        #expect(
            String(decoding: refused.json.encoded(), as: UTF8.self)
                == #"{"allowed":false,"refusals":[{"code":"unknown-item","lineItemId":"nobody","#
                + #""reason":"no line item nobody was accepted"}],"warnings":[],"reports":[]}"#
        )
    }

    @Test("A restatement holds every member again, and only the flag is new (RR-80)")
    func allMembers() throws {
        var shop = Shop()
        try shop.send([event("s", 5_000)])
        let plan = shop.plan(.restate("s", CorrectedFields { $0.productIdentifier = "club.30d" }))
        let item = try #require(plan.steps.first?.items.first?.item.asReceived)
        var expected = try #require(shop["s"])
        expected.productIdentifier = "club.30d"
        expected.restatement = true
        #expect(item == expected)
    }

    @Test("A store is asked in rounds for what bears on the correction, and for no more than that")
    func loading() throws {
        var shop = Shop()
        try shop.send([buy("other", 1_000), event("s", 5_000)])
        try shop.send([event("w", 4_000, .renewal, of: "s", days: 1), buy("x", 10)], on: Shop.otherPlain)
        try shop.send([refund("r", of: "w", 1_000, net: 3_000)])
        try shop.send([refund("q", of: "w", 500, net: 2_500)])
        let lists: [[CorrectionRequest]] = [
            [.moveToken("s", to: Shop.otherPlain)], [.retract("s")], [.retract("w")],
            [.chargebackReversal(refund: "r")],
            [.restate("r", CorrectedFields { $0.taxExclusive = MilliUnits(700) })], [.retract("nobody")],
            [.restate("w", CorrectedFields { $0.taxCountry = "DEU" })],
        ]
        for requests in lists {
            var history = CorrectionHistory()
            var rounds = 0
            while case let needs = history.needs(for: requests), !needs.isEmpty {
                rounds += 1
                try #require(rounds < 10)
                let found = shop.accepted.newest.filter { id, accepted in
                    needs.lineItemIds.contains(id)
                        || accepted.item.referenceLineItemId.map(needs.lineItemIds.contains) == true
                }
                let tokens = shop.tokens.filter { needs.externalPurchaseIds.contains($0.key) }
                history.add(found, tokens: tokens, answering: needs)
            }
            #expect(history.items["other"] == nil)
            #expect(history.items["x"] == nil)
            let plan = CorrectionPlanner().plan(requests, history: history, now: Shop.now)
            #expect(plan == shop.plan(requests))
            #expect(plan.isAllowed == (requests != [.retract("nobody")]))
        }
    }

    @Test("An accepted version that lacks members stops the plan")
    func unreadable() throws {
        var item = buy("o", 1_000).asReceived
        item.quantity = nil
        let accepted = AcceptedLineItem(item: item, externalPurchaseId: Shop.plain)
        let history = CorrectionHistory(items: ["o": accepted], tokens: Shop().tokens)
        let plan = CorrectionPlanner().plan([.retract("o")], history: history, now: Shop.now)
        #expect(plan.refusalCodes == ["unreadable-item o"])
    }

    @Test("A token that is not known is refused by the rules (E3)")
    func unknownToken() throws {
        let shop = try Self.shop()
        let history = CorrectionHistory(items: shop.accepted.newest, tokens: [:])
        let plan = CorrectionPlanner().plan([.retract("a")], history: history, now: Shop.now)
        #expect(plan.refusalCodes == ["refused-by-rules  E3"])
    }

    @Test("Requests in another order make the same reports")
    func order() throws {
        let shop = try Self.shop()
        let requests: [CorrectionRequest] = [
            .restate("a", CorrectedFields { $0.taxExclusive = MilliUnits(9_000) }),
            .restate("o", CorrectedFields { $0.taxExclusive = MilliUnits(9_500) }),
        ]
        #expect(shop.plan(requests).outline == ["0a: restate o 6500", "0c: restate a 500"])
        #expect(shop.plan(requests.reversed()).outline == ["0a: restate o 6500", "0c: restate a 500"])
    }

    @Test("What leaves more of a buy is sent before what leaves less, so that no net is negative (RR-23)")
    func raisingFirst() throws {
        var shop = try Self.shop()
        let plan = shop.plan(
            .restate("a", CorrectedFields { $0.taxExclusive = MilliUnits(19_000) }),
            .restate("o", CorrectedFields { $0.taxExclusive = MilliUnits(20_000) })
        )
        #expect(plan.outline == ["0a: restate o 17000", "0c: restate a 1000"])
        try #expect(shop.send(plan) == [[], []])
        let back = shop.plan(plan.inverse)
        #expect(back.outline == ["0c: restate a 17000", "0a: restate o 7000"])
    }
}

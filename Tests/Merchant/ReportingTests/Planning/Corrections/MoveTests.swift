import ExternalPurchaseCore
import Testing

@testable import ReportValidation
@testable import Reporting

@Suite("Wrong dates and wrong tokens: a retraction and a new item (RR-81)")
struct MoveTests {
    private static let earlier = Shop.bought - .days(1)

    @Test("The item gets a new id, and again another one")
    func newIds() throws {
        var shop = Shop()
        try shop.send([buy("o", 1_000)])
        for (id, successor) in [("o", "o.2"), ("o.2", "o.3")] as [(LineItemId, LineItemId)] {
            let date = try #require(shop[id]?.creationDate)
            let plan = shop.plan(.moveDate(id, to: Timestamp(milliseconds: date + 1)))
            #expect(plan.outline == ["0a: retract \(id) 0, report \(successor) 1000"])
            #expect(plan.steps.first?.items.last?.cause == .replaces(id))
            #expect(plan.steps.first?.items.last?.item.version == .original)
            try #expect(shop.send(plan) == [[]])
            #expect(shop[successor]?.creationDate == date + 1)
        }
        #expect(shop.plan(.retract("o")).refusalCodes == ["already-retracted o"])
    }

    @Test("Ids that are taken, or only look like a successor's, are left alone")
    func takenIds() throws {
        var shop = Shop()
        try #expect(shop.send([buy("o", 1), buy("o.2", 1), buy("2026.11", 1)]) == [])
        var history = shop.history
        history.takenIds = ["o.3"]
        let requests: [CorrectionRequest] = [
            .moveDate("o", to: Self.earlier), .moveDate("2026.11", to: Self.earlier),
        ]
        let plan = CorrectionPlanner().plan(requests, history: history, now: Shop.now)
        let new = plan.steps.flatMap(\.items).filter { $0.action == .report }.map(\.item.lineItemId)
        #expect(Set(new) == ["o.4", "2026.11.2"])
        #expect(plan.refusals == [])
    }

    @Test("Refunds go along and reference the new item")
    func refunds() throws {
        var shop = Shop()
        try shop.send([buy("o", 1_000, net: 700), refund("a", of: "o", 300, net: 700)])
        let plan = shop.plan(.moveDate("o", to: Self.earlier))
        #expect(plan.outline == ["0a: report o.2 700, retract o 0, retract a 0, report a.2 700"])
        try #expect(shop.send(plan) == [[]])
        #expect(shop["a.2"]?.referenceLineItemId == "o.2")
        let back = shop.plan(plan.inverse)
        #expect(back.refusals == [])
        try #expect(shop.send(back) == [[]])
        #expect(shop["o"]?.erroneouslySubmitted != true)
        #expect(shop["o"]?.netAmountTaxExclusive == 700)
        #expect(shop["a.2"]?.erroneouslySubmitted == true)
    }

    @Test("On another token the refunds follow their buy (RR-65), retracted before and reported after")
    func token() throws {
        var shop = Shop()
        try shop.send([buy("o", 1_000, net: 700), refund("a", of: "o", 300, net: 700)])
        let plan = shop.plan(.moveToken("o", to: Shop.otherPlain))
        #expect(
            plan.outline
                == ["0a: retract o 0, retract a 0", "0c: report o.2 1000, report a.2 700"].map {
                    $0.replacing("o.2 1000", with: "o.2 700")
                }
        )
        try #expect(shop.send(plan) == [[], []])
        #expect(shop.accepted.newest["a.2"]?.externalPurchaseId == Shop.otherPlain)
    }

    @Test("An event follows its start only from the start's token, and not out of the new token's range (E36)")
    func events() throws {
        var shop = Shop()
        let late = Shop.date("2026-11-16T00:00:00Z")
        try #expect(shop.send([event("s", 5_000)]) == [])
        try #expect(shop.send([event("w", 5_000, .renewal, of: "s", days: 1)]) == [])
        try #expect(shop.send([event("late", 5_000, .renewal, of: "s", days: 2, at: late)]) == [])
        try #expect(shop.send([event("far", 5_000, .renewal, of: "s", days: 2)], on: Shop.otherPlain) == [])
        let plan = shop.plan(.moveToken("s", to: Shop.services))
        #expect(plan.refusals == [])
        try #expect(shop.send(plan).allSatisfy(\.isEmpty))
        let tokens = shop.accepted.newest.mapValues(\.externalPurchaseId)
        #expect(tokens["s.2"] == Shop.services)
        #expect(tokens["w.2"] == Shop.services)
        #expect(tokens["late.2"] == Shop.plain)
        #expect(tokens["far.2"] == Shop.otherPlain)
        #expect(shop["far.2"]?.referenceLineItemId == "s.2")
    }

    @Test("Another member that is wrong too is corrected on the way")
    func withFields() throws {
        var shop = Shop()
        try shop.send([buy("o", 1_000, net: 700), refund("a", of: "o", 300, net: 700)])
        let place = Relocation(
            externalPurchaseId: Shop.otherPlain,
            fields: CorrectedFields {
                $0.taxCountry = "DEU"
                $0.taxExclusive = MilliUnits(2_000)
            }
        )
        let plan = shop.plan(.move("o", place))
        #expect(plan.refusals == [])
        try #expect(shop.send(plan) == [[], []])
        #expect(shop["a.2"]?.taxCountry == "DEU")
        #expect(shop["a.2"]?.amountTaxExclusive == 600)
        #expect(shop["a.2"]?.netAmountTaxExclusive == 1_400)
    }

    struct Impossible: Sendable {
        let request: CorrectionRequest
        let refusals: [String]
    }

    @Test(
        "Dates and tokens that the rules refuse are refused before",
        arguments: [
            // A buy outside the range of a token that expires.
            Impossible(
                request: .moveDate("v", to: Shop.date("2026-11-15T00:00:00.001Z")),
                refusals: ["refused-by-rules v.2 E36"]
            ),
            // After its refund.
            Impossible(
                request: .moveDate("o", to: Shop.bought + .days(2)),
                refusals: ["refused-by-rules a.2 E31"]
            ),
            Impossible(
                request: .moveDate("o", to: Shop.now + .milliseconds(300_001)),
                refusals: ["refused-by-rules o.2 E6"]
            ),
            // More than a year before its refund.
            Impossible(
                request: .moveDate("o", to: Shop.bought.advanced(by: .milliseconds(-364 * Shop.day - 1))),
                refusals: ["too-late-to-report a.2 E40"]
            ),
            Impossible(
                request: .moveDate("o", to: Shop.bought.advanced(by: .milliseconds(-364 * Shop.day))),
                refusals: []
            ),
            // A refund before its buy.
            Impossible(request: .moveDate("a", to: earlier), refusals: ["refused-by-rules a.2 E31"]),
        ]
    )
    func impossible(_ impossible: Impossible) throws {
        var shop = Shop()
        try shop.send([buy("o", 1_000, net: 700), refund("a", of: "o", 300, net: 700)])
        try #expect(shop.send([buy("v", 1_000)], on: Shop.services) == [])
        #expect(shop.plan(impossible.request).refusalCodes == impossible.refusals)
    }
}

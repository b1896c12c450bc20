import ExternalPurchaseCore
import ReportValidation
import Testing

@testable import Reporting

@Suite("Retractions, undoing and what comes along (RR-83)")
struct RetractionTests {
    private static let later = Shop.bought + .days(1)

    /// A subscription over two tokens: the start and a refund of the renewal on one, the renewal on another.
    private static func subscription() throws -> Shop {
        var shop = Shop()
        try #expect(shop.send([event("s", 5_000)], on: Shop.services) == [])
        try #expect(shop.send([event("w", 4_000, .renewal, of: "s", days: 30, at: later)], on: Shop.plain) == [])
        try #expect(shop.send([refund("r", of: "w", 1_000, net: 3_000, at: later)], on: Shop.services) == [])
        return shop
    }

    @Test("A retracted start takes its events and their refunds, each before what it references")
    func startWithEvents() throws {
        var shop = try Self.subscription()
        let plan = shop.plan(.retract("s"))
        #expect(plan.outline == ["0b: retract r 4000", "0a: retract w 0", "0b: retract s 0"])
        #expect(plan.refusals == [])
        #expect(plan.warningCodes == ["several-reports "])
        let causes = plan.steps.flatMap(\.items).map(\.cause)
        #expect(causes == [.comesAlong(with: "w"), .comesAlong(with: "s"), .requested])
        try #expect(shop.send(plan) == [[], [], []])

        let back = shop.plan(plan.inverse)
        #expect(back.outline == ["0b: undo s 5000", "0a: undo w 4000", "0b: undo r 3000"])
        try #expect(shop.send(back) == [[], [], []])
        #expect(shop["r"]?.erroneouslySubmitted != true)
    }

    @Test("On one token everything goes into one report, buys first")
    func oneReport() throws {
        var shop = Shop()
        try shop.send([refund("a", of: "z", 300, net: 700), buy("z", 1_000, net: 700)])
        let plan = shop.plan(.retract("z"))
        #expect(plan.outline == ["0a: retract z 0, retract a 0"])
        try #expect(shop.send(plan) == [[]])
    }

    @Test("What does not fit into one report is split, what references first")
    func largeReports() throws {
        var shop = Shop()
        try shop.send([event("s", 5_000)])
        let events = (1...7).map { event(LineItemId("w\($0)"), 100, .payment, of: "s", at: Self.later) }
        try #expect(shop.send(events) == [])
        shop.limits = ReportLimits(lineItems: 3)
        let plan = shop.plan(.retract("s"))
        #expect(plan.steps.map(\.items.count) == [3, 3, 2])
        #expect(plan.steps.last?.items.contains { $0.item.lineItemId == "s" } == true)
        #expect(plan.refusals == [])
        try #expect(shop.send(plan) == [[], [], []])

        shop.limits = ReportLimits(bodyBytes: 2_500)
        let back = shop.plan(plan.inverse)
        #expect(back.steps.count > 1)
        #expect(back.steps.first?.items.contains { $0.item.lineItemId == "s" } == true)
        try #expect(shop.send(back).allSatisfy(\.isEmpty))
    }

    @Test("A thousand refunds are planned in seconds", .timeLimit(.minutes(10)))
    func manyRefunds() throws {
        var shop = Shop()
        try shop.send([buy("o", 5_000)])
        let refunds = (0..<1_000).map { refund(LineItemId("r\($0)"), of: "o", 5, net: 0) }
        try #expect(shop.send(refunds) == [])
        let plan = shop.plan(.moveToken("o", to: Shop.otherPlain))
        #expect(plan.refusals == [])
        #expect(plan.steps.map(\.items.count) == [1_000, 1, 1_000, 1])
    }

    @Test("An item cannot stand on one that is retracted (E25)")
    func undoneAlone() throws {
        var shop = try Self.subscription()
        try shop.send(shop.plan(.retract("s")))
        let alone = shop.plan(.undo("w"))
        #expect(alone.refusalCodes == ["reference-retracted w E25"])
        #expect(alone.steps.first?.predictedErrors.map(\.errorCode.rawValue) == [25])
        #expect(shop.plan(.undo("w"), .undo("s")).refusals == [])
    }

    struct Nonsense: Sendable {
        let requests: [CorrectionRequest]
        let refusal: String
    }

    @Test(
        "A request that makes no sense is refused by name",
        arguments: [
            Nonsense(requests: [], refusal: "nothing-to-correct "),
            Nonsense(requests: [.retract("nobody")], refusal: "unknown-item nobody"),
            Nonsense(requests: [.retract("gone")], refusal: "already-retracted gone"),
            Nonsense(requests: [.chargebackReversal(refund: "gone-too")], refusal: "already-retracted gone-too"),
            Nonsense(
                requests: [.restate("gone", CorrectedFields { $0.quantity = 2 })],
                refusal: "already-retracted gone"
            ),
            Nonsense(requests: [.moveDate("gone", to: Shop.bought)], refusal: "already-retracted gone"),
            Nonsense(requests: [.undo("o")], refusal: "not-retracted o"),
            Nonsense(requests: [.chargebackReversal(refund: "o")], refusal: "not-a-refund o"),
            Nonsense(requests: [.restate("a", CorrectedFields { $0.quantity = 2 })], refusal: "field-not-allowed a"),
            Nonsense(
                requests: [.restate("o", CorrectedFields { $0.daysOfPaidService = 2 })],
                refusal: "field-not-allowed o"
            ),
            Nonsense(requests: [.restate("o", CorrectedFields { $0.quantity = 1 })], refusal: "nothing-to-correct o"),
            Nonsense(requests: [.moveDate("o", to: Shop.bought)], refusal: "nothing-to-correct o"),
            Nonsense(requests: [.moveToken("o", to: Shop.plain)], refusal: "nothing-to-correct o"),
            Nonsense(requests: [.moveToken("o", to: "elsewhere")], refusal: "unknown-token o"),
            Nonsense(
                requests: [.retract("o"), .restate("a", CorrectedFields { $0.taxCountry = "DEU" })],
                refusal: "contradicting-requests a"
            ),
            Nonsense(
                requests: [.retract("a"), .restate("a", CorrectedFields { $0.taxCountry = "DEU" })],
                refusal: "contradicting-requests a"
            ),
            Nonsense(
                requests: [.moveToken("a", to: Shop.otherPlain), .retract("a")],
                refusal: "contradicting-requests a"
            ),
            Nonsense(
                requests: [.restate("o", CorrectedFields { $0.taxExclusive = MilliUnits(-1) })],
                refusal: "refund-above-buy o"
            ),
            Nonsense(
                requests: [.restate("o", CorrectedFields { $0.quantity = 0 })],
                refusal: "refused-by-rules o E16"
            ),
            Nonsense(
                requests: [.restate("o", CorrectedFields { $0.taxExclusive = MilliUnits(.max) })],
                refusal: "refused-by-rules o E15"
            ),
            Nonsense(
                requests: [.restate("a", CorrectedFields { $0.reference = "nobody" })],
                refusal: "refused-by-rules a E3"
            ),
        ]
    )
    func nonsense(_ nonsense: Nonsense) throws {
        var shop = Shop()
        try #expect(shop.send([buy("o", 1_000, tax: 1_000, net: 700), refund("a", of: "o", 300, net: 700)]) == [])
        try #expect(shop.send([buy("gone", 500, net: 300), refund("gone-too", of: "gone", 200, net: 300)]) == [])
        try #expect(shop.send(shop.plan(.retract("gone"))) == [[]])
        let plan = shop.plan(nonsense.requests)
        #expect(plan.refusalCodes.prefix(1) == [nonsense.refusal])
        #expect(plan.refusals.allSatisfy { !$0.reason.isEmpty })
        #expect(!plan.isAllowed)
        #expect(plan.reports.isEmpty)
    }
}

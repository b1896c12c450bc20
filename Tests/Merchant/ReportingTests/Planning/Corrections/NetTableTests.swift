import ExternalPurchaseCore
import ReportValidation
import Testing

@testable import Reporting

/// The twelve rows of spec/05 section 5, each asked for as a correction where it is one.
@Suite("The table of nets, played as corrections (RR-20, RR-21)")
struct NetTableTests {
    private static let a = refund("a", of: "o", 300, net: 700)
    private static let b = refund("b", of: "o", 200, net: 500)
    private static let c = refund("c", of: "o", 350, net: 0)

    enum Row: Sendable {
        case sale(LineItem)
        case correction([CorrectionRequest], stating: [LineItemId: Int64])
        case retractionAlone
    }

    private static let rows: [Row] = [
        .sale(buy("o", 1_000)),
        .sale(a),
        .sale(b),
        .correction([.restate("o", CorrectedFields { $0.taxExclusive = MilliUnits(800) })], stating: ["o": 300]),
        .correction([.restate("a", CorrectedFields { $0.taxExclusive = MilliUnits(250) })], stating: ["a": 350]),
        .correction([.retract("b")], stating: ["b": 550]),
        .correction([.undo("b")], stating: ["b": 350]),
        .retractionAlone,
        .correction([.retract("o")], stating: ["o": 0, "a": 0, "b": 0]),
        .correction([.undo("o")], stating: ["o": 800]),
        .correction(
            [.undo("a"), .undo("b"), .restate("o", CorrectedFields())],
            stating: ["a": 350, "b": 350, "o": 350]
        ),
        .sale(c),
    ]

    @Test("Each row states its nets and is accepted, the retraction of the buy alone is not")
    func story() throws {
        #expect(Self.rows.count == 12)
        var shop = Shop()
        for (index, row) in Self.rows.enumerated() {
            switch row {
            case .sale(let item):
                try #expect(shop.send([item]) == [], "row \(index + 1)")
            case .correction(let requests, let nets):
                let plan = shop.plan(requests)
                #expect(plan.refusals == [], "row \(index + 1)")
                #expect(plan.steps.count == 1, "row \(index + 1)")
                let stated = plan.steps.flatMap(\.items).map { ($0.item.lineItemId, $0.net.new.value) }
                #expect(Dictionary(uniqueKeysWithValues: stated) == nets, "row \(index + 1)")
                try #expect(shop.send(plan) == [[]], "row \(index + 1)")
            case .retractionAlone:
                let whole = try #require(shop.plan(.retract("o")).steps.first)
                let alone = whole.items.map(\.item).filter { $0.lineItemId == "o" }
                let errors = try shop.send(alone)
                #expect(errors.map(\.errorCode) == [.erroneousLineItemReferencedByValidLineItem], "row \(index + 1)")
            }
        }
        #expect(shop["o"]?.netAmountTaxExclusive == 350)
        #expect(shop["c"]?.netAmountTaxExclusive == 0)
    }

    @Test("The undo of the buy alone names the refunds that stay retracted")
    func staysRetracted() throws {
        var shop = Shop()
        try shop.send([
            buy("o", 1_000, net: 500), refund("a", of: "o", 300, net: 500), refund("b", of: "o", 200, net: 500),
        ])
        try shop.send(shop.plan(.retract("o")))
        let plan = shop.plan(.undo("o"))
        #expect(plan.outline == ["0a: undo o 1000"])
        #expect(plan.warningCodes == ["stays-retracted a", "stays-retracted b"])
    }

    @Test("Refunds that would exceed the buy are refused with the amount (RR-23)")
    func refundsAboveTheBuy() throws {
        var shop = Shop()
        try shop.send([buy("o", 1_000, net: 700), refund("a", of: "o", 300, net: 700)])
        let plan = shop.plan(.restate("o", CorrectedFields { $0.taxExclusive = MilliUnits(299) }))
        #expect(plan.refusalCodes == ["refund-above-buy o"])
        #expect(plan.refusals.first?.reason.contains("by 0.001 EUR") == true)
        #expect(plan.reports.isEmpty)
        #expect(shop.plan(.restate("o", CorrectedFields { $0.taxExclusive = MilliUnits(300) })).refusals == [])
    }

    @Test("Sums of the largest amounts do not overflow (RR-23)")
    func largestAmounts() throws {
        var shop = Shop()
        let most = Int64.max - 1_000
        try #expect(shop.send([buy("o", most)]) == [])
        try #expect(shop.send([refund("a", of: "o", most, net: 0)]) == [])
        let twice = shop.plan(.restate("a", CorrectedFields { $0.taxExclusive = MilliUnits(.max) }))
        #expect(twice.refusalCodes == ["refund-above-buy o"])
        let country = shop.plan(
            .restate(
                "o",
                CorrectedFields {
                    $0.taxCountry = "DEU"
                    $0.taxExclusive = MilliUnits(most - 3)
                    $0.tax = MilliUnits(900)
                }
            )
        )
        #expect(country.refusals == [])
        #expect(country.outline == ["0a: restate o 0, restate a 0"])
    }
}

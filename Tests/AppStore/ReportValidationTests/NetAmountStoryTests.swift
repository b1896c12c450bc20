import ExternalPurchaseCore
import ReportValidation
import Testing

/// The twelve rows of spec/05 section 5, in order, on one history.
@Suite("Net amounts of one buy (RR-20, RR-21)")
struct NetAmountStoryTests {
    private static let buy = Sample.O.with { $0.money(excl: 1_000, tax: 0, net: 1_000) }

    private static func refund(_ id: LineItemId, _ amount: Int64, net: Int64) -> ReceivedLineItem {
        Sample.R.with {
            $0.lineItemId = id
            $0.money(excl: amount, tax: 0, net: net)
        }
    }

    private static func buy(_ amount: Int64, net: Int64) -> ReceivedLineItem {
        buy.with { $0.money(excl: amount, net: net) }
    }

    private static let rows: [(items: [ReceivedLineItem], errors: [String])] = [
        ([buy], []),
        ([refund("a", 300, net: 700)], []),
        ([refund("b", 200, net: 500)], []),
        ([buy(800, net: 300).restated], []),
        ([refund("a", 250, net: 350).restated], []),
        ([refund("b", 200, net: 550).retracted], []),
        ([refund("b", 200, net: 350).restated], []),
        ([buy(800, net: 0).retracted], ["E22 erroneouslySubmitted o"]),
        (
            [buy(800, net: 0).retracted, refund("a", 250, net: 0).retracted, refund("b", 200, net: 0).retracted],
            []
        ),
        ([buy(800, net: 800).restated], []),
        ([refund("a", 250, net: 350).restated, refund("b", 200, net: 350).restated, buy(800, net: 350).restated], []),
        ([refund("c", 350, net: 0)], []),
    ]

    @Test("Each of the twelve reports has its outcome, and no other net passes")
    func submission() throws {
        #expect(Self.rows.count == 12)
        var endpoint = Endpoint()
        for (index, row) in Self.rows.enumerated() {
            if row.errors.isEmpty {
                let wrong = ReceivedReport.list(row.items.map { $0.net(($0.netAmountTaxExclusive ?? 0) + 1) })
                let numbered = wrong.with { $0.requestIdentifier = Endpoint.identifier(900 + index) }
                let expected = row.items.map { "E12 netAmountTaxExclusive \($0.lineItemId?.rawValue ?? "")" }
                try #expect(brief(endpoint.validate(numbered)) == expected, "row \(index + 1)")
            }
            try #expect(brief(endpoint.put(.list(row.items))) == row.errors, "row \(index + 1)")
        }
    }

    @Test("Refunds above the buy leave no net that passes (RR-23)")
    func refundsAboveTheBuy() throws {
        var endpoint = Endpoint()
        try #expect(endpoint.put(.items(Self.buy)) == [])
        for net in [Int64(0), 1, .max] {
            let errors = try endpoint.put(.items(Self.refund("a", 1_001, net: net)))
            #expect(brief(errors) == ["E12 netAmountTaxExclusive a"])
        }
        try #expect(
            brief(endpoint.put(.items(Self.refund("a", 1_001, net: -1)))) == ["E15 netAmountTaxExclusive a"]
        )
    }

    @Test("A thousand refunds of the largest amount do not overflow (RR-23)")
    func noOverflow() throws {
        var endpoint = Endpoint()
        let items = (0..<999).map { Self.refund(LineItemId("r\($0)"), .max, net: 0) }
        let errors = try endpoint.put(.list([Self.buy.net(0)] + items))
        #expect(errors.count == 1_000)
        #expect(Set(errors.map(\.errorCode)) == [.incorrectNetAmount])
    }

    @Test("A refund of a renewal belongs to the renewal, the start keeps its net (RR-23)")
    func renewalsHaveGroupsOfTheirOwn() throws {
        var endpoint = Endpoint()
        try #expect(endpoint.put(.items(Sample.S)) == [])
        try #expect(endpoint.put(.items(Sample.W)) == [])
        let refund = Sample.R.net(2_000).with { $0.referenceLineItemId = "w" }
        try #expect(brief(endpoint.put(.items(Sample.S.restated, refund))) == [])
    }

    @Test("A group with an invalidated amount, a second buy of its id or an unknown buy is not checked (RR-22)")
    func skippedGroups() throws {
        let refund = Self.refund("a", 300, net: 1)
        var endpoint = Endpoint()
        try #expect(
            brief(endpoint.put(.items(Self.buy.with { $0.money(excl: -1) }, refund)))
                == ["E15 amountTaxExclusive o", "E15 amountTaxInclusive o"]
        )
        try #expect(brief(endpoint.put(.items(Self.buy, Self.buy, refund))) == ["E1 lineItemId o"])
        try #expect(
            brief(endpoint.put(.items(Self.buy.with { $0.productType = nil }, refund))) == ["E4 productType o"]
        )
        try #expect(
            brief(endpoint.put(.items(Self.buy, refund.with { $0.netAmountTaxExclusive = nil })))
                == ["E4 netAmountTaxExclusive a"]
        )
    }
}

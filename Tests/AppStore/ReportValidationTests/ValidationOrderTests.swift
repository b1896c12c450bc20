import ExternalPurchaseCore
import ReportValidation
import Testing

private typealias X = Sample

@Suite("Order, invalidation and stages")
struct ValidationOrderTests {
    @Test("Errors of the report come first, then those of the items in array order, all at once (RR-1, RR-2)")
    func order() throws {
        var endpoint = Endpoint()
        try #expect(endpoint.put(.items(X.O)) == [])
        let first = X.S.with {
            $0.taxCountry = nil
            $0.reportingCurrency = "XXX"
            $0.quantity = 0
            $0.taxAmount = -1
            $0.creationDate = X.N + X.d
            $0.exchangeRate = ExchangeRate("1")
            $0.productIdentifier = String(repeating: "p", count: 257)
            $0.subscriptionDaysOfPaidService = 3
            $0.subscriptionStartDate = 5
        }
        let second = X.O.restated.dated(X.D + 1).net(1).with { $0.amountTaxInclusive = 1 }
        let report = ReceivedReport.items(first, second, on: "unknown").with {
            $0.requestIdentifier = Endpoint.identifier(1)
        }
        try #expect(
            brief(endpoint.validate(report)) == [
                "E3 externalPurchaseId", "E1 requestIdentifier",
                "E4 taxCountry s", "E19 productIdentifier s", "E7 reportingCurrency s", "E15 taxAmount s",
                "E16 quantity s", "E6 creationDate s", "E27 subscriptionStartDate s",
                "E34 subscriptionDaysOfPaidService s",
                "E11 amountTaxInclusive o", "E38 creationDate o", "E12 netAmountTaxExclusive o",
            ]
        )
    }

    @Test("An empty line item causes E4 in the order of the catalogue's fields (RR-2)")
    func fieldOrder() throws {
        var endpoint = Endpoint()
        try #expect(
            brief(endpoint.put(.items(ReceivedLineItem().with { $0.eventType = .refund })))
                == [
                    "lineItemId", "creationDate", "referenceLineItemId", "amountTaxExclusive", "amountTaxInclusive",
                    "taxAmount", "netAmountTaxExclusive", "reportingCurrency", "pricingCurrency", "taxCountry",
                ].map { "E4 \($0)" }
        )
        let negative = X.S.with {
            $0.money(excl: -1, tax: -1, net: -1)
            $0.subscriptionDaysOfPaidService = -1
        }
        try #expect(
            brief(endpoint.put(.items(negative)))
                == [
                    "subscriptionDaysOfPaidService", "netAmountTaxExclusive", "taxAmount", "amountTaxExclusive",
                    "amountTaxInclusive",
                ].map { "E15 \($0) s" }
        )
    }

    @Test("Line items are validated with LINE_ITEM only; a missing status causes E4 alone (RR-3)")
    func onlyLineItemValidatesItems() throws {
        var endpoint = Endpoint()
        let broken = ReceivedReport.items(X.O.with { $0.taxCountry = "AT" })
        try #expect(brief(endpoint.put(broken)) == ["E7 taxCountry o"])
        try #expect(brief(endpoint.put(broken.with { $0.status = .duplicateToken })) == ["E10 status", "E37 status"])
        try #expect(brief(endpoint.put(broken.with { $0.status = nil })) == ["E4 status"])
        try #expect(endpoint.put(.items(X.O)) == [])
        try #expect(brief(endpoint.put(.status(.duplicateToken))) == ["E8 status", "E37 status"])
    }

    @Test("An invalidated member causes no second error, on its item or on another (RR-4)")
    func invalidation() throws {
        let cases: [(items: [ReceivedLineItem], errors: [String])] = [
            // The exclusive amount is missing, so neither the sum nor the net amount is checked.
            ([X.O.net(1).with { $0.amountTaxExclusive = nil }], ["E4 amountTaxExclusive o"]),
            // A wrong date of a buy does not affect its refund.
            ([X.O.net(7_000).dated(X.N + X.d), X.R], ["E6 creationDate o"]),
            // A buy with E1 is not found by its id.
            ([X.O, X.O, X.R.net(1)], ["E1 lineItemId o"]),
            // A retraction that is not a restatement does not count as a retraction.
            ([X.O.with { $0.erroneouslySubmitted = true }, X.R], ["E20 erroneouslySubmitted o"]),
            ([X.O.net(7_000).with { $0.taxCountry = "DE" }, X.R], ["E7 taxCountry o"]),
            ([X.R.with { $0.lineItemId = nil }], ["E4 lineItemId"]),
            // Errors of the last stage invalidate nothing, so both are reported.
            (
                [X.O.net(7_000), X.R.dated(X.D - 1).with { $0.taxCountry = "DEU" }],
                ["E31 creationDate r", "E23 taxCountry r"]
            ),
        ]
        for (items, errors) in cases {
            var endpoint = Endpoint()
            try #expect(brief(endpoint.put(.list(items))) == errors)
        }
    }

    @Test("Of two copies the later causes E1, regardless of errors of the earlier (RR-5)")
    func copies() throws {
        var endpoint = Endpoint()
        try #expect(
            brief(endpoint.put(.items(X.O.restated, X.O.restated))) == ["E3 lineItemId o", "E1 lineItemId o"]
        )
        try #expect(
            brief(endpoint.put(.items(X.O.with { $0.taxCountry = "AT" }, X.O)))
                == ["E7 taxCountry o", "E1 lineItemId o"]
        )
    }

    @Test("An exact repetition causes E1 for the report and its items, and E30 for its retractions (SA-62)")
    func resending() throws {
        var endpoint = Endpoint()
        try #expect(endpoint.put(.items(X.O)) == [])
        let report = endpoint.number(.items(X.S, X.O.retracted.net(0)))
        try #expect(endpoint.put(report) == [])
        try #expect(
            brief(endpoint.put(report))
                == ["E1 requestIdentifier", "E1 lineItemId s", "E30 erroneouslySubmitted o"]
        )
    }

    @Test("requestIdentifier is compared without case, and is free until a report is accepted (SA-61)")
    func requestIdentifiers() throws {
        var endpoint = Endpoint()
        func named(_ text: String, _ item: ReceivedLineItem) -> ReceivedReport {
            .items(item).with { $0.requestIdentifier = RequestIdentifier(text) }
        }
        let lower = "abcdef00-0000-4000-8000-000000000001"
        try #expect(brief(endpoint.put(named(lower, X.O.net(1)))) == ["E12 netAmountTaxExclusive o"])
        try #expect(endpoint.put(named(lower, X.O)) == [])
        try #expect(brief(endpoint.put(named(lower.uppercased(), X.S))) == ["E1 requestIdentifier"])
    }

    @Test("References reach any order and any token (SA-64), restatements only their own token (E3)")
    func tokens() throws {
        var endpoint = Endpoint()
        try #expect(brief(endpoint.put(.items(X.R, X.O.net(7_000)))) == [])
        let second = X.R.net(4_000).with { $0.lineItemId = "r2" }
        try #expect(brief(endpoint.put(.items(second, on: X.services))) == [])
        try #expect(brief(endpoint.put(.items(second.restated))) == ["E3 lineItemId r2"])
        // The token itself is unknown, which is reported once.
        try #expect(brief(endpoint.put(.items(second.restated, on: "unknown"))) == ["E3 externalPurchaseId"])
    }

    @Test("Rules with a target apply to retracted items too (RR-8)")
    func retractedItemsAreLookedAt() throws {
        var endpoint = Endpoint()
        try #expect(endpoint.put(.items(X.O)) == [])
        try #expect(endpoint.put(.items(X.R)) == [])
        let moved = X.R.retracted.net(10_000).with { $0.taxCountry = "DEU" }
        try #expect(brief(endpoint.put(.items(moved))) == ["E23 taxCountry r"])
    }
}

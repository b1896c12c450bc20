import ExternalPurchaseCore
import ReportValidation
import Testing

private typealias X = Sample

@Suite("Which members a line item has (spec/04 section 5)")
struct FieldTableTests {
    /// A pair of currencies, a rate, and the errors of an otherwise valid item.
    struct RateCase: Sendable, CustomTestStringConvertible {
        let pricing, reporting: String
        let rate: String?
        let errors: [String]

        init(_ pricing: String, _ reporting: String, _ rate: String?, _ errors: String...) {
            (self.pricing, self.reporting, self.rate, self.errors) = (pricing, reporting, rate, errors)
        }

        var testDescription: String { "\(pricing) in \(reporting) at \(rate ?? "no rate")" }
    }

    static let rates = [
        RateCase("EUR", "EUR", nil),
        RateCase("EUR", "EUR", "1", "E5 exchangeRate o"),
        RateCase("ISK", "EUR", "0.0069"),
        RateCase("ISK", "EUR", nil, "E4 exchangeRate o"),
        RateCase("ISK", "EUR", "0", "E16 exchangeRate o"),
        RateCase("ISK", "EUR", "0.000", "E16 exchangeRate o"),
        RateCase("ISK", "EUR", "-0.5", "E16 exchangeRate o"),
        RateCase("ISK", "EUR", String(repeating: "1", count: 129), "E19 exchangeRate o"),
        RateCase("ISK", "EUR", String(repeating: "1", count: 128)),
        // A misspelt reporting currency causes one error, with or without a rate.
        RateCase("ISK", "Eur", nil, "E7 reportingCurrency o"),
        RateCase("ISK", "Eur", "2", "E7 reportingCurrency o"),
        RateCase("ISK", "Eur", "-2", "E7 reportingCurrency o", "E16 exchangeRate o"),
        RateCase("ISK", "ISK", nil, "E7 reportingCurrency o"),
        RateCase("NOK", "EUR", "0.1", "E18 reportingCurrency o"),
        RateCase("NOK", "EUR", nil, "E4 exchangeRate o", "E18 reportingCurrency o"),
        RateCase("ISK", "NOK", "0.1", "E18 reportingCurrency o"),
        RateCase("QQQ", "USD", "0.1"),
        // KELVIN SIGN is canonically equivalent to K but a different scalar.
        RateCase("EUR", "\u{212A}RW", nil, "E7 reportingCurrency o"),
        RateCase(String(repeating: "E", count: 129), "EUR", "1", "E19 pricingCurrency o"),
        RateCase(String(repeating: "E", count: 129), "EUR", nil, "E19 pricingCurrency o"),
    ]

    @Test("The currencies decide about the rate (SA-40)", arguments: rates)
    func exchangeRate(_ row: RateCase) throws {
        var endpoint = Endpoint()
        let item = X.O.with {
            $0.pricingCurrency = row.pricing
            $0.reportingCurrency = row.reporting
            $0.exchangeRate = row.rate.flatMap { ExchangeRate($0) }
        }
        try #expect(brief(endpoint.put(.items(item))) == row.errors)
    }

    @Test("Start, one-time buy and refund have their own members (SA-41)")
    func kinds() throws {
        var endpoint = Endpoint()
        try #expect(endpoint.put(.items(X.O, X.S)) == [])
        func errors(_ item: ReceivedLineItem) throws -> [String] { try brief(endpoint.put(.items(item))) }
        let start = X.S.with { $0.lineItemId = "s2" }
        try #expect(errors(start.with { $0.ref = "s" }) == ["E5 referenceLineItemId s2"])
        try #expect(errors(X.W.with { $0.ref = nil }) == ["E4 referenceLineItemId w"])
        let buy = X.O.with { $0.lineItemId = "o2" }
        try #expect(errors(buy.with { $0.ref = "o" }) == ["E5 referenceLineItemId o2"])
        try #expect(
            errors(buy.with { $0.subscription(.start, days: 0) }.with { $0.productType = .oneTimeBuy })
                == [
                    "subscriptionEvent", "subscriptionStartDate", "subscriptionEndDate",
                    "subscriptionDaysOfPaidService",
                ].map { "E5 \($0) o2" }
        )
        try #expect(
            errors(X.R.with { $0.oneTime() })
                == ["productType", "productIdentifier", "quantity"].map { "E5 \($0) r" }
        )
    }

    @Test("Requirements that a missing member leaves open are not checked (SA-46)")
    func openMembers() throws {
        var endpoint = Endpoint()
        try #expect(endpoint.put(.items(X.S)) == [])
        let everything = X.W.with { $0.exchangeRate = nil }
        try #expect(brief(endpoint.put(.items(everything.with { $0.eventType = nil }))) == ["E4 eventType w"])
        let bare = X.O.with {
            $0.eventType = nil
            $0.productType = nil
            $0.productIdentifier = nil
            $0.quantity = nil
        }
        try #expect(brief(endpoint.put(.items(bare))) == ["E4 eventType o"])
        try #expect(brief(endpoint.put(.items(everything.with { $0.productType = nil }))) == ["E4 productType w"])
        try #expect(
            brief(endpoint.put(.items(bare.with { $0.eventType = .buy })))
                == ["productIdentifier", "productType", "quantity"].map { "E4 \($0) o" }
        )
        for reference in [LineItemId("s"), nil] {
            let item = X.W.with {
                $0.subscriptionEvent = nil
                $0.ref = reference
            }
            try #expect(brief(endpoint.put(.items(item))) == ["E4 subscriptionEvent w"])
        }
    }

    @Test("Lengths count Unicode scalars, not characters or bytes (SA-45)")
    func lengths() throws {
        var endpoint = Endpoint()
        func item(_ id: String) -> ReceivedLineItem { X.O.with { $0.lineItemId = LineItemId(id) } }
        // One visible character each, two scalars: letter and combining acute.
        let accents = String(repeating: "e\u{301}", count: 64)
        try #expect(brief(endpoint.put(.items(item(accents)))) == [])
        try #expect(brief(endpoint.put(.items(item(accents + "\u{301}")))) == ["E19 lineItemId \(accents)\u{301}"])
        // Four bytes each, one scalar.
        try #expect(brief(endpoint.put(.items(item(String(repeating: "😀", count: 128))))) == [])
    }

    @Test("Ids compare by scalars: composed and decomposed are two, and so is another case (SA-45)")
    func scalars() throws {
        var endpoint = Endpoint()
        try #expect(endpoint.put(.items(X.O.with { $0.lineItemId = "caf\u{E9}" })) == [])
        let refund = X.R.with { $0.ref = "cafe\u{301}" }
        try #expect(brief(endpoint.put(.items(refund))) == ["E3 referenceLineItemId r"])
        try #expect(brief(endpoint.put(.items(X.R.with { $0.ref = "CAF\u{E9}" }))) == ["E3 referenceLineItemId r"])
        try #expect(brief(endpoint.put(.items(X.O.with { $0.lineItemId = "cafe\u{301}" }))) == [])
        try #expect(brief(endpoint.put(.items(refund))) == [])
    }

    @Test("Tax countries are assigned alpha-3 codes, case exact (E7)", arguments: ["AT", "aut", "XKS", "EUR", "AUT "])
    func taxCountry(_ code: String) throws {
        var endpoint = Endpoint()
        try #expect(brief(endpoint.put(.items(X.O.with { $0.taxCountry = code }))) == ["E7 taxCountry o"])
    }

    @Test("The largest amounts do not overflow (E11)")
    func largestAmounts() throws {
        var endpoint = Endpoint()
        let item = X.O.with {
            $0.amountTaxExclusive = .max
            $0.taxAmount = .max
            $0.amountTaxInclusive = -2
        }
        try #expect(
            brief(endpoint.put(.items(item))) == ["E15 amountTaxInclusive o", "E12 netAmountTaxExclusive o"]
        )
        try #expect(
            brief(endpoint.put(.items(item.net(.max).with { $0.amountTaxInclusive = .max })))
                == ["E11 amountTaxInclusive o"]
        )
        for date in [Int64.min, .max] {
            let errors = try endpoint.put(.items(X.O.dated(date)))
            #expect(brief(errors) == [date < 0 ? "E27 creationDate o" : "E6 creationDate o"])
        }
    }
}

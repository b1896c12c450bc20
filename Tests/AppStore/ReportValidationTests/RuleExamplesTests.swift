import ExternalPurchaseCore
import ReportValidation
import Testing

private typealias X = Sample

/// The examples of spec/05 section 3: a sequence of reports that violates the rule, and the most similar one that does
/// not.
struct RuleExample: Sendable, CustomTestStringConvertible {
    let id: String
    let errors: [String]
    let fails: Submission
    let passes: Submission

    struct Submission: Sendable {
        let accepted: [ReceivedReport]
        let report: ReceivedReport
    }

    init(_ id: String, _ errors: String..., fails: Submission, passes: Submission) {
        self.id = id
        self.errors = errors
        self.fails = fails
        self.passes = passes
    }

    var testDescription: String { id }
}

func submission(_ accepted: ReceivedReport..., then report: ReceivedReport) -> RuleExample.Submission {
    RuleExample.Submission(accepted: accepted, report: report)
}

func one(_ item: ReceivedLineItem) -> ReceivedReport { .items(item) }

private let O = X.O, S = X.S, W = X.W, R = X.R, F = X.F, G = X.G
private let D = X.D, N = X.N, d = X.d

private let reportStage: [RuleExample] = [
    RuleExample(
        "E4r",
        "E4 requestIdentifier",
        "E4 externalPurchaseId",
        "E4 status",
        fails: submission(then: ReceivedReport()),
        passes: submission(then: one(O))
    ),
    RuleExample(
        "E3r",
        "E3 externalPurchaseId",
        fails: submission(then: .status(.noLineItem, on: "11111111-0000-4000-8000-000000000009")),
        passes: submission(then: .status(.noLineItem))
    ),
    RuleExample(
        "E1r",
        "E1 requestIdentifier",
        fails: submission(
            one(O),
            then: one(S).with { $0.requestIdentifier = RequestIdentifier("00000000-0000-4000-8000-000000000001") }
        ),
        passes: submission(one(O), then: one(S))
    ),
    RuleExample(
        "E8",
        "E8 status",
        fails: submission(one(O), then: .status(.noLineItem)),
        passes: submission(.status(.noLineItem), then: one(O))
    ),
    RuleExample("E9", "E9 status", fails: submission(then: .status(.lineItem)), passes: submission(then: one(O))),
    RuleExample(
        "E10",
        "E10 status",
        fails: submission(then: one(O).with { $0.status = .noLineItem }),
        passes: submission(then: .status(.noLineItem))
    ),
    RuleExample(
        "E37",
        "E37 status",
        fails: submission(then: .status(.duplicateToken)),
        passes: submission(then: .status(.duplicateToken, on: X.services))
    ),
]

private let shapeStage: [RuleExample] = [
    RuleExample(
        "E4",
        "E4 taxCountry o",
        fails: submission(then: one(O.with { $0.taxCountry = nil })),
        passes: submission(then: one(O))
    ),
    RuleExample(
        "E5",
        "E5 exchangeRate o",
        fails: submission(then: one(O.with { $0.exchangeRate = ExchangeRate("1") })),
        passes: submission(then: one(O))
    ),
    RuleExample(
        "E19",
        "E19 lineItemId " + String(repeating: "x", count: 129),
        fails: submission(then: one(O.with { $0.lineItemId = LineItemId(String(repeating: "x", count: 129)) })),
        passes: submission(then: one(O.with { $0.lineItemId = LineItemId(String(repeating: "x", count: 128)) }))
    ),
    RuleExample(
        "E7",
        "E7 taxCountry o",
        fails: submission(then: one(O.with { $0.taxCountry = "AT" })),
        passes: submission(then: one(O))
    ),
    RuleExample(
        "E15",
        "E15 taxAmount o",
        fails: submission(then: one(O.with { $0.money(tax: -1) })),
        passes: submission(then: one(O.with { $0.money(tax: 0) }))
    ),
    RuleExample(
        "E16",
        "E16 quantity o",
        fails: submission(then: one(O.with { $0.quantity = 0 })),
        passes: submission(then: one(O.with { $0.quantity = 1 }))
    ),
    RuleExample(
        "E6",
        "E6 creationDate o",
        fails: submission(then: one(O.dated(N + 5 * X.minute + 1))),
        passes: submission(then: one(O.dated(N + 5 * X.minute)))
    ),
    RuleExample(
        "E27",
        "E27 creationDate o",
        fails: submission(then: one(O.dated(D / 1_000))),
        passes: submission(then: one(O.dated(N - 3 * 365 * d)))
    ),
    RuleExample(
        "E27 to the millisecond",
        "E27 creationDate o",
        fails: submission(then: one(O.dated(N - 3 * 365 * d - 1))),
        passes: submission(then: one(O.dated(N - 3 * 365 * d)))
    ),
    RuleExample(
        "E27 of periods",
        "E27 subscriptionStartDate s",
        fails: submission(then: one(S.with { $0.subscriptionStartDate = N - 3_650 * d - 1 })),
        passes: submission(then: one(S.with { $0.subscriptionStartDate = N - 3_650 * d }))
    ),
    RuleExample(
        "E17",
        "E17 subscriptionEndDate s",
        fails: submission(then: one(S.with { $0.subscriptionEndDate = D - 30 * d - 1 })),
        passes: submission(then: one(S.with { $0.subscriptionEndDate = D - 30 * d }))
    ),
    RuleExample(
        "E36",
        "E36 creationDate o",
        fails: submission(then: .items(O.dated(D + 3 * d), on: X.services)),
        passes: submission(then: .items(O, on: X.services))
    ),
    RuleExample(
        "E36 at both ends",
        "E36 creationDate o",
        "E36 creationDate p",
        fails: submission(
            then: .items(
                O.dated(X.date("2025-11-15T00:00:00Z").milliseconds - 1),
                O.dated(X.date("2026-11-15T00:00:00Z").milliseconds + 1).with { $0.lineItemId = "p" },
                on: X.services
            )
        ),
        passes: submission(
            then: .items(
                O.dated(X.date("2025-11-15T00:00:00Z").milliseconds),
                O.dated(X.date("2026-11-15T00:00:00Z").milliseconds).with { $0.lineItemId = "p" },
                on: X.services
            )
        )
    ),
    RuleExample(
        "E11",
        "E11 amountTaxInclusive o",
        fails: submission(then: one(O.with { $0.amountTaxInclusive = 11_999 })),
        passes: submission(then: one(O.with { $0.amountTaxInclusive = 12_000 }))
    ),
    RuleExample(
        "E18",
        "E18 reportingCurrency f",
        fails: submission(then: one(F.with { $0.pricingCurrency = "NOK" })),
        passes: submission(then: one(F.with { $0.reportingCurrency = "USD" }))
    ),
    RuleExample(
        "E34",
        "E34 subscriptionDaysOfPaidService s",
        fails: submission(then: one(S.with { $0.subscriptionDaysOfPaidService = 30 })),
        passes: submission(then: one(S.with { $0.subscriptionDaysOfPaidService = 0 }))
    ),
    RuleExample(
        "E35",
        "E35 amountTaxInclusive w",
        fails: submission(
            one(S),
            then: one(
                W.with {
                    $0.subscriptionEvent = .payment
                    $0.money(excl: 0, tax: 0, net: 0)
                }
            )
        ),
        passes: submission(one(S), then: one(W.with { $0.money(excl: 0, tax: 0, net: 0) }))
    ),
]

private let crossStage: [RuleExample] = [
    RuleExample(
        "E1",
        "E1 lineItemId o",
        fails: submission(one(O), then: one(O)),
        passes: submission(one(O), then: one(O.restated))
    ),
    RuleExample(
        "E3 lineItemId",
        "E3 lineItemId o",
        fails: submission(then: one(O.restated)),
        passes: submission(one(O), then: one(O.restated))
    ),
    RuleExample(
        "E3 referenceLineItemId",
        "E3 referenceLineItemId r",
        fails: submission(then: one(R)),
        passes: submission(then: .items(O.net(7_000), R))
    ),
    RuleExample(
        "E20",
        "E20 erroneouslySubmitted o",
        fails: submission(then: one(O.with { $0.erroneouslySubmitted = true })),
        passes: submission(one(O), then: one(O.retracted.net(0)))
    ),
    RuleExample(
        "E30",
        "E30 erroneouslySubmitted o",
        fails: submission(one(O), one(O.retracted.net(0)), then: one(O.retracted.net(0))),
        passes: submission(one(O), one(O.retracted.net(0)), then: one(O.restated))
    ),
    RuleExample(
        "E38",
        "E38 creationDate o",
        fails: submission(one(O), then: one(O.restated.dated(D + 1))),
        passes: submission(one(O), then: one(O.restated))
    ),
    RuleExample(
        "E39",
        "E39 creationDate o",
        fails: submission(one(O.dated(N - 365 * d - 1)), then: one(O.restated.dated(N - 365 * d - 1))),
        passes: submission(one(O.dated(N - 365 * d)), then: one(O.restated.dated(N - 365 * d)))
    ),
    RuleExample(
        "E13",
        "E13 referenceLineItemId r",
        fails: submission(then: one(R.with { $0.ref = "r" })),
        passes: submission(one(O), then: one(R))
    ),
    RuleExample(
        "E21",
        "E21 referenceLineItemId r2",
        fails: submission(
            one(O),
            one(R),
            then: one(
                R.with {
                    $0.lineItemId = "r2"
                    $0.ref = "r"
                }
            )
        ),
        passes: submission(one(O), one(R), then: one(R.net(4_000).with { $0.lineItemId = "r2" }))
    ),
    RuleExample(
        "E14",
        "E14 referenceLineItemId w",
        fails: submission(one(O), then: one(W.with { $0.ref = "o" })),
        passes: submission(one(S), then: one(W))
    ),
    RuleExample(
        "E25",
        "E25 erroneouslySubmitted r",
        fails: submission(one(O), one(O.retracted.net(0)), then: one(R.net(0))),
        passes: submission(one(O), one(O.retracted.net(0)), then: .items(O.restated.net(7_000), R))
    ),
    RuleExample(
        "E22",
        "E22 erroneouslySubmitted o",
        fails: submission(one(O), one(R), then: one(O.retracted.net(0))),
        passes: submission(one(O), one(R), then: .items(O.retracted.net(0), R.retracted.net(0)))
    ),
    RuleExample(
        "E28",
        "E28 lineItemId o",
        fails: submission(
            one(
                O.with {
                    $0.lineItemId = "o2"
                    $0.money(excl: 50_000, net: 50_000)
                }
            ),
            one(O),
            one(R),
            then: one(
                R.restated.dated(D).with {
                    $0.lineItemId = "o"
                    $0.ref = "o2"
                    $0.money(excl: 10_000, tax: 2_000, net: 40_000)
                }
            )
        ),
        passes: submission(one(O), one(R), then: one(O.restated.net(7_000)))
    ),
    RuleExample(
        "E29",
        "E29 lineItemId s",
        fails: submission(
            one(S.dated(D - 60 * d).with { $0.lineItemId = "s0" }),
            one(S),
            one(W),
            then: one(
                W.restated.dated(D - 30 * d).with {
                    $0.lineItemId = "s"
                    $0.ref = "s0"
                }
            )
        ),
        passes: submission(one(S), one(W), then: one(S.restated))
    ),
    RuleExample(
        "E31",
        "E31 creationDate r",
        fails: submission(one(O), then: one(R.dated(D - 1))),
        passes: submission(one(O), then: one(R.dated(D)))
    ),
    RuleExample(
        "E2",
        "E2 reportingCurrency g",
        fails: submission(one(F), then: one(G.with { $0.reportingCurrency = "USD" })),
        passes: submission(one(F), then: one(G))
    ),
    RuleExample(
        "E32",
        "E32 pricingCurrency g",
        fails: submission(one(F), then: one(G.with { $0.pricingCurrency = "UAH" })),
        passes: submission(one(F), then: one(G))
    ),
    RuleExample(
        "E33",
        "E33 exchangeRate g",
        fails: submission(one(F), then: one(G.with { $0.exchangeRate = ExchangeRate("0.007") })),
        passes: submission(one(F), then: one(G.with { $0.exchangeRate = ExchangeRate("0.00690", isString: true) }))
    ),
    RuleExample(
        "E23",
        "E23 taxCountry r",
        fails: submission(one(O), then: one(R.with { $0.taxCountry = "DEU" })),
        passes: submission(one(O), then: one(R))
    ),
    RuleExample(
        "E40",
        "E40 creationDate r",
        fails: submission(one(O.dated(N - 366 * d)), then: one(R.dated(N - 366 * d + 365 * d + 1))),
        passes: submission(one(O.dated(N - 366 * d)), then: one(R.dated(N - 366 * d + 365 * d)))
    ),
    RuleExample(
        "E24",
        "E24 netAmountTaxExclusive o",
        "E24 netAmountTaxExclusive r",
        fails: submission(then: .items(O, R)),
        passes: submission(then: .items(O.net(7_000), R))
    ),
    RuleExample(
        "E12",
        "E12 netAmountTaxExclusive o",
        fails: submission(then: one(O.net(9_999))),
        passes: submission(then: one(O))
    ),
]

@Suite("Examples of the rules")
struct RuleExamplesTests {
    static let examples = reportStage + shapeStage + crossStage + mistakesSeenElsewhere

    @Test("The reports that violate the rule cause its errors and no others", arguments: examples)
    func fails(_ example: RuleExample) throws {
        var endpoint = Endpoint()
        for report in example.fails.accepted { try #expect(brief(endpoint.put(report)) == []) }
        // The report without identifier must stay without one.
        let isNumbered = example.id != "E4r"
        let report = isNumbered ? endpoint.number(example.fails.report) : example.fails.report
        let errors = try endpoint.validate(report)
        #expect(brief(errors) == example.errors)
        for error in errors {
            let entry = try #require(error.errorCode.entry)
            #expect(error.errorMessage == entry.message)
            #expect(error.fieldName.map(entry.fieldNames.contains) == true)
            if entry.lineItem == .absent { #expect(error.lineItemId == nil) }
            if entry.lineItem == .required { #expect(error.lineItemId != nil) }
        }
    }

    @Test("The similar valid reports are accepted", arguments: examples)
    func passes(_ example: RuleExample) throws {
        var endpoint = Endpoint()
        for report in example.passes.accepted + [example.passes.report] {
            try #expect(brief(endpoint.put(report)) == [])
        }
    }

    @Test("Every code but the endpoint's own 26 has an example")
    func everyCodeHasAnExample() {
        let codes = Set(Self.examples.flatMap { $0.errors.map { String($0.prefix { $0 != " " }) } })
        #expect(codes == Set(ReportErrorEntry.all.map { "E\($0.code.rawValue)" }).subtracting(["E26"]))
    }
}

import ExternalPurchaseCore
import ReportValidation

private typealias X = Sample

/// Mistakes found in other people's reporters, as far as the endpoint sees them (RR-15), and further sides of rules.
let mistakesSeenElsewhere: [RuleExample] = [
    RuleExample(
        "E7 a reporting currency outside the 44",
        "E7 reportingCurrency o",
        fails: submission(
            then: one(
                X.O.with {
                    $0.pricingCurrency = "ISK"
                    $0.reportingCurrency = "ISK"
                }
            )
        ),
        passes: submission(then: one(X.F))
    ),
    RuleExample(
        "E7 a tax country in lower case",
        "E7 taxCountry o",
        fails: submission(then: one(X.O.with { $0.taxCountry = "aut" })),
        passes: submission(then: one(X.O.with { $0.taxCountry = "DEU" }))
    ),
    RuleExample(
        "E4 without net and reporting currency (RR-15)",
        "E4 netAmountTaxExclusive o",
        "E4 reportingCurrency o",
        fails: submission(
            then: one(
                X.O.with {
                    $0.netAmountTaxExclusive = nil
                    $0.reportingCurrency = nil
                }
            )
        ),
        passes: submission(then: one(X.O))
    ),
    RuleExample(
        "E12 a cumulative amount as the second refund (RR-15)",
        "E12 netAmountTaxExclusive r2",
        fails: submission(one(X.O), one(X.R), then: one(second(excl: 5_000, net: 5_000))),
        passes: submission(one(X.O), one(X.R), then: one(second(excl: 2_000, net: 5_000)))
    ),
    RuleExample(
        "E9 an empty array of items (S2)",
        "E9 status",
        fails: submission(then: .items()),
        passes: submission(then: .status(.noLineItem).with { $0.lineItems = [] })
    ),
    RuleExample(
        "E3 one item a report, the refund before its buy (RR-15)",
        "E3 referenceLineItemId r",
        fails: submission(then: one(X.R)),
        passes: submission(one(X.O), then: one(X.R))
    ),
    RuleExample(
        "E3 one item a report, the renewal before its start (RR-15)",
        "E3 referenceLineItemId w",
        fails: submission(then: one(X.W)),
        passes: submission(one(X.S), then: one(X.W))
    ),
    RuleExample(
        "E1 a retry under a new requestIdentifier (SA-60, RR-15)",
        "E1 lineItemId o",
        "E1 lineItemId s",
        fails: submission(.items(X.O, X.S), then: .items(X.O, X.S)),
        passes: submission(one(X.O), then: one(X.S))
    ),
    RuleExample(
        "E8 each of the three statuses after items (S2)",
        "E8 status",
        fails: submission(one(X.O), then: .status(.unrecognizedToken)),
        passes: submission(.status(.unrecognizedToken), .status(.noLineItem), then: one(X.O))
    ),
    RuleExample(
        "E8 though every item is retracted",
        "E8 status",
        fails: submission(one(X.O), one(X.O.retracted.net(0)), then: .status(.noLineItem)),
        passes: submission(one(X.O), one(X.O.retracted.net(0)), then: one(X.O.restated))
    ),
    RuleExample(
        "E14 a renewal that references a renewal",
        "E14 referenceLineItemId w2",
        fails: submission(one(X.S), one(X.W), then: one(renewal(of: "w"))),
        passes: submission(one(X.S), one(X.W), then: one(renewal(of: "s")))
    ),
    RuleExample(
        "E31 a start after its renewal",
        "E31 creationDate w",
        fails: submission(one(X.S.dated(X.D + 1)), then: one(X.W)),
        passes: submission(one(X.S.dated(X.D)), then: one(X.W))
    ),
    RuleExample(
        "E11 a sum that overflows",
        "E11 amountTaxInclusive o",
        fails: submission(then: one(large(tax: .max, inclusive: .max))),
        passes: submission(then: one(large(tax: 0, inclusive: .max)))
    ),
]

private func second(excl: Int64, net: Int64) -> ReceivedLineItem {
    X.R.with {
        $0.lineItemId = "r2"
        $0.money(excl: excl, tax: 0, net: net)
    }
}

private func renewal(of reference: LineItemId) -> ReceivedLineItem {
    X.W.with {
        $0.lineItemId = "w2"
        $0.ref = reference
    }
}

private func large(tax: Int64, inclusive: Int64) -> ReceivedLineItem {
    X.O.with {
        $0.amountTaxExclusive = .max
        $0.netAmountTaxExclusive = .max
        $0.taxAmount = tax
        $0.amountTaxInclusive = inclusive
    }
}

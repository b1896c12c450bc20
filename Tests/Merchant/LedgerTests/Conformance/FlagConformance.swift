import ExternalPurchaseCore
import Ledger
import Testing

extension LedgerConformanceCase {
    static let flags: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "Every state and note of a sale is stored, and is the flag of that text in lists and counts",
            over: { store in
                let cases = saleCases
                try await store.step { ledger throws in
                    for (number, row) in cases.enumerated() {
                        let bare = LedgerRows.sale(SaleId("s-\(number)"), on: nil, state: .held)
                        let inserted = try ledger.insert(
                            StoredSale(
                                sale: bare.sale,
                                lineItemId: bare.lineItemId,
                                receivedAt: bare.receivedAt,
                                attribution: number.isMultiple(of: 2) ? row.attribution : bare.attribution
                            )
                        )
                        if !number.isMultiple(of: 2) {
                            try ledger.update(row.attribution, of: inserted.sale.saleId, app: LedgerRows.shop)
                        }
                    }
                    for (number, row) in cases.enumerated() {
                        let stored = try ledger.sale(SaleId("s-\(number)"), of: LedgerRows.shop)
                        #expect(stored?.attribution == row.attribution)
                        #expect(stored?.attribution.flags.map(\.rawValue).sorted() == row.flags.sorted())
                    }
                    var counts: [String: Int] = [:]
                    for row in cases { for flag in row.flags { counts[flag, default: 0] += 1 } }
                    for (flag, count) in counts {
                        var filter = SaleFilter(bundleId: LedgerRows.shop)
                        filter.flag = SaleFlag(rawValue: flag)
                        let expected = cases.indices.filter { cases[$0].flags.contains(flag) }
                        #expect(
                            try ledger.sales(matching: filter, LedgerPage(limit: 100)).map(\.sale.saleId)
                                == expected.map { SaleId("s-\($0)") },
                            "\(flag)"
                        )
                        let held = try ledger.counts().heldSales.filter { $0.key.flag?.rawValue == flag }
                        #expect(held.values.reduce(0, +) == count, "\(flag)")
                    }
                    var open: [OpenSale] = []
                    try ledger.eachOpenSale(of: nil) { sale throws(LedgerError) in open.append(sale) }
                    #expect(open.map(\.holdCauses) == cases.map(\.attribution.holdCauses))
                    #expect(open.map(\.review) == cases.map(\.attribution.review))
                    #expect(open.map(\.flags) == cases.map(\.attribution.flags))
                }
            }
        ),
        LedgerConformanceCase(
            "Every state and note of a token is stored, and is the flag of that text in lists",
            over: { store in
                let cases = tokenCases
                try await store.step { ledger throws in
                    for (number, row) in cases.enumerated() {
                        var token = LedgerRows.token(ExternalPurchaseId("t-\(number)"))
                        if !number.isMultiple(of: 2) { token = try ledger.insert(token) }
                        row.change(&token)
                        if number.isMultiple(of: 2) {
                            token = try ledger.insert(token)
                        } else {
                            try ledger.update(token)
                        }
                        let stored = try ledger.token(token.token.externalPurchaseId, of: LedgerRows.shop)
                        #expect(stored == token)
                        #expect(stored?.flags.map(\.rawValue).sorted() == row.flags.sorted())
                    }
                    for flag in Set(cases.flatMap(\.flags)) {
                        let filter = ListFilter([.flag: flag])
                        let expected = cases.indices.filter { cases[$0].flags.contains(flag) }.map { Int64($0 + 1) }
                        #expect(
                            try ledger.tokens(matching: filter, LedgerPage()).map(\.sequence) == expected,
                            "\(flag)"
                        )
                    }
                    var open: [OpenToken] = []
                    try ledger.eachOpenToken(of: nil) { token throws(LedgerError) in open.append(token) }
                    #expect(
                        open.map { $0.reporting == .onRequest } == cases.map { $0.flags.contains("report-refused") }
                    )
                    #expect(open.map { $0.endpoint == .missing } == cases.map { $0.flags.contains("no-base-url") })
                }
            }
        ),
    ]

    private struct SaleCase: Sendable {
        let flags: [String]
        let attribution: Attribution
    }

    /// A sale for each flag, one without flags, and one with several.
    private static var saleCases: [SaleCase] {
        func row(_ flags: [String], _ change: (inout Attribution) -> Void) -> SaleCase {
            var attribution = Attribution(state: .held, externalPurchaseId: nil)
            change(&attribution)
            return SaleCase(flags: flags, attribution: attribution)
        }
        let notes = [
            "customer-contradiction", "checkout-contradiction", "withdrawn-currency", "void", "of-a-later-version",
        ]
        return HoldCause.allCases.map { cause in row([cause.rawValue]) { $0.holdCauses = [cause] } }
            + notes.map { note in row([note]) { $0.notes = [SaleNote(rawValue: note)] } } + [
                row([]) { _ in },
                row(["review-closed"]) { $0.review = .closed },
                row(["sent-apart"]) { $0.dispatch = .apart },
                row(["new-subscription"]) { $0.subscriptionDecision = .newSubscription },
                row(["imported"]) { $0.origin = .imported },
                row(
                    [
                        "no-tax", "no-tax-country", "review-closed", "sent-apart", "new-subscription", "imported",
                        "customer-contradiction", "with \"quotes\", and a comma",
                    ]
                ) {
                    $0.holdCauses = [.noTax, .noTaxCountry]
                    $0.review = .closed
                    $0.dispatch = .apart
                    $0.subscriptionDecision = .newSubscription
                    $0.origin = .imported
                    $0.notes = [.customerContradiction, SaleNote(rawValue: "with \"quotes\", and a comma")]
                },
            ]
    }

    private struct TokenCase: Sendable {
        let flags: [String]
        let change: @Sendable (inout StoredToken) -> Void
    }

    private static var tokenCases: [TokenCase] {
        [
            TokenCase(flags: []) { $0.notes = [] },
            TokenCase(flags: ["repeated-parameter", "customer-from-sale"]) { $0.customerSource = .sales },
            TokenCase(flags: ["repeated-parameter", "chosen-for-period"]) { $0.periodChoice = .chosen },
            TokenCase(flags: ["report-refused"]) { token in
                token.notes = []
                token.reporting = .onRequest
            },
            TokenCase(flags: ["no-base-url"]) { token in
                token.notes = []
                token.endpoint = .missing
            },
            TokenCase(
                flags: [
                    "customer-from-sale", "chosen-for-period", "report-refused", "no-base-url", "suspicious",
                    "of-a-later-version",
                ]
            ) { token in
                token.customerSource = .sales
                token.periodChoice = .chosen
                token.reporting = .onRequest
                token.endpoint = .missing
                token.notes = [.suspicious, TokenNote(rawValue: "of-a-later-version")]
            },
        ]
    }
}

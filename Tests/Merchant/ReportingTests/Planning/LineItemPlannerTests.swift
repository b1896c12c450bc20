// swift-format-ignore-file: NeverForceUnwrap

import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Reporting

/// A merchant who reports sale by sale, and an Apple who accepts everything.
struct Reporter {
    var records: [SaleRecord] = []
    var accepted: [LineItemId: AcceptedVersion] = [:]
    let token: ExternalPurchaseId = "t"
    var planner = LineItemPlanner()

    init(_ sales: [Sale]) {
        records = Samples.records(sales)
    }

    var moments: [SaleId: SubscriptionMoment] { SubscriptionHistory(records).moments }

    func outcome(of wanted: [SaleId]) -> LineItemPlanner.Outcome {
        planner.items(of: wanted, among: records, accepted: accepted, moments: moments)
    }

    /// The items of a report, which then is accepted.
    mutating func report(_ wanted: SaleId...) -> [ReceivedLineItem] {
        let items = outcome(of: wanted).items.map(\.asReceived)
        for item in items { accept(item) }
        return items
    }

    mutating func accept(_ item: ReceivedLineItem) {
        accepted[item.lineItemId!] = AcceptedVersion(item: item, externalPurchaseId: token)
    }
}

@Suite("Line items of a report")
struct LineItemPlannerTests {
    static func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    static func purchase(
        _ product: String,
        _ currency: String,
        _ inclusive: String,
        tax: Purchase.Tax?,
        _ country: String?,
        rate: String? = nil
    ) -> Purchase {
        Purchase(
            productId: product,
            quantity: 1,
            currency: currency,
            inclusive: Decimal(string: inclusive)!,
            tax: tax,
            taxCountry: country,
            exchangeRate: rate.map {
                QuotedRate(
                    rate: ExchangeRate($0)!,
                    source: "Bloomberg",
                    asOf: Timestamp(milliseconds: 1_795_089_600_000)
                )
            }
        )
    }

    static func units(_ text: String) -> Purchase.Tax { .amount(Decimal(string: text)!) }

    static func charge(_ id: SaleId, _ at: Int64, until end: Int64, _ purchase: Purchase, from: Int64? = nil) -> Sale {
        let period = SubscriptionPeriod(start: time(from ?? at), end: time(end))
        return Samples.sale(
            id,
            at: time(at),
            .subscription(SubscriptionCharge(subscriptionId: "sub", period: period, purchase: purchase))
        )
    }

    static let book = Samples.sale(
        "sale-1",
        at: time(1_794_906_000_000),
        .purchase(purchase("sticker.book", "EUR", "9.99", tax: .rate(21), "ESP"))
    )
    static let refunded = Samples.sale(
        "sale-1-back-1",
        at: time(1_794_992_400_000),
        Samples.refund(of: "sale-1", 3)
    )
    static let disputed = Samples.sale(
        "sale-1-dispute",
        at: time(1_795_014_000_000),
        Samples.refund(of: "sale-1", Decimal(string: "6.99")!, chargeback: true)
    )
    static let club = purchase("club.30d", "EUR", "6", tax: .rate(20), "AUT")

    struct Example: Sendable, CustomTestStringConvertible {
        let name: String
        let sales: [Sale]
        /// Reports before the one looked at.
        var before: [[SaleId]] = []
        let wanted: [SaleId]
        let expected: [String]
        var testDescription: String { name }
    }

    /// Typed from section 9 of the endpoint's description.
    static let examples: [Example] = [
        Example(
            name: "EX-1 a one-time buy",
            sales: [book],
            wanted: ["sale-1"],
            expected: [
                """
                {"lineItemId": "sale-1", "creationDate": 1794906000000, "eventType": "BUY",
                "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1,
                "amountTaxExclusive": 8256,
                "taxAmount": 1734, "amountTaxInclusive": 9990, "netAmountTaxExclusive": 8256, "pricingCurrency": "EUR",
                "reportingCurrency": "EUR", "taxCountry": "ESP"}
                """
            ]
        ),
        Example(
            name: "EX-2 a start, paid at once",
            sales: [charge("sub-1", 1_791_014_400_000, until: 1_793_606_400_000, club)],
            wanted: ["sub-1"],
            expected: [
                """
                {"lineItemId": "sub-1", "creationDate": 1791014400000, "eventType": "BUY",
                "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1,
                "subscriptionEvent": "SUBSCRIPTION_START",
                "subscriptionStartDate": 1791014400000, "subscriptionEndDate": 1793606400000,
                "subscriptionDaysOfPaidService": 0,
                "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000,
                "netAmountTaxExclusive": 5000,
                "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
                """
            ]
        ),
        Example(
            name: "EX-3, EX-4 a trial without any tax stated, and its first paid period",
            sales: [
                charge(
                    "trial-1",
                    1_793_952_000_000,
                    until: 1_794_556_800_000,
                    purchase("club.30d", "SEK", "0", tax: nil, "SWE")
                ),
                charge(
                    "trial-1-paid",
                    1_794_556_800_000,
                    until: 1_797_148_800_000,
                    purchase("club.30d", "SEK", "59", tax: units("11.80"), "SWE")
                ),
            ],
            wanted: ["trial-1", "trial-1-paid"],
            expected: [
                """
                {"lineItemId": "trial-1", "creationDate": 1793952000000, "eventType": "BUY",
                "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1,
                "subscriptionEvent": "SUBSCRIPTION_START",
                "subscriptionStartDate": 1793952000000, "subscriptionEndDate": 1794556800000,
                "subscriptionDaysOfPaidService": 0,
                "amountTaxExclusive": 0, "taxAmount": 0, "amountTaxInclusive": 0, "netAmountTaxExclusive": 0,
                "pricingCurrency": "SEK",
                "reportingCurrency": "SEK", "taxCountry": "SWE"}
                """,
                """
                {"lineItemId": "trial-1-paid", "creationDate": 1794556800000, "eventType": "BUY",
                "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1,
                "subscriptionEvent": "RENEWAL",
                "subscriptionStartDate": 1794556800000, "subscriptionEndDate": 1797148800000,
                "subscriptionDaysOfPaidService": 0,
                "referenceLineItemId": "trial-1", "amountTaxExclusive": 47200, "taxAmount": 11800,
                "amountTaxInclusive": 59000,
                "netAmountTaxExclusive": 47200, "pricingCurrency": "SEK", "reportingCurrency": "SEK",
                "taxCountry": "SWE"}
                """,
            ]
        ),
        Example(
            name: "EX-5 to EX-7 renewal, change of plan, payment",
            sales: [
                charge("sub-1", 1_791_014_400_000, until: 1_793_606_400_000, club),
                charge("sub-1-r1", 1_793_606_400_000, until: 1_796_198_400_000, club),
                charge(
                    "sub-1-up",
                    1_794_470_400_000,
                    until: 1_826_006_400_000,
                    purchase("club.365d", "EUR", "54", tax: .rate(20), "AUT")
                ),
                charge(
                    "sub-1-seat",
                    1_794_902_400_000,
                    until: 1_826_006_400_000,
                    purchase("club.365d", "EUR", "3", tax: .rate(20), "AUT"),
                    from: 1_794_470_400_000
                ),
            ],
            before: [["sub-1"]],
            wanted: ["sub-1-r1", "sub-1-up", "sub-1-seat"],
            expected: [
                """
                {"lineItemId": "sub-1-r1", "creationDate": 1793606400000, "eventType": "BUY",
                "productType": "SUBSCRIPTION",
                "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "RENEWAL",
                "subscriptionStartDate": 1793606400000,
                "subscriptionEndDate": 1796198400000, "subscriptionDaysOfPaidService": 30,
                "referenceLineItemId": "sub-1",
                "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000,
                "netAmountTaxExclusive": 5000,
                "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
                """,
                """
                {"lineItemId": "sub-1-up", "creationDate": 1794470400000, "eventType": "BUY",
                "productType": "SUBSCRIPTION",
                "productIdentifier": "club.365d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_CHANGE",
                "subscriptionStartDate": 1794470400000, "subscriptionEndDate": 1826006400000,
                "subscriptionDaysOfPaidService": 40,
                "referenceLineItemId": "sub-1", "amountTaxExclusive": 45000, "taxAmount": 9000,
                "amountTaxInclusive": 54000,
                "netAmountTaxExclusive": 45000, "pricingCurrency": "EUR", "reportingCurrency": "EUR",
                "taxCountry": "AUT"}
                """,
                """
                {"lineItemId": "sub-1-seat", "creationDate": 1794902400000, "eventType": "BUY",
                "productType": "SUBSCRIPTION",
                "productIdentifier": "club.365d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_PAYMENT",
                "subscriptionStartDate": 1794470400000, "subscriptionEndDate": 1826006400000,
                "subscriptionDaysOfPaidService": 45,
                "referenceLineItemId": "sub-1", "amountTaxExclusive": 2500, "taxAmount": 500,
                "amountTaxInclusive": 3000,
                "netAmountTaxExclusive": 2500, "pricingCurrency": "EUR", "reportingCurrency": "EUR",
                "taxCountry": "AUT"}
                """,
            ]
        ),
        Example(
            name: "EX-8 a partial refund",
            sales: [book, refunded],
            before: [["sale-1"]],
            wanted: ["sale-1-back-1"],
            expected: [
                """
                {"lineItemId": "sale-1-back-1", "creationDate": 1794992400000, "eventType": "REFUND",
                "referenceLineItemId": "sale-1", "amountTaxExclusive": 2479, "taxAmount": 521,
                "amountTaxInclusive": 3000,
                "netAmountTaxExclusive": 5777, "pricingCurrency": "EUR", "reportingCurrency": "EUR",
                "taxCountry": "ESP"}
                """
            ]
        ),
        Example(
            name: "EX-10 a chargeback of the rest",
            sales: [book, refunded, disputed],
            before: [["sale-1"], ["sale-1-back-1"]],
            wanted: ["sale-1-dispute"],
            expected: [
                """
                {"lineItemId": "sale-1-dispute", "creationDate": 1795014000000, "eventType": "REFUND",
                "referenceLineItemId": "sale-1",
                "amountTaxExclusive": 5777, "taxAmount": 1213, "amountTaxInclusive": 6990, "netAmountTaxExclusive": 0,
                "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "ESP"}
                """
            ]
        ),
        Example(
            name: "EX-11 the dispute was won: its refund is retracted",
            sales: [
                book, refunded, disputed,
                Samples.sale("won", at: time(1_795_100_000_000), .chargebackReversal(of: "sale-1-dispute")),
            ],
            before: [["sale-1"], ["sale-1-back-1"], ["sale-1-dispute"]],
            wanted: ["won"],
            expected: [
                """
                {"lineItemId": "sale-1-dispute", "restatement": true, "erroneouslySubmitted": true,
                "creationDate": 1795014000000, "eventType": "REFUND", "referenceLineItemId": "sale-1",
                "amountTaxExclusive": 5777,
                "taxAmount": 1213, "amountTaxInclusive": 6990, "netAmountTaxExclusive": 5777, "pricingCurrency": "EUR",
                "reportingCurrency": "EUR", "taxCountry": "ESP"}
                """
            ]
        ),
        Example(
            name: "EX-14 billed in krona, reported in euro",
            sales: [
                Samples.sale(
                    "sale-2",
                    at: time(1_795_089_600_000),
                    .purchase(purchase("sticker.book", "ISK", "1490", tax: units("288"), "ISL", rate: "0.0069"))
                )
            ],
            wanted: ["sale-2"],
            expected: [
                """
                {"lineItemId": "sale-2", "creationDate": 1795089600000, "eventType": "BUY",
                "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1,
                "amountTaxExclusive": 8294,
                "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 8294, "pricingCurrency": "ISK",
                "reportingCurrency": "EUR", "exchangeRate": 0.0069, "taxCountry": "ISL"}
                """
            ]
        ),
    ]

    /// Members by name, so that their order does not matter.
    static func members(_ json: JSONValue) -> [String: JSONValue] {
        Dictionary(uniqueKeysWithValues: json.objectValue!.members.map { ($0.key, $0.value) })
    }

    @Test("The samples of the endpoint come out figure by figure", arguments: examples)
    func samples(_ example: Example) throws {
        var reporter = Reporter(example.sales)
        for report in example.before {
            for item in reporter.outcome(of: report).items { reporter.accept(item.asReceived) }
        }
        let outcome = reporter.outcome(of: example.wanted)
        #expect(outcome.unbuildable.isEmpty)
        let made = outcome.items.map { Self.members($0.asReceived.json) }
        #expect(made == (try example.expected.map { Self.members(try JSONReader().read($0)) }))
    }

    // MARK: Nets

    static func untaxed(_ id: SaleId, _ day: Double, _ inclusive: Decimal) -> Sale {
        Samples.sale(
            id,
            at: Samples.day(day),
            .purchase(
                Purchase(
                    productId: "p",
                    quantity: 1,
                    currency: "EUR",
                    inclusive: inclusive,
                    tax: .amount(0),
                    taxCountry: "AUT"
                )
            )
        )
    }

    @Test("The table of nets, as far as new sales write it (RR-20, rows 1 to 3 and 12)")
    func nets() {
        var reporter = Reporter([
            Self.untaxed("buy", 0, 1), Samples.sale("a", at: Samples.day(1), Samples.refund(of: "buy", 0.3)),
            Samples.sale("b", at: Samples.day(2), Samples.refund(of: "buy", 0.2)),
            Samples.sale("c", at: Samples.day(3), Samples.refund(of: "buy", 0.35)),
        ])
        #expect(reporter.report("buy").map(\.netAmountTaxExclusive) == [1_000])
        #expect(reporter.report("a").map(\.netAmountTaxExclusive) == [700])
        #expect(reporter.report("b").map(\.netAmountTaxExclusive) == [500])
        // Rows 4 and 5: the buy restated to 800, a to 250; rows 6 to 11 end where they began.
        var (buy, a) = (reporter.accepted["buy"]!.item, reporter.accepted["a"]!.item)
        (buy.amountTaxExclusive, buy.amountTaxInclusive, buy.restatement) = (800, 800, true)
        (a.amountTaxExclusive, a.amountTaxInclusive, a.restatement) = (250, 250, true)
        reporter.accept(buy)
        reporter.accept(a)
        reporter.records[0].sale = Self.untaxed("buy", 0, 0.8)
        reporter.records[1].sale = Samples.sale("a", at: Samples.day(1), Samples.refund(of: "buy", 0.25))
        let last = reporter.report("c")
        #expect(last.map(\.netAmountTaxExclusive) == [0])
        #expect(last.map(\.amountTaxExclusive) == [350])
    }

    @Test("Buy and refunds in one report state one net (RR-21)")
    func oneReport() {
        let reporter = Reporter([
            Self.untaxed("buy", 0, 1), Samples.sale("a", at: Samples.day(1), Samples.refund(of: "buy", 0.3)),
            Samples.sale("b", at: Samples.day(2), Samples.refund(of: "buy", 0.2)),
        ])
        #expect(reporter.outcome(of: ["buy", "a", "b"]).items.map(\.amounts.netTaxExclusive.value) == [500, 500, 500])
    }

    @Test("A retracted refund counts nothing (RR-20)")
    func retractedRefund() {
        var reporter = Reporter([
            Self.untaxed("buy", 0, 1), Samples.sale("a", at: Samples.day(1), Samples.refund(of: "buy", 0.3)),
            Samples.sale("b", at: Samples.day(2), Samples.refund(of: "buy", 0.2)),
        ])
        _ = reporter.report("buy")
        var a = reporter.report("a")[0]
        (a.restatement, a.erroneouslySubmitted) = (true, true)
        reporter.accept(a)
        #expect(reporter.report("b").map(\.netAmountTaxExclusive) == [800])
    }

    @Test("A start's net does not shrink when a renewal is refunded, and a renewal's refund has the renewal's (RR-23)")
    func renewalRefund() {
        var reporter = Reporter([
            Samples.sale("start", at: Samples.day(0), Samples.charge(from: 0, to: 30)),
            Samples.sale("r1", at: Samples.day(30), Samples.charge(from: 30, to: 60)),
            Samples.sale("back", at: Samples.day(31), Samples.refund(of: "r1", 6)),
        ])
        _ = reporter.report("start")
        let items = reporter.report("r1", "back")
        #expect(items.map(\.netAmountTaxExclusive) == [0, 0])
        #expect(items[1].referenceLineItemId == "r1")
        #expect(reporter.accepted["start"]?.item.netAmountTaxExclusive == 5_000)
    }

    @Test("The refund that uses up the buy takes the remainder, in one report or in three (RR-46)", arguments: [1, 3])
    func remainder(_ reports: Int) {
        let sale = Samples.sale(
            "s",
            at: Self.time(1_795_089_600_000),
            .purchase(Self.purchase("p", "UAH", "199.99", tax: Self.units("33.33"), "UKR", rate: "0.0205"))
        )
        let refunds = [("a", "66.67"), ("b", "66.66"), ("c", "66.66")].map { id, amount in
            Samples.sale(
                SaleId(id),
                at: Self.time(1_795_089_600_000),
                Samples.refund(of: "s", Decimal(string: amount)!)
            )
        }
        var reporter = Reporter([sale] + refunds)
        let buy = reporter.report("s")[0]
        let items =
            reports == 1
            ? reporter.report("a", "b", "c") : reporter.report("a") + reporter.report("b") + reporter.report("c")
        #expect(buy.amountTaxInclusive == 4_100)
        #expect(items.map(\.amountTaxInclusive) == [1_367, 1_367, 1_366])
        #expect(items.map(\.taxAmount) == [228, 228, 227])
        #expect(items.last?.netAmountTaxExclusive == 0)
        #expect(items.allSatisfy { $0.exchangeRate?.text == "0.0205" && $0.reportingCurrency == "USD" })
    }

    @Test("A refund shares currencies, rate and tax country of the accepted buy, whatever a setting says later (RR-46)")
    func sharesOfTheBuy() {
        var reporter = Reporter([
            Samples.sale(
                "s",
                at: Self.time(1_795_089_600_000),
                .purchase(Self.purchase("p", "ISK", "1490", tax: Self.units("288"), "ISL", rate: "0.0069"))
            ), Samples.sale("a", at: Self.time(1_795_089_700_000), Samples.refund(of: "s", 700)),
        ])
        _ = reporter.report("s")
        reporter.planner = LineItemPlanner(foreignCurrency: .usDollar)
        #expect(reporter.report("a").map(\.reportingCurrency) == ["EUR"])
    }

    // MARK: Mistakes

    @Test("A start says 0 days, whatever precedes it (RR-15, E34)")
    func noDaysOnAStart() {
        let sale = Samples.sale("s", at: Samples.day(9), Samples.charge(from: 9, to: 39))
        let outcome = LineItemPlanner().items(
            of: ["s"],
            among: Samples.records([sale]),
            accepted: [:],
            moments: ["s": SubscriptionMoment(event: .start, start: nil, daysOfPaidService: 31)]
        )
        #expect(outcome.items.map { $0.asReceived.subscriptionDaysOfPaidService } == [0])
    }

    @Test("Without tax, tax country or rate there is no item, never a nought or a guess (RR-15, RR-45, RR-47)")
    func noGuesses() {
        let purchases = [
            Self.purchase("p", "EUR", "1", tax: nil, "AUT"), Self.purchase("p", "EUR", "1", tax: .rate(20), nil),
            Self.purchase("p", "ISK", "1", tax: .rate(20), "ISL"),
        ]
        for purchase in purchases {
            let reporter = Reporter([Samples.sale("s", at: Samples.day(0), .purchase(purchase))])
            #expect(reporter.outcome(of: ["s"]).unbuildable == ["s": .moneyUnknown])
            #expect(reporter.outcome(of: ["s"]).items.isEmpty)
        }
    }

    @Test("What refers to nothing has no item, and the reason says to what (E3, E25)")
    func missingReferences() {
        let reporter = Reporter([
            Samples.sale("start", at: Samples.day(0), Samples.charge(from: 0, to: 30)),
            Samples.sale("r1", at: Samples.day(30), Samples.charge(from: 30, to: 60)),
            Samples.sale("back", at: Samples.day(31), Samples.refund(of: "r1", 6, chargeback: true)),
            Samples.sale("won", at: Samples.day(32), .chargebackReversal(of: "back")),
            Samples.sale("lapse", at: Samples.day(33), .lapse("sub")),
        ])
        let outcome = reporter.outcome(of: ["r1", "back", "won", "lapse"])
        #expect(outcome.unbuildable["r1"] == .startMissing("start"))
        #expect(outcome.unbuildable["won"] == .refundNotAccepted("back"))
        #expect(outcome.unbuildable["lapse"] == .noLineItem)
        #expect(reporter.outcome(of: ["back"]).unbuildable["back"] == .buyMissing("r1"))
        #expect(outcome.unbuildable.values.allSatisfy { !$0.description.isEmpty })
    }

    @Test("A token-only report has no lineItems member (RR-15, SA-31)")
    func noEmptyArray() {
        let report = Report(
            requestIdentifier: RequestIdentifier(UUID(uuidString: "00000000-0000-4000-8000-000000000017")!),
            externalPurchaseId: "t",
            content: .status(.noLineItem)
        )
        #expect(!String(decoding: report.body, as: UTF8.self).contains("lineItems"))
    }

    @Test(
        "Refunds of every size leave the net that subtraction gives, to the last milli-unit (RR-20)",
        arguments: 0..<20
    )
    func netProperty(_ seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        for _ in 0..<20 {
            let cents = Int.random(in: 1...2_000, using: &random)
            let price = Decimal(cents) / 100
            var sales = [
                Samples.sale(
                    "s",
                    at: Self.time(1_795_089_600_000),
                    .purchase(Self.purchase("p", "UAH", "\(price)", tax: .rate(21), "UKR", rate: "0.0205"))
                )
            ]
            var left = cents
            while left > 0, sales.count < 12 {
                let piece = Int.random(in: 1...left, using: &random)
                left -= piece
                sales.append(
                    Samples.sale(
                        SaleId("r\(sales.count)"),
                        at: Self.time(1_795_089_600_000),
                        Samples.refund(of: "s", Decimal(piece) / 100)
                    )
                )
            }
            var reporter = Reporter(sales)
            var exclusive = Int64(0)
            for (index, sale) in sales.enumerated() {
                let item = reporter.report(sale.saleId)[0]
                exclusive = index == 0 ? item.amountTaxExclusive! : exclusive - item.amountTaxExclusive!
                #expect(item.netAmountTaxExclusive == exclusive)
                #expect(item.amountTaxExclusive! >= 0 && item.taxAmount! >= 0)
                #expect(item.amountTaxExclusive! + item.taxAmount! == item.amountTaxInclusive!)
            }
            if left == 0 { #expect(exclusive == 0) }
        }
    }
}

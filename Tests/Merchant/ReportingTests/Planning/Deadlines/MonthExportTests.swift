import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Reporting

@Suite("Month exports")
struct MonthExportTests {
    let rules = DeadlineRules(appProgrammes: [shop: ["eu-custom-link"]])

    func amounts(_ exclusive: Int64, tax: Int64, net: Int64? = nil, currency: String = "EUR") -> LineItemAmounts {
        LineItemAmounts(
            taxExclusive: MilliUnits(exclusive),
            tax: MilliUnits(tax),
            netTaxExclusive: MilliUnits(net ?? exclusive),
            pricingCurrency: currency,
            reportingCurrency: currency
        )
    }

    func buy(
        _ id: String,
        at created: String,
        _ amounts: LineItemAmounts?,
        on token: ExternalPurchaseId?,
        system: OSVersion? = nil,
        country: String = "NLD",
        product: String = "gems.100",
        heldFor: String? = nil,
        flow: ReportingProgramme.Flow? = .outOfApp,
        taps: [String] = []
    ) throws -> ExportSale {
        ExportSale(
            saleId: id,
            lineItemId: LineItemId(id),
            createdAt: try moment(created),
            event: "ONE_TIME_BUY",
            product: product,
            quantity: 1,
            amounts: amounts,
            taxCountry: country,
            token: token,
            tokenKind: token == nil ? .none : .type(.services),
            system: system,
            heldFor: heldFor,
            estimate: .init(flow: flow, events: CustomerEvents(taps: try taps.map(moment)))
        )
    }

    func refund(
        _ id: String,
        of buy: LineItemId,
        at created: String,
        _ amounts: LineItemAmounts,
        on token: ExternalPurchaseId
    ) throws -> ExportSale {
        ExportSale(
            saleId: id,
            lineItemId: LineItemId(id),
            createdAt: try moment(created),
            event: "REFUND",
            amounts: amounts,
            taxCountry: "NLD",
            token: token,
            tokenKind: .type(.services),
            reference: buy,
            estimate: .init(
                kind: .refund(of: .buy, at: try moment("2026-10-12T10:00:00Z")),
                flow: .outOfApp,
                events: CustomerEvents(taps: [try moment("2026-10-05T10:00:00Z")])
            )
        )
    }

    func accepted(
        _ id: LineItemId,
        at created: String,
        _ exclusive: Int64,
        net: Int64,
        refundOf buy: LineItemId? = nil,
        currency: String = "EUR",
        isRetracted: Bool = false
    ) throws -> ExportReport.Item {
        ExportReport.Item(
            id: id,
            createdAt: try moment(created),
            taxExclusive: MilliUnits(exclusive),
            net: MilliUnits(net),
            currency: currency,
            reference: buy,
            isRefund: buy != nil,
            isRetracted: isRetracted
        )
    }

    func report(
        _ number: Int,
        on token: ExternalPurchaseId,
        _ items: [ExportReport.Item],
        status: ReportStatus = .lineItem
    ) throws -> ExportReport {
        let id = "00000000-0000-4000-8000-00000000000\(number)"
        return ExportReport(
            requestIdentifier: try #require(RequestIdentifier(id)),
            token: token,
            status: status,
            acceptedAt: try moment("2026-11-01"),
            items: items
        )
    }

    /// October 2026 in the Netherlands: a buy with a refund, one without token, one on an old system, one held.
    func october() throws -> ExportInput {
        func token(_ id: ExternalPurchaseId, _ created: String, system: OSVersion? = nil) throws -> ExportToken {
            ExportToken(
                id: id,
                type: .services,
                createdAt: try moment(created),
                storefront: try storefront("NLD"),
                system: system
            )
        }
        return ExportInput(
            bundleId: shop,
            sales: [
                try buy(
                    "order-1",
                    at: "2026-10-12T10:00:00Z",
                    amounts(82_560, tax: 17_340, net: 62_560),
                    on: "A",
                    taps: ["2026-10-05T10:00:00Z"]
                ),
                try refund(
                    "refund-1",
                    of: "order-1",
                    at: "2026-10-20",
                    amounts(20_000, tax: 4_200, net: 62_560),
                    on: "A"
                ),
                try buy(
                    "order-2",
                    at: "2026-10-12T11:00:00Z",
                    amounts(10_000, tax: 2_100),
                    on: nil,
                    system: OSVersion(26, 2)
                ),
                try buy(
                    "order-3",
                    at: "2026-10-31T23:59:59.999Z",
                    amounts(5_000, tax: 1_050),
                    on: "B",
                    system: OSVersion(26, 3)
                ),
                try buy("order-4", at: "2026-10-15", nil, on: "A", heldFor: "no exchange rate"),
                try buy("order-5", at: "2026-10-16", amounts(1_000, tax: 210), on: "A"),
                // Other months, another region.
                try buy("order-6", at: "2026-11-01", amounts(1_000, tax: 210), on: "A"),
                try buy("order-7", at: "2026-09-30T23:59:59.999Z", amounts(1_000, tax: 210), on: "A"),
                try buy(
                    "order-8",
                    at: "2026-10-16",
                    amounts(1_000, tax: 210, currency: "KRW"),
                    on: nil,
                    country: "KOR",
                    flow: nil
                ),
            ],
            tokens: [
                try token("A", "2026-10-05"), try token("B", "2026-10-06", system: OSVersion(26, 3)),
                try token("C", "2026-10-07"), try token("D", "2026-10-08", system: OSVersion(26, 3)),
                try token("E", "2026-09-08"),
            ],
            reports: [
                try report(1, on: "A", [accepted("order-1", at: "2026-10-12T10:00:00Z", 82_560, net: 82_560)]),
                try report(
                    2,
                    on: "A",
                    [accepted("refund-1", at: "2026-10-20", 20_000, net: 62_560, refundOf: "order-1")]
                ),
                try report(3, on: "C", [], status: .noLineItem),
            ]
        )
    }

    func export(_ input: ExportInput) throws -> BuiltMonth {
        try BuiltMonth(month: "2026-10", programme: "eu-2026-10", from: input, rules: rules)
    }

    @Test("An export holds what belongs to its programme and month, by date (OB-61, OB-10)")
    func rows() throws {
        let export = try export(october())
        #expect(export.month.description == "October 2026")
        let csv = export.csv(
            layout: try ExportLayout(named: [
                ("saleId", "sale"), ("externalPurchaseId", "token"), ("state", "state"), ("channel", "by"),
            ])
        )
        #expect(
            csv == """
                sale,token,state,by\r
                ,D,not-reported,manual\r
                order-1,A,reported,api\r
                order-2,,no-token,manual\r
                order-4,A,held,api\r
                order-5,A,not-reported,api\r
                refund-1,A,reported,api\r
                order-3,B,not-reported,manual\r

                """
        )
    }

    @Test("A sale is in a report or in a manual export, never in both; handing in is noted (OB-62, OB-63)")
    func manualSubmission() throws {
        var input = try october()
        #expect(try export(input).rowsToManualSubmission.count == 3)
        input.handedInSales["order-2"] = ManualSubmission(at: try moment("2026-11-10"), by: "kim", reference: "form 7")
        input.handedInTokens["D"] = ManualSubmission(at: try moment("2026-11-10"), by: "kim", reference: "form 7")
        let handed = try export(input)
        let layout = try ExportLayout(named: [("saleId", "s"), ("externalPurchaseId", "t")])
        #expect(handed.csv(layout: layout, rows: handed.rowsToManualSubmission) == "s,t\r\norder-3,B\r\n")
        #expect(handed.reconciliation.sales.count[.reportedByHand] == 1)
        #expect(handed.reconciliation.tokens.reportedByHand == 1)

        input.handedInSales["order-1"] = ManualSubmission(at: try moment("2026-11-10"), by: "kim", reference: "form 8")
        let twice = try export(input).reconciliation.differences
        #expect(twice.map(\.kind) == [.reportedTwice])
        #expect(twice.map(\.name) == ["order-1"])
        #expect(twice.first?.message.contains("form 8") == true)
    }

    @Test("The line of a sale has the figures of its line item (OB-61)")
    func figures() throws {
        let csv = try export(october()).csv()
        let lines = csv.split(separator: "\r\n")
        try #require(lines.count == 8)
        #expect(
            lines[0] == "saleId,lineItemId,date,event,product,quantity,amountTaxExclusive,taxAmount,amountTaxInclusive,"
                + "netAmountTaxExclusive,pricingCurrency,reportingCurrency,exchangeRate,taxCountry,externalPurchaseId,"
                + "osVersion,reference,state,channel,programme,requestIdentifier,handedInAt,handInReference,estimate,"
                + "estimateReason"
        )
        #expect(
            lines[2] == "order-1,order-1,2026-10-12T10:00:00Z,ONE_TIME_BUY,gems.100,1,82.56,17.34,99.90,62.56,EUR,EUR,,"
                + "NLD,A,,,reported,api,eu-2026-10,00000000-0000-4000-8000-000000000001,,,12.38,"
                + "\"15 % link; inside the 7 days from linkTap at 2026-10-05T10:00:00Z, which end at "
                + "2026-10-12T23:59:59.999Z\""
        )
    }

    @Test("Sales, tokens, reports and expected commission fit together, by programme and date (OB-73, OB-80)")
    func reconciliation() throws {
        let sums = try export(october()).reconciliation
        #expect(sums.differences == [])
        #expect(sums.sales.count == [.reported: 2, .noToken: 1, .held: 1, .notReported: 2])
        #expect(sums.sales.money.map(\.currency) == ["EUR"])
        let euro = try #require(sums.sales.money.first)
        #expect(euro.bought.description == "98.56")
        #expect(euro.refunded.description == "20")
        #expect(euro.reportedNet.description == "62.56")
        #expect(euro.estimate?.description == "9.38")
        // Nothing is known of a tap before these.
        #expect(euro.unknownEstimates == 3)
        #expect(
            sums.days.map(\.day.description) == ["2026-10-12", "2026-10-15", "2026-10-16", "2026-10-20", "2026-10-31"]
        )
        #expect(sums.days.first?.sales.money.first?.bought.description == "92.56")
        #expect(sums.days.flatMap { $0.sales.count.values }.reduce(0, +) == 6)
        #expect(sums.tokens == tokens(made: 4, reported: [.lineItem: 1, .noLineItem: 1], notReported: 2))
        #expect(sums.reports == 3)
        #expect(try sums.deadline == endOfDay("2026-11-15"))
        #expect(sums.payment.due == nil)
        #expect(sums.payment.reason.hasPrefix("30 days after Apple's invoice (monthly)"))
    }

    func tokens(made: Int, reported: [ReportStatus: Int], notReported: Int) -> Reconciliation.Tokens {
        var tokens = Reconciliation.Tokens()
        tokens.made = made
        tokens.reported = reported
        tokens.notReported = notReported
        return tokens
    }

    @Test("Days to pay count from the month's end where the terms say so; unknown terms stay unknown (OB-81)")
    func payment() throws {
        func payment(_ programme: String) throws -> Reconciliation.Payment {
            try BuiltMonth(month: "2026-10", programme: programme, from: ExportInput(bundleId: shop), rules: rules)
                .reconciliation.payment
        }
        // 45 days after 2026-10-31.
        #expect(try payment("kr").due?.description == "2026-12-15")
        #expect(try payment("jp").due == nil)
        #expect(try payment("jp").reason == "the terms of payment of jp are not known")
    }

    @Test("Records that do not agree are named with both figures (OB-80)")
    func differences() throws {
        func found(_ change: (inout ExportInput) throws -> Void) throws -> [String] {
            var input = try october()
            try change(&input)
            return try export(input).reconciliation.differences.map { "\($0.kind.rawValue) \($0.name): \($0.message)" }
        }
        #expect(
            try found {
                $0.reports[0] = try report(
                    1,
                    on: "A",
                    [accepted("order-1", at: "2026-10-12T10:00:00Z", 82_570, net: 62_560)]
                )
            }
                == ["amount-differs order-1: reported 82.57 EUR, recorded 82.56 EUR"]
        )
        #expect(
            try found {
                $0.reports[1] = try report(
                    2,
                    on: "A",
                    [accepted("refund-1", at: "2026-10-20", 20_000, net: 62_550, refundOf: "order-1")]
                )
            }
                == ["net-differs order-1: reported net 62.55, recorded net 62.56"]
        )
        #expect(
            try found {
                $0.reports[0] = try report(
                    1,
                    on: "B",
                    [accepted("order-1", at: "2026-10-12T10:00:00Z", 82_560, net: 82_560)]
                )
            }
                == ["token-differs order-1: reported on B, planned on A"]
        )
        #expect(
            try found {
                $0.reports[1] = try report(
                    2,
                    on: "A",
                    [
                        accepted(
                            "refund-1",
                            at: "2026-10-20",
                            20_000,
                            net: 82_560,
                            refundOf: "order-1",
                            isRetracted: true
                        )
                    ]
                )
            }
            .contains { $0.hasPrefix("retracted refund-1: ") }
        )
        #expect(
            try found { $0.reports.append(try report(4, on: "A", [accepted("ghost", at: "2026-10-20", 1, net: 1)])) }
                == ["without-sale ghost: in report 00000000-0000-4000-8000-000000000004, no sale is recorded"]
        )
        // A refund that is not reported yet explains an older net.
        #expect(try found { $0.reports.remove(at: 1) } == [])
        // A ghost of another month belongs to that month.
        #expect(
            try found { $0.reports.append(try report(4, on: "A", [accepted("ghost", at: "2026-11-20", 1, net: 1)])) }
                == []
        )
    }

    @Test("A fiscal month is exported under its own name, with its own bounds (RR-73)")
    func fiscal() throws {
        let input = ExportInput(
            bundleId: shop,
            sales: [
                try buy(
                    "a",
                    at: "2026-09-26T23:59:59.999Z",
                    amounts(1_000, tax: 0, currency: "KRW"),
                    on: nil,
                    country: "KOR",
                    flow: nil
                ),
                try buy(
                    "b",
                    at: "2026-09-27",
                    amounts(1_000_000, tax: 100_000, currency: "KRW"),
                    on: nil,
                    country: "KOR",
                    flow: nil
                ),
                try buy(
                    "c",
                    at: "2026-10-31T23:59:59.999Z",
                    amounts(1_000, tax: 0, currency: "KRW"),
                    on: nil,
                    country: "KOR",
                    flow: nil
                ),
                try buy("d", at: "2026-11-01", amounts(1_000, tax: 0, currency: "KRW"), on: nil, country: "KOR"),
            ]
        )
        let export = try BuiltMonth(month: "2026-10", programme: "kr", from: input, rules: DeadlineRules())
        let layout = try ExportLayout(named: [("saleId", "s"), ("estimate", "e")])
        // Of the price with tax, in won without minor unit.
        #expect(export.csv(layout: layout) == "s,e\r\nb,286\r\nc,0\r\n")
    }

    @Test("Every sale under a programme with months is in exactly one export, also across a change of calendar (OB-1)")
    func partition() throws {
        let overlay = """
            {"programmes":[{"id":"kr","effectiveFrom":"2026-11-16","calendar":"civilMonth"}]}
            """
        let rules = DeadlineRules(catalog: try ProgrammeCatalog(overlay: overlay, named: "programmes.json"))
        let countries = ["KOR", "NLD", "ISL", "JPN", "BRA", "RUS"]
        let start = try moment("2026-08-30")
        let sales = try (0..<600).map { index in
            let created = start.advanced(by: .milliseconds(Int64(index) * 7 * 3_600_000))
            return try buy(
                "\(index)",
                at: created.description,
                amounts(1_000, tax: 0),
                on: index % 3 == 0 ? "A" : nil,
                country: countries[index % 6]
            )
        }
        var seen: [String: Int] = [:]
        for programme in Set(rules.catalog.programmes.map(\.id)) where programme != "us-none" {
            for month in ["2026-08", "2026-09", "2026-10", "2026-11", "2026-12", "2027-01", "2027-02", "2027-03"] {
                let input = ExportInput(bundleId: shop, sales: sales)
                let export = try BuiltMonth(month: month, programme: programme, from: input, rules: rules)
                for row in export.rows {
                    guard case .sale(let sale) = row.subject else { continue }
                    seen[sale.saleId, default: 0] += 1
                }
            }
        }
        #expect(seen.count == 600)
        #expect(seen.values.allSatisfy { $0 == 1 })

        func korean(_ month: String) throws -> BuiltMonth {
            try BuiltMonth(month: month, programme: "kr", from: ExportInput(bundleId: shop), rules: rules)
        }
        #expect(try korean("2026-10").month.description == "fiscal October 2027")
        #expect(try korean("2026-11").month.description == "November 2026")
    }

    @Test("JSON has the same figures, the reconciliation and how sure the figures are (OB-2, OB-61)")
    func json() throws {
        let export = try export(october())
        let json = try JSONReader().read(export.json())
        let rows = try #require(json.objectValue?["rows"]?.arrayValue)
        try #require(rows.count == export.rows.count && rows.count == 7)
        #expect(rows[1].objectValue?["netAmountTaxExclusive"]?.stringValue == "62.56")
        #expect(rows[0].objectValue?["saleId"] == .null)
        let sums = json.objectValue?["reconciliation"]?.objectValue
        let money = sums?["sales"]?.objectValue?["money"]?.arrayValue?.first?.objectValue
        #expect(money?["estimate"]?.stringValue == "9.38")
        #expect(sums?["deadline"]?.stringValue == "2026-11-15T23:59:59.999Z")
        let programme = json.objectValue?["programme"]?.objectValue
        #expect(
            programme?["ratesConfidence"]?.stringValue
                == "second-hand as of 2026-09-05: look at Apple's page before relying on it"
        )
    }

    static let refusals: [(month: String, programme: String, message: String)] = [
        ("2026-10", "eu-2026-11", "no programme \"eu-2026-11\"; did you mean \"eu-2026-10\"?"),
        ("2026-13", "kr", "no month \"2026-13\"; a month such as \"2026-10\" would be right"),
        ("2026-10", "us-none", "us-none asks for no reports by month"),
    ]

    @Test("What cannot be exported is refused with a reason", arguments: refusals)
    func refused(row: (month: String, programme: String, message: String)) {
        #expect(throws: ExportRefusal(message: row.message)) {
            try BuiltMonth(month: row.month, programme: row.programme, from: ExportInput(bundleId: shop), rules: rules)
        }
    }

    @Test("Columns can be mapped; one that does not exist is refused (OB-61)")
    func layouts() {
        #expect(throws: ExportRefusal(message: "no column \"saleID\" in an export; did you mean \"saleId\"?")) {
            try ExportLayout(named: [("saleID", "x")])
        }
        #expect(throws: ExportRefusal(message: "an export needs a column")) { try ExportLayout(named: []) }
    }

    // MARK: Comma-separated values

    static let guarded: [(text: String, cell: String)] = [
        ("order-1", "order-1"), ("", ""), ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@SUM(A1)", "'@SUM(A1)"),
        ("a=1", "a=1"), ("\t=1", "\"'\t'=1\"".replacing("\"", with: "")), (" =1", "' =1"),
        ("\"=1", "\"'\"\"=1\""), ("a;=1", "\"a;'=1\""), ("a\n=1", "\"a\n'=1\""), ("a|@x", "a|'@x"),
        ("＝1", "'＝1"), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""), ("a\r\nb", "\"a\r\nb\""),
        ("nul\u{0}", "nul\u{FFFD}"), ("Zürich 東京 👍", "Zürich 東京 👍"), (" edge", "\" edge\""),
    ]

    @Test("No text from outside becomes a formula, and RFC 4180 quotes what needs it", arguments: guarded)
    func cells(row: (text: String, cell: String)) throws {
        let record = CSVText.record([.text(row.text), .figure("-1"), .empty])
        #expect(record == "\(row.cell),-1,\r\n")
    }

    @Test("Reading a document by RFC 4180 gives the guarded texts back")
    func roundTrip() {
        let rows: [[CSVText.Cell]] = [[.text("a"), .text("b")]] + Self.guarded.map { [.text($0.text), .text("x")] }
        let document = rows.map(CSVText.record).joined()
        var records: [[String]] = [[]]
        var field = String.UnicodeScalarView()
        var isQuoted = false
        var scalars = Array(document.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            if isQuoted {
                if scalar != "\"" {
                    field.append(scalar)
                } else if scalars.first == "\"" {
                    field.append("\"")
                    scalars.removeFirst()
                } else {
                    isQuoted = false
                }
            } else if scalar == "\"" {
                isQuoted = true
            } else if scalar == "," || (scalar == "\r" && scalars.first == "\n") {
                records[records.count - 1].append(String(field))
                field.removeAll()
                if scalar == "\r" {
                    scalars.removeFirst()
                    records.append([])
                }
            } else {
                field.append(scalar)
            }
        }
        #expect(records.last == [])
        #expect(records.dropFirst().dropLast().map { $0[0] } == Self.guarded.map { CSVText.guarded($0.text) })
    }
}

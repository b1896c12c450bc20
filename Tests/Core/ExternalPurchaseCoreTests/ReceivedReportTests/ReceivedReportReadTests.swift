import ExternalPurchaseCore
import Testing

/// A body and the first row of spec/04 section 6 that makes it malformed; nil when it is readable.
struct BodyCase: Sendable, CustomTestStringConvertible {
    let body: String
    let rule: MalformedReport.Rule?

    init(_ rule: MalformedReport.Rule?, _ body: String) {
        self.body = body
        self.rule = rule
    }

    var testDescription: String { String(body.prefix(80)) }
}

private func item(_ members: String) -> String { #"{"lineItems": [{\#(members)}]}"# }

@Suite("Bodies of reports (SA-50 to SA-59)")
struct ReceivedReportReadTests {
    static let cases: [BodyCase] = [
        // SA-51
        BodyCase(.unreadable, ""),
        BodyCase(.unreadable, "{"),
        BodyCase(.unreadable, "[]"),
        BodyCase(.unreadable, "null"),
        BodyCase(.unreadable, "{} {}"),
        BodyCase(.unreadable, "{},"),
        BodyCase(.unreadable, #"{"status": "LINE_ITEM", "status": "LINE_ITEM"}"#),
        BodyCase(nil, " {} \n"),
        // SA-52
        BodyCase(.wrongType, #"{"requestIdentifier": 1}"#),
        BodyCase(.wrongType, #"{"externalPurchaseId": {}}"#),
        BodyCase(.wrongType, #"{"status": true}"#),
        BodyCase(.wrongType, #"{"lineItems": {}}"#),
        BodyCase(.wrongType, #"{"lineItems": ""}"#),
        BodyCase(.wrongType, #"{"status": "NO_LINE_ITEM", "lineItems": [1]}"#),
        BodyCase(.wrongType, #"{"lineItems": [null]}"#),
        BodyCase(.wrongType, item(#""lineItemId": 1"#)),
        BodyCase(.wrongType, item(#""creationDate": "1""#)),
        BodyCase(.wrongType, item(#""creationDate": """#)),
        BodyCase(.wrongType, item(#""quantity": true"#)),
        BodyCase(.wrongType, item(#""restatement": "true""#)),
        BodyCase(.wrongType, item(#""restatement": 1"#)),
        BodyCase(.wrongType, item(#""restatement": """#)),
        BodyCase(.wrongType, item(#""exchangeRate": true"#)),
        BodyCase(.wrongType, item(#""taxCountry": []"#)),
        // SA-53
        BodyCase(.notAnInteger, item(#""taxAmount": 1.5"#)),
        BodyCase(.notAnInteger, item(#""taxAmount": 9223372036854775808"#)),
        BodyCase(.notAnInteger, item(#""taxAmount": 1e99"#)),
        BodyCase(.notAnInteger, item(#""subscriptionDaysOfPaidService": 2147483648"#)),
        BodyCase(.notAnInteger, item(#""subscriptionDaysOfPaidService": -2147483649"#)),
        BodyCase(nil, item(#""subscriptionDaysOfPaidService": 2147483647"#)),
        BodyCase(nil, item(#""taxAmount": 10.0"#)),
        BodyCase(nil, item(#""taxAmount": -9223372036854775808"#)),
        // SA-54
        BodyCase(.notAUUID, #"{"requestIdentifier": "1"}"#),
        BodyCase(.notAUUID, #"{"requestIdentifier": "00000000-0000-4000-8000-00000000000g"}"#),
        BodyCase(.notAUUID, #"{"requestIdentifier": "{00000000-0000-4000-8000-000000000001}"}"#),
        BodyCase(nil, #"{"requestIdentifier": "ABCDEF00-0000-0000-0000-00000000000A"}"#),
        // SA-55
        BodyCase(.unknownValue, #"{"status": "line_item"}"#),
        BodyCase(.unknownValue, item(#""eventType": "SALE""#)),
        BodyCase(.unknownValue, item(#""productType": "buy""#)),
        BodyCase(.unknownValue, item(#""eventType": "REFUND", "subscriptionEvent": "NOTHING""#)),
        // SA-56
        BodyCase(.pricingCurrency, item(#""pricingCurrency": "EURO""#)),
        BodyCase(.pricingCurrency, item(#""pricingCurrency": "eur""#)),
        BodyCase(.pricingCurrency, item(#""pricingCurrency": "\#(String(repeating: "E", count: 128))""#)),
        BodyCase(nil, item(#""pricingCurrency": "\#(String(repeating: "E", count: 129))""#)),
        BodyCase(nil, item(#""pricingCurrency": "QQQ""#)),
        // SA-57
        BodyCase(.exchangeRate, item(#""exchangeRate": 1e2"#)),
        BodyCase(.exchangeRate, item(#""exchangeRate": "1e2""#)),
        BodyCase(.exchangeRate, item(#""exchangeRate": "+1""#)),
        BodyCase(.exchangeRate, item(#""exchangeRate": "1,5""#)),
        BodyCase(.exchangeRate, item(#""exchangeRate": ".5""#)),
        BodyCase(.exchangeRate, item(#""exchangeRate": "5.""#)),
        BodyCase(.exchangeRate, item(#""exchangeRate": " 5""#)),
        BodyCase(nil, item(#""exchangeRate": "-0.5""#)),
        BodyCase(nil, item(#""exchangeRate": "007""#)),
        // SA-50: the first matching row, at any position in the body.
        BodyCase(.wrongType, #"{"requestIdentifier": "1", "lineItems": [{"exchangeRate": "x", "lineItemId": 1}]}"#),
        BodyCase(.notAUUID, #"{"status": "X", "requestIdentifier": "1"}"#),
        BodyCase(.unreadable, #"{"requestIdentifier": 1, "lineItems": [{"a": 1, "a": 1}]}"#),
    ]

    @Test("A body is malformed by the first row that holds, or readable", arguments: cases)
    func rule(_ row: BodyCase) {
        do {
            _ = try ReceivedReport.read(Array(row.body.utf8))
            #expect(row.rule == nil)
        } catch {
            #expect(error.rule == row.rule)
            #expect(error.description.hasPrefix(error.rule.rawValue + ": "))
        }
    }

    @Test("Bytes that are not UTF-8 and a byte order mark are malformed (SA-51)")
    func bytes() {
        for prefix: [UInt8] in [[0xFF], [0xEF, 0xBB, 0xBF]] {
            #expect(throws: MalformedReport.self) { try ReceivedReport.read(prefix + Array("{}".utf8)) }
        }
    }

    @Test("A body has at most 1,048,576 bytes and 1,000 line items (SA-4)")
    func limits() throws {
        let largest = Array("{}".utf8) + Array(repeating: UInt8(ascii: " "), count: 1_048_574)
        _ = try ReceivedReport.read(largest)
        #expect(throws: MalformedReport.self) { try ReceivedReport.read(largest + [UInt8(ascii: " ")]) }
        func body(_ count: Int) -> [UInt8] {
            Array((#"{"lineItems": ["# + Array(repeating: "{}", count: count).joined(separator: ",") + "]}").utf8)
        }
        try #expect(ReceivedReport.read(body(1_000)).lineItems?.count == 1_000)
        do {
            _ = try ReceivedReport.read(body(1_001))
            Issue.record("1,001 line items were read")
        } catch {
            #expect(error.rule == .wrongType)
        }
        try #expect(ReceivedReport.read(body(1_001), limits: ReportLimits(lineItems: 1_001)).lineItems?.count == 1_001)
    }

    @Test("A reason names the member")
    func reason() {
        do {
            _ = try ReceivedReport.read(Array(#"{"lineItems": [{}, {"quantity": "1"}]}"#.utf8))
            Issue.record("a string was read as a quantity")
        } catch {
            #expect(error.description.contains("lineItems[1].quantity"))
        }
    }

    @Test("null counts as absent everywhere, the empty string in strings and the rate; unknown members go (SA-58)")
    func absent() throws {
        let members = LineItemMembers.all.map { #""\#($0)": null"# }.joined(separator: ", ")
        let strings = LineItemMembers.strings.map { #""\#($0)": """# }.joined(separator: ", ")
        for text in [members, strings, #""storefront": 1, "LineItemId": 2"#] {
            let report = try ReceivedReport.read(Array(item(text).utf8))
            #expect(report.lineItems == [ReceivedLineItem()])
        }
        let empty = #"{"requestIdentifier": "", "externalPurchaseId": "", "status": "", "lineItems": null, "x": 1}"#
        try #expect(ReceivedReport.read(Array(empty.utf8)) == ReceivedReport())
    }

    @Test("Numbers keep every digit and rates their text and JSON type (SA-59)")
    func numbers() throws {
        let body = item(#""amountTaxExclusive": 9007199254740993, "exchangeRate": 0.00690, "taxAmount": 10.0"#)
        let number = try #require(ReceivedReport.read(Array(body.utf8)).lineItems?.first)
        #expect(number.amountTaxExclusive == 9_007_199_254_740_993)
        #expect(number.taxAmount == 10)
        #expect(number.exchangeRate == ExchangeRate("0.00690"))
        let text = try #require(ReceivedReport.read(Array(item(#""exchangeRate": "0.0069""#).utf8)).lineItems?.first)
        let rate = try #require(text.exchangeRate)
        #expect(rate.isString)
        #expect(number.exchangeRate?.isSameNumber(as: rate) == true)
        #expect(number.json.objectValue?["exchangeRate"] == .number(JSONNumber(unchecked: "0.00690")))
    }

    @Test("A report that was read is written with the same members (SA-23)")
    func writtenAgain() throws {
        let body = #"""
            {"requestIdentifier":"ABCDEF00-0000-4000-8000-000000000001","externalPurchaseId":"x","status":"LINE_ITEM",\#
            "lineItems":[{"lineItemId":"a","creationDate":1,"eventType":"BUY","exchangeRate":"1.50","restatement":false}]}
            """#
        let report = try ReceivedReport.read(Array(body.utf8))
        #expect(String(decoding: report.json.encoded(), as: UTF8.self) == body)
    }
}

private enum LineItemMembers {
    static let strings = [
        "lineItemId", "eventType", "productType", "productIdentifier", "subscriptionEvent", "referenceLineItemId",
        "pricingCurrency", "reportingCurrency", "exchangeRate", "taxCountry",
    ]
    static let all =
        strings + [
            "creationDate", "quantity", "subscriptionStartDate", "subscriptionEndDate",
            "subscriptionDaysOfPaidService", "amountTaxExclusive", "taxAmount", "amountTaxInclusive",
            "netAmountTaxExclusive", "restatement", "erroneouslySubmitted",
        ]
}

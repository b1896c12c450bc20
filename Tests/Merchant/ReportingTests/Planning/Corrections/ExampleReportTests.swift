import ExternalPurchaseCore
import ReportValidation
import Testing

@testable import Reporting

/// The examples EX-1, EX-8 and EX-10 to EX-13 of spec/04, typed from there.
@Suite("The corrections among the example reports")
struct ExampleReportTests {
    private static let sold = #"""
        {"requestIdentifier": "00000000-0000-4000-8000-000000000001", "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000a",
         "status": "LINE_ITEM", "lineItems": [{"lineItemId": "sale-1", "creationDate": 1794906000000, "eventType": "BUY",
         "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8256,
         "taxAmount": 1734, "amountTaxInclusive": 9990, "netAmountTaxExclusive": 8256, "pricingCurrency": "EUR",
         "reportingCurrency": "EUR", "taxCountry": "ESP"}]}
        """#
    private static let refunded = #"""
        {"requestIdentifier": "00000000-0000-4000-8000-000000000008", "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000a",
         "status": "LINE_ITEM", "lineItems": [{"lineItemId": "sale-1-back-1", "creationDate": 1794992400000, "eventType": "REFUND",
         "referenceLineItemId": "sale-1", "amountTaxExclusive": 2479, "taxAmount": 521, "amountTaxInclusive": 3000,
         "netAmountTaxExclusive": 5777, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "ESP"}]}
        """#
    private static let disputed = #"""
        {"requestIdentifier": "00000000-0000-4000-8000-000000000009", "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000a",
         "status": "LINE_ITEM", "lineItems": [
         {"lineItemId": "sale-1-dispute", "creationDate": 1795014000000, "eventType": "REFUND", "referenceLineItemId": "sale-1",
          "amountTaxExclusive": 5777, "taxAmount": 1213, "amountTaxInclusive": 6990, "netAmountTaxExclusive": 0,
          "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "ESP"}]}
        """#
    private static let won = #"""
        {"lineItemId": "sale-1-dispute", "restatement": true, "erroneouslySubmitted": true,
         "creationDate": 1795014000000, "eventType": "REFUND", "referenceLineItemId": "sale-1", "amountTaxExclusive": 5777,
         "taxAmount": 1213, "amountTaxInclusive": 6990, "netAmountTaxExclusive": 5777, "pricingCurrency": "EUR",
         "reportingCurrency": "EUR", "taxCountry": "ESP"}
        """#
    private static let restated = #"""
        {"lineItemId": "sale-1-back-1", "restatement": true, "creationDate": 1794992400000,
         "eventType": "REFUND", "referenceLineItemId": "sale-1", "amountTaxExclusive": 2000, "taxAmount": 420,
         "amountTaxInclusive": 2420, "netAmountTaxExclusive": 6256, "pricingCurrency": "EUR", "reportingCurrency": "EUR",
         "taxCountry": "ESP"}
        """#
    private static let lost = #"""
        {"lineItemId": "sale-1-dispute", "restatement": true, "erroneouslySubmitted": false,
         "creationDate": 1795014000000, "eventType": "REFUND", "referenceLineItemId": "sale-1", "amountTaxExclusive": 6256,
         "taxAmount": 1314, "amountTaxInclusive": 7570, "netAmountTaxExclusive": 0, "pricingCurrency": "EUR",
         "reportingCurrency": "EUR", "taxCountry": "ESP"}
        """#

    private static let story: [(request: CorrectionRequest, item: String)] = [
        (.chargebackReversal(refund: "sale-1-dispute"), won),
        (
            .restate(
                "sale-1-back-1",
                CorrectedFields {
                    $0.taxExclusive = MilliUnits(2_000)
                    $0.tax = MilliUnits(420)
                }
            ), restated
        ),
        (
            .undo(
                "sale-1-dispute",
                CorrectedFields {
                    $0.taxExclusive = MilliUnits(6_256)
                    $0.tax = MilliUnits(1_314)
                }
            ), lost
        ),
    ]

    @Test("EX-11, EX-12 and EX-13 come out member for member, all members again (RR-80)")
    func examples() throws {
        var shop = Shop()
        for body in [Self.sold, Self.refunded, Self.disputed] {
            let report = try ReceivedReport.read(Array(body.utf8))
            let items = try #require(report.lineItems?.compactMap(Self.written))
            try #expect(shop.send(items) == [])
        }
        for (request, expected) in Self.story {
            let plan = shop.plan(request)
            #expect(plan.refusals == [])
            let item = try #require(plan.reports.first?.items.first?.item.asReceived)
            #expect(Self.members(of: item.json) == Self.members(of: try JSONReader().read(Array(expected.utf8))))
            try #expect(shop.send(plan) == [[]])
        }
    }

    /// Members by name, an absent flag being false.
    private static func members(of json: JSONValue) -> [String: JSONValue] {
        let pairs = (json.objectValue?.members ?? []).map { ($0.key, $0.value) }
        return Dictionary(uniqueKeysWithValues: pairs).merging(["erroneouslySubmitted": .bool(false)]) { old, _ in old }
    }

    private static func written(_ item: ReceivedLineItem) -> LineItem? {
        guard let id = item.lineItemId, let date = item.creationDate, let exclusive = item.amountTaxExclusive,
            let tax = item.taxAmount, let net = item.netAmountTaxExclusive
        else { return nil }
        let kind: LineItem.Kind =
            item.referenceLineItemId.map { .refund(of: $0) }
            ?? .oneTimeBuy(LineItem.OneTimeBuy(productIdentifier: item.productIdentifier ?? "", quantity: 1))
        return LineItem(
            lineItemId: id,
            creationDate: Timestamp(milliseconds: date),
            amounts: euros(exclusive, tax: tax, net: net),
            taxCountry: item.taxCountry ?? "",
            kind: kind
        )
    }
}
